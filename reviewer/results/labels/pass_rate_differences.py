"""Differences between pass rates: Newcombe's interval, a two-proportion z test, Holm's correction.

The interval and the test assume independent samples. Different generators or groups are independent;
questions about the same cases are not, nor are their outputs, nor items of one case. ``dependent`` marks
these differences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from reviewer.agreement.proportions import ZTest, difference, holm, two_proportion_z
from reviewer.agreement.stratified import stratified_difference
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.dimensions import ALL, OUTPUT, PAIR

PassMeasure = Literal["majority", "unanimity"]
WEIGHTED = "weighted rates"
MEASURES: tuple[PassMeasure, ...] = ("majority", "unanimity")


@dataclass(frozen=True)
class PassRateDifference:
    """The difference in a pass rate between two cells that differ in one dimension: first minus second.

    ``where`` holds the dimensions that they share. ``adjusted`` is p after Holm's correction over all tests
    of one measure. ``weighted`` rates are those of the dataset.
    """

    where: Mapping[str, str]
    measure: PassMeasure
    first: str
    second: str
    rates: tuple[Estimate, Estimate]
    difference: Estimate
    test: ZTest
    adjusted: float | None
    dependent: bool
    weighted: bool = False


def pass_rate_differences(
    results: Sequence[AgreementResult], by: Sequence[str], level: float = 0.95
) -> list[PassRateDifference]:
    """The differences of all two cells that differ only in the last dimension of ``by``, by measure.

    Weighted results of the dataset are compared with each other. Raises RequestError if ``by`` has no
    dimension that can be compared.
    """
    if not by or PAIR in by:
        raise RequestError(
            "differences are computed between the values of the last dimension of --by; "
            "give question, generator, group or dataset there, and leave pair out."
        )
    sample = [result for result in results if result.kind == "cell"]
    parts = [result for result in results if result.kind == "dataset" and ALL not in result.where.values()]
    return [
        pair
        for cells in (sample, parts)
        for measure in MEASURES
        for pair in _of_measure(cells, by, measure, level)
    ]


def _of_measure(
    cells: Sequence[AgreementResult], by: Sequence[str], measure: PassMeasure, level: float
) -> list[PassRateDifference]:
    *shared, last = by
    families: dict[tuple[str, ...], list[AgreementResult]] = {}
    for cell in cells:
        families.setdefault(tuple(cell.where[dimension] for dimension in shared), []).append(cell)
    compared = [
        _comparison(first, second, shared, last, measure, level)
        for family in families.values()
        for first, second in combinations(family, 2)
    ]
    adjusted = holm([pair.test.p for pair in compared])
    return [replace(pair, adjusted=p) for pair, p in zip(compared, adjusted, strict=True)]


def _comparison(
    first: AgreementResult,
    second: AgreementResult,
    shared: Sequence[str],
    last: str,
    measure: PassMeasure,
    level: float,
) -> PassRateDifference:
    rates: tuple[Estimate, Estimate] = (getattr(first, measure), getattr(second, measure))
    where = {dimension: first.where[dimension] for dimension in shared}
    reason = next((rate.reason for rate in rates if rate.reason is not None), None)
    if reason is not None:
        gap, test = Estimate.undefined(reason, rates[0].n + rates[1].n), ZTest(None, None, reason)
    elif first.kind == "dataset":
        gap, test = stratified_difference(*rates), ZTest(None, None, WEIGHTED)
    else:
        gap, test = _of_sample(rates, level)
    return PassRateDifference(
        where,
        measure,
        first.where[last],
        second.where[last],
        rates,
        replace(gap, few=rates[0].few or rates[1].few),
        test,
        None,
        dependent=last in ("question", OUTPUT) or first.items > first.cases or second.items > second.cases,
        weighted=first.kind == "dataset",
    )


def _of_sample(rates: tuple[Estimate, Estimate], level: float) -> tuple[Estimate, ZTest]:
    """The difference of two rates with Newcombe's interval, and its test."""
    first, second = (round((rate.value or 0.0) * rate.n) for rate in rates)
    counts = (first, rates[0].n, second, rates[1].n)
    return difference(*counts, level), two_proportion_z(*counts)
