"""The alternative annotator test: may a judge stand in for one of the annotators?

Calderon, N., Reichart, R. and Dror, R. (2025), The Alternative Annotator Test for LLM-as-a-Judge. For each
annotator j left out, an item counts for the judge if it agrees with the other annotators at least as well as
j does, and for j if j does at least as well as the judge. That the judge falls short by ε or more is tested
by Student's t over the items, one-sided; the false discovery rate over annotators is held by Benjamini and
Yekutieli (2001, Annals of Statistics 29, 1165-1188). The winning rate is the share of annotators against
whom this is rejected; the judge passes with half of them. Items that are about the same case depend on each
other: then the mean has the linearised error of a ratio over cases, and t one degree of freedom less.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.clustered_ratios import ClusterSums, combination
from reviewer.agreement.judge_labels import Cases
from reviewer.agreement.proportions import ZTest, benjamini_yekutieli
from reviewer.agreement.rating_patterns import MISSING, Floats, Ints
from reviewer.core.estimate import FEW_ITEMS_TO_REPLACE, FEW_RATERS_TO_REPLACE, Estimate

FEWEST_ANNOTATORS: Final = 3
FEWEST_ITEMS: Final = 30
EPSILON: Final = 0.2
"""What a judge may fall short of experts; .15 is proposed for trained raters, and .1 for crowds."""
ERROR_RATE: Final = 0.05
"""The false discovery rate over annotators."""
WINNING: Final = 0.5


@dataclass(frozen=True, slots=True)
class LeftOutAnnotator:
    """The judge against one annotator on ``items`` that have another annotator too.

    ``judge`` and ``annotator`` are the shares of items on which each does at least as well as the other.
    ``adjusted`` is the p value after Benjamini and Yekutieli.
    """

    name: str
    items: int
    judge: Estimate
    annotator: Estimate
    test: ZTest
    adjusted: float | None = None

    @property
    def won(self) -> bool:
        """Whether the judge falls short of this annotator by less than ε."""
        return self.adjusted is not None and self.adjusted <= ERROR_RATE


@dataclass(frozen=True, slots=True)
class ReplacementTest:
    """The test over all annotators; ``winning`` has no value, but a reason, where it cannot be made."""

    winning: Estimate
    annotators: tuple[LeftOutAnnotator, ...]
    epsilon: float

    @property
    def passes(self) -> bool | None:
        """Whether the judge may replace an annotator; None where the test cannot be made."""
        return None if self.winning.value is None else self.winning.value >= WINNING


def replacement_test(
    judge: Ints, annotators: Ints, names: Sequence[str], epsilon: float = EPSILON, cases: Cases = None
) -> ReplacementTest:
    """From the judge's labels (length n) and the annotators' (n × R), as codes; -1 is a missing label.

    Annotators with fewer than 30 items are left out of the test, and stay with a reason. ``cases`` are what
    each item is about (None: each is about something else); then 30 of these are needed.
    """
    compared = [_left_out(judge, annotators, place, name, epsilon, cases) for place, name in enumerate(names)]
    adjusted = benjamini_yekutieli([one.test.p for one in compared])
    tested = tuple(
        LeftOutAnnotator(one.name, one.items, one.judge, one.annotator, one.test, p)
        for one, p in zip(compared, adjusted, strict=True)
    )
    return ReplacementTest(_winning(tested), tested, epsilon)


def _winning(annotators: Sequence[LeftOutAnnotator]) -> Estimate:
    if len(annotators) < FEWEST_ANNOTATORS:
        return Estimate.undefined(FEW_RATERS_TO_REPLACE, len(annotators))
    tested = [one for one in annotators if one.adjusted is not None]
    if len(tested) < FEWEST_ANNOTATORS:
        return Estimate.undefined(FEW_ITEMS_TO_REPLACE, len(tested))
    return Estimate(sum(one.won for one in tested) / len(tested), len(tested))


def _left_out(
    judge: Ints, annotators: Ints, place: int, name: str, epsilon: float, cases: Cases
) -> LeftOutAnnotator:
    own, others = annotators[:, place], np.delete(annotators, place, axis=1)
    among = (judge != MISSING) & (own != MISSING) & (others != MISSING).any(axis=1)
    lead = _agreement(judge[among], others[among]) - _agreement(own[among], others[among])
    items = len(lead)
    kept = None if cases is None else [cases[item] for item in np.flatnonzero(among).tolist()]
    test = _test((lead <= 0).astype(np.float64) - (lead >= 0), epsilon, kept)
    return LeftOutAnnotator(name, items, _share(lead >= 0), _share(lead <= 0), test)


def _agreement(labels: Ints, others: Ints) -> Floats:
    """Length n, with how many of the others' labels each agrees (the denominator is the same for both)."""
    return np.asarray((labels[:, None] == others).sum(axis=1), dtype=np.float64)


def _share(wins: NDArray[np.bool_]) -> Estimate:
    n = len(wins)
    return Estimate(float(wins.mean()), n) if n else Estimate.undefined(FEW_ITEMS_TO_REPLACE, 0)


def _test(shortfalls: Floats, epsilon: float, cases: Cases) -> ZTest:
    """One-sided t test that the mean is ε or more; a small p says that it is less."""
    from scipy.special import stdtr  # scipy costs a tenth of a second to load

    mean = combination([ClusterSums.of_cases(shortfalls, np.ones(len(shortfalls)), cases)], [1.0])
    if mean.value is None or mean.n < FEWEST_ITEMS:
        return ZTest(None, None, FEW_ITEMS_TO_REPLACE)
    gap = mean.value - epsilon
    if not mean.se:
        return ZTest(None, 0.0 if gap < 0 else 1.0)
    t = gap / mean.se
    return ZTest(t, float(stdtr(mean.n - 1, t)))
