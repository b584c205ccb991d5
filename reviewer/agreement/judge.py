"""A judge beside raters: how far it agrees with each, and how far they agree with each other.

Both are means over pairs: of the share of items with the same label, and of Cohen's kappa. Pairs without a
value are left out, as in Light's kappa. The interval of each mean, and of the difference of both means,
resamples items, so that what the means share is taken into account.
Undefined where a rater has nobody to be compared with ("one rater"), where no item has both labels, and for
kappa where the labels of every pair are of one category.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.bootstrap import bootstrap_all
from reviewer.agreement.chance import pairwise_values
from reviewer.agreement.conger import conger_values
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.rating_patterns import MISSING, Floats, Patterns, ratio
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.weighting import IDENTITY, Weighting
from reviewer.core.estimate import NO_FORMULA, NO_ITEM_WITH_TWO_RATINGS, ONE_CATEGORY, ONE_RATER, Estimate

_ALL = ""
Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class JudgeComparison:
    """One measure of a judge with raters, of these raters with each other, and the first less the second."""

    judge: Estimate
    raters: Estimate
    difference: Estimate


@dataclass(frozen=True, slots=True)
class JudgeAmongRaters:
    """The share of the same labels and Cohen's kappa, for one rater or the mean over all of them."""

    agreement: JudgeComparison
    kappa: JudgeComparison


def judge_among_raters(
    ratings: Ratings,
    judge: str,
    *,
    weighting: Weighting = IDENTITY,
    seed: int,
    resamples: int,
    level: float = DEFAULT_LEVEL,
    cases: Sequence[Hashable] | None = None,
) -> Mapping[str, JudgeAmongRaters]:
    """By rater, and last under "" over all raters; ``judge`` names the judge's column, kappa is weighted.

    Only the items that the judge labelled count, also between raters. Without ``resamples`` (0) there are no
    intervals. ``cases`` are what each item is about, if several are about the same: then these are resampled.
    """
    column = ratings.column_of(judge)
    among = ratings.codes[:, column] != MISSING
    judged = Ratings(ratings.codes[among], ratings.categories, ratings.raters)
    kept = None if cases is None else [cases[place] for place in np.flatnonzero(among).tolist()]
    others = [place for place in range(ratings.n_raters) if place != column]
    compared: list[tuple[str, Pairs, Pairs]] = [
        (ratings.names()[own], ((column, own),), tuple((own, other) for other in others if other != own))
        for own in others
    ]
    compared.append((_ALL, tuple((column, own) for own in others), tuple(combinations(others, 2))))
    tables = _PairTable(None), _PairTable(weighting)
    statistics = [
        _MeanOfPairs(pairs, less, table)
        for _, with_judge, between in compared
        for table in tables
        for pairs, less in ((with_judge, None), (between, None), (with_judge, between))
    ]
    if resamples:
        drawn = bootstrap_all(judged, statistics, seed=seed, resamples=resamples, level=level, cases=kept)
    else:
        drawn = [statistic(judged, level) for statistic in statistics]
    return {
        name: JudgeAmongRaters(_comparison(drawn[at : at + 3]), _comparison(drawn[at + 3 : at + 6]))
        for at, (name, _, _) in zip(range(0, len(drawn), 6), compared, strict=True)
    }


def _comparison(three: Sequence[Estimate]) -> JudgeComparison:
    judge, raters, difference = three
    return JudgeComparison(judge, raters, difference)


class _PairTable:
    """The values of pairs under the weights of one piece of resamples, each computed once.

    ``weighting`` is that of Cohen's kappa; None for the share of items with the same label.
    """

    def __init__(self, weighting: Weighting | None) -> None:
        self._weighting = weighting
        self._weights: Floats | None = None
        self._known: dict[tuple[int, int], Floats] = {}

    def mean(self, pairs: Pairs, patterns: Patterns, weights: Floats) -> Floats:
        """Length B, the mean over the pairs that have a value; nan where none has."""
        if not pairs:
            return np.full(len(weights), np.nan)
        values = np.array([self._of(pair, patterns, weights) for pair in pairs])
        defined = ~np.isnan(values)
        return ratio(np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0).astype(np.float64))

    def _of(self, pair: tuple[int, int], patterns: Patterns, weights: Floats) -> Floats:
        if weights is not self._weights:
            self._weights, self._known = weights, {}
        if pair not in self._known:
            both, fold = patterns.pair(*sorted(pair))
            drawn = weights @ fold
            self._known[pair] = (
                pairwise_values(both, drawn)
                if self._weighting is None
                else conger_values(both, drawn, self._weighting)
            )
        return self._known[pair]


@dataclass(frozen=True, eq=False)
class _MeanOfPairs:
    """The mean of a measure over pairs of columns, or its difference to the mean over other pairs."""

    pairs: Pairs
    less: Pairs | None
    table: _PairTable

    @property
    def by_rater(self) -> bool:
        """It depends on who gave which label."""
        return True

    def __call__(self, ratings: Ratings, level: float) -> Estimate:
        """The value without an interval; n counts the items that some of the pairs share."""
        patterns = ratings.patterns
        value = float(self.values(patterns, patterns.weights[None, :].astype(np.float64))[0])
        n = patterns.items(_shared(patterns, self.pairs))
        if not np.isnan(value):
            return Estimate(value, n, se_reason=NO_FORMULA)
        parts = [pairs for pairs in (self.pairs, self.less) if pairs is not None]
        return Estimate.undefined(next(filter(None, (_why(patterns, p) for p in parts)), ONE_CATEGORY), n)

    def values(self, patterns: Patterns, weights: Floats) -> Floats:
        """Length B; nan where it is undefined."""
        mean = self.table.mean(self.pairs, patterns, weights)
        return mean if self.less is None else mean - self.table.mean(self.less, patterns, weights)


def _shared(patterns: Patterns, pairs: Pairs) -> NDArray[np.bool_]:
    """Length P, whether both raters of some pair rated the item."""
    given = patterns.codes != MISSING
    shared = np.zeros(len(given), dtype=np.bool_)
    for first, second in pairs:
        shared |= given[:, first] & given[:, second]
    return shared


def _why(patterns: Patterns, pairs: Pairs) -> str | None:
    """Why pairs have nothing to be compared on; None if they have something."""
    if not pairs:
        return ONE_RATER
    return None if patterns.items(_shared(patterns, pairs)) else NO_ITEM_WITH_TWO_RATINGS
