"""How many more cases a study needs for intervals of a given width."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.agreement.sample_sizes import Plan, plan_more_cases, plan_study
from reviewer.core.errors import RequestError
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.coefficient_choice import KNOWN, SHOWN_COEFFICIENTS, check_coefficients

LEAST_WIDTH = 1e-4
"""A hundredth of a percentage point, which needs about a hundred million cases."""


@dataclass(frozen=True)
class CellPlan:
    """One coefficient in one cell: its half-width now (None without an interval), and the plan."""

    where: Mapping[str, str]
    kind: str
    coefficient: str
    cases: int
    half_width: float | None
    plan: Plan


def planned(results: Sequence[AgreementResult], half_width: float, level: float = 0.95) -> list[CellPlan]:
    """A plan for each coefficient of each cell and of the pooled labels; means of cells have none.

    Results with bootstrap intervals use the bootstrap's standard error, results with analytic intervals use
    Gwet's. Raises RequestError for an invalid half-width.
    """
    _check_width(half_width)
    return [
        CellPlan(
            result.where,
            result.kind,
            key,
            result.cases,
            estimate.interval.half_width if estimate.interval else None,
            plan_more_cases(estimate, result.cases, half_width, level),
        )
        for result in results
        if result.kind != "mean of cells"
        for key, estimate in result.coefficients.items()
    ]


def planned_before(
    raters: int,
    true_share: float,
    agreement: float,
    half_width: float,
    level: float = 0.95,
    coefficients: Sequence[str] = (),
) -> dict[str, Plan]:
    """A plan for each coefficient of a study that does not exist yet. Raises RequestError if impossible."""
    _check_width(half_width)
    keys = coefficients or SHOWN_COEFFICIENTS
    check_coefficients(keys, ())
    try:
        return {
            key: plan_study(
                KNOWN[key],
                raters=raters,
                passing_share=true_share,
                agreement=agreement,
                half_width=half_width,
                level=level,
            )
            for key in keys
        }
    except ValueError as error:
        raise RequestError(f"no such study can be planned: {error}.") from error


def _check_width(half_width: float) -> None:
    if not 0 < half_width < 1:
        raise RequestError(f"a half-width must lie between 0 and 1; {half_width:g} does not.")
    if half_width < LEAST_WIDTH:
        raise RequestError(
            f"a half-width of {half_width:g} would need too many cases; give at least {LEAST_WIDTH:g}."
        )
