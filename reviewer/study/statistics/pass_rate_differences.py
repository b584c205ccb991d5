"""Differences between pass rates: Newcombe's interval, a two-proportion z test, Holm's correction.

Both the interval and the test take the two samples as independent. Generators and groups are; questions about
the same cases are not, nor are the items of one case: ``dependent`` says where that is so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from reviewer.agreement import ZTest, difference, holm, two_proportion_z
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.study.statistics.agreement_results import AgreementResult
from reviewer.study.statistics.dimensions import PAIR

Measure = Literal["majority", "unanimity"]
MEASURES: tuple[Measure, ...] = ("majority", "unanimity")


@dataclass(frozen=True)
class PassRateDifference:
    """One pass rate of two cells that differ in one dimension alone: the first minus the second.

    ``where`` holds the dimensions that they share; ``adjusted`` is p by Holm over the tests of one measure.
    """

    where: Mapping[str, str]
    measure: Measure
    first: str
    second: str
    rates: tuple[Estimate, Estimate]
    difference: Estimate
    test: ZTest
    adjusted: float | None
    dependent: bool


def pass_rate_differences(
    results: Sequence[AgreementResult], by: Sequence[str], level: float = 0.95
) -> list[PassRateDifference]:
    """Every two cells that differ in the last dimension of ``by`` alone, one measure after the other.

    Raises RequestError where there is nothing that can be compared.
    """
    if not by or PAIR in by:
        raise RequestError(
            "differences are between the values of the last dimension of --by; name question, generator, "
            "group or dataset there, and no pair."
        )
    cells = [result for result in results if result.kind == "cell"]
    return [found for measure in MEASURES for found in _of_measure(cells, by, measure, level)]


def _of_measure(
    cells: Sequence[AgreementResult], by: Sequence[str], measure: Measure, level: float
) -> list[PassRateDifference]:
    *shared, last = by
    families: dict[tuple[str, ...], list[AgreementResult]] = {}
    for cell in cells:
        families.setdefault(tuple(cell.where[dimension] for dimension in shared), []).append(cell)
    found = [
        _comparison(first, second, shared, last, measure, level)
        for family in families.values()
        for first, second in combinations(family, 2)
    ]
    adjusted = holm([each.test.p for each in found])
    return [replace(each, adjusted=p) for each, p in zip(found, adjusted, strict=True)]


def _comparison(
    first: AgreementResult,
    second: AgreementResult,
    shared: Sequence[str],
    last: str,
    measure: Measure,
    level: float,
) -> PassRateDifference:
    rates = (getattr(first, measure), getattr(second, measure))
    where = {dimension: first.where[dimension] for dimension in shared}
    dependent = last == "question" or first.items > first.cases or second.items > second.cases
    names = (first.where[last], second.where[last])
    reason = next((rate.reason for rate in rates if rate.reason is not None), None)
    if reason is not None:
        nothing = Estimate.undefined(reason, rates[0].n + rates[1].n)
        return PassRateDifference(
            where, measure, *names, rates, nothing, ZTest(None, None, reason), None, dependent=dependent
        )
    passed = [round((rate.value or 0.0) * rate.n) for rate in rates]
    counts = (passed[0], rates[0].n, passed[1], rates[1].n)
    return PassRateDifference(
        where,
        measure,
        *names,
        rates,
        difference(*counts, level),
        two_proportion_z(*counts),
        None,
        dependent=dependent,
    )
