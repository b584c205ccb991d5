"""A judge's labels, or its several votes, against experts' on the same items, one label against the rest.

Sensitivity is the share of items with the experts' label that the judge gives it too; specificity the share
of the other items that the judge gives another label. The bias is the judge's share of the label minus the
experts'; its interval is Agresti and Min's (2005, Statistics in Medicine 24, 729-740): half an item is added
to each of the four cells. Its test is McNemar's (1947, Psychometrika 12, 153-157), exact.

Items of one case depend on each other. Then shares divide n by the design effect, the variance of the bias
is multiplied by it, and the test is Durkalski's (see ``clustered_ratios``).
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.clustered_ratios import (
    Bools,
    ClusterSums,
    clustered_mcnemar,
    combination,
    design_effect,
)
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import ZTest, normal_quantile, proportion, sign_test
from reviewer.agreement.rating_patterns import Ints
from reviewer.agreement.stratified import StratumCounts, stratified_share_of_items
from reviewer.core.estimate import NO_DATA, NO_SUCH_ITEM, Estimate, Interval

AGRESTI_MIN: Final = "Agresti-Min"
_ENDLESS: Final = 10**12
"""The cases of a population that is so large that drawing from it does not use it up."""

Cases = Sequence[Hashable] | None
"""The case of each item; None if each item is a case of its own."""


@dataclass(frozen=True, slots=True)
class CrossTable:
    """How many items have the label from the judge and from the experts."""

    both: int
    judge_only: int
    experts_only: int
    neither: int

    @property
    def items(self) -> int:
        """How many items are compared."""
        return self.both + self.judge_only + self.experts_only + self.neither


@dataclass(frozen=True, slots=True)
class JudgeOnLabel:
    """What a judge does with one label."""

    table: CrossTable
    sensitivity: Estimate
    specificity: Estimate
    bias: Estimate
    test: ZTest


def judge_on_label(
    judge: Bools, experts: Bools, cases: Cases = None, level: float = DEFAULT_LEVEL
) -> JudgeOnLabel:
    """Compare two columns that say of each item whether it has the label."""
    if cases is not None and len(set(cases)) == len(cases):
        cases = None
    table = CrossTable(
        int((judge & experts).sum()),
        int((judge & ~experts).sum()),
        int((~judge & experts).sum()),
        int((~judge & ~experts).sum()),
    )
    return JudgeOnLabel(
        table,
        _among_such(judge, experts, cases, level),
        _among_such(~judge, ~experts, cases, level),
        _bias(table, judge, experts, cases, level),
        _test(table, judge, experts, cases),
    )


def _among_such(hits: Bools, such: Bools, cases: Cases, level: float) -> Estimate:
    return share_among(hits, such, cases, level) if such.any() else Estimate.undefined(NO_SUCH_ITEM, 0)


def share_among(hits: Bools, among: Bools, cases: Cases = None, level: float = DEFAULT_LEVEL) -> Estimate:
    """The share of hits among some items; Wilson's interval, with n by the design effect of cases."""
    n, passed = int(among.sum()), int((hits & among).sum())
    if cases is None or not n:
        return proportion(passed, n, level)
    held: dict[Hashable, tuple[int, int]] = {}
    for place in np.flatnonzero(among).tolist():
        hit, items = held.get(cases[place], (0, 0))
        held[cases[place]] = hit + int(hits[place]), items + 1
    if len(held) == n:
        return proportion(passed, n, level)
    stratum = StratumCounts(_ENDLESS, len(held), len(held), len(held))
    return stratified_share_of_items([stratum], [list(held.values())], level)


def _bias(table: CrossTable, judge: Bools, experts: Bools, cases: Cases, level: float) -> Estimate:
    n = table.items
    if not n:
        return Estimate.undefined(NO_DATA, 0)
    more, less, larger = table.judge_only + 0.5, table.experts_only + 0.5, n + 2
    middle = (more - less) / larger
    variance = ((more + less) - (more - less) ** 2 / larger) / larger**2
    se = math.sqrt(variance * _effect(_differences(judge, experts), cases))
    reach = normal_quantile(level) * se
    interval = Interval(max(-1.0, middle - reach), min(1.0, middle + reach), level, AGRESTI_MIN)
    return Estimate((table.judge_only - table.experts_only) / n, n, interval=interval, se=se)


def _effect(differences: NDArray[np.float64], cases: Cases) -> float:
    """The design effect of cases with several items, at least 1."""
    if cases is None:
        return 1.0
    sums = ClusterSums.of_cases(differences, np.ones(len(differences)), cases)
    alone = ClusterSums.of_cases(differences, np.ones(len(differences)))
    return max(1.0, design_effect(combination([sums], [1.0]).se, alone) or 1.0)


def _test(table: CrossTable, judge: Bools, experts: Bools, cases: Cases) -> ZTest:
    if cases is None:
        return sign_test(table.judge_only, table.experts_only)
    differences = _differences(judge, experts)
    return clustered_mcnemar(ClusterSums.of_cases(differences, np.ones(len(differences)), cases).sums)


def _differences(judge: Bools, experts: Bools) -> NDArray[np.float64]:
    return judge.astype(np.float64) - experts


@dataclass(frozen=True, slots=True)
class VotesConfirmed:
    """Of the items on which a judge gave a label with ``votes`` of its ``repeats``, the share confirmed."""

    votes: int
    repeats: int
    confirmed: Estimate


def confirmed_by_votes(
    votes: Ints, repeats: Ints, confirmed: Bools, cases: Cases = None, level: float = DEFAULT_LEVEL
) -> list[VotesConfirmed]:
    """By number of repeats and votes, from 0 to all; three arrays with a value for each item.

    ``confirmed`` says whether the experts gave the label. Numbers of votes that no item has are undefined.
    """
    return [
        VotesConfirmed(number, of, share_among(confirmed, (votes == number) & (repeats == of), cases, level))
        for of in _present(repeats)
        for number in range(of + 1)
    ]


def _present(repeats: Ints) -> Sequence[int]:
    return [int(of) for of in np.unique(repeats) if of > 0]
