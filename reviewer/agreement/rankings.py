"""Rankings of n outputs with ties: how far raters agree about each case, as means over the cases.

A ranking is a tuple of groups of tied outputs, the best group first. An output has the mid-rank of its group:
the mean of the places that the group takes.

Kendall's W of a case that m raters ranked: 12 sum_j (R_j - R)^2 / (m^2 (n^3 - n) - m sum_g T_g), where R_j is
the sum of the mid-ranks of output j, R their mean, and T_g the sum of t^3 - t over the groups of t tied
outputs of rater g. Kendall, M. G. and Babington Smith, B. (1939), The problem of m rankings, Annals of
Mathematical Statistics 10, 275-287; with ties Kendall, M. G. (1945), The treatment of ties in ranking
problems, Biometrika 33, 239-251. Raters who rank at random have 1/m on average, not 0.

Kendall's tau-b of two rankings: (C - D) / sqrt((n_0 - n_1) (n_0 - n_2)) over the n_0 pairs of outputs, of
which C are ordered alike, D the other way round, and n_1 and n_2 tied in either ranking (Kendall 1945). The
value of a case is the mean over its pairs of raters. Raters who rank at random have 0 on average.

A case without two rankings has neither, nor one where a rating ties all outputs (tau-b of its pairs) or all
ratings do (W); a mean is over the cases that have a value, and n counts these.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final, cast

import numpy as np

from reviewer.agreement.intervals import with_standard_error
from reviewer.agreement.rating_patterns import MISSING, Floats, Ints, Patterns, ratio
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import ALL_TIED, Estimate
from reviewer.core.ranked_outputs import Ranking

RankingRows = Sequence[Sequence[Ranking | None]]


def ranking_ratings(
    rows: RankingRows, outputs: Sequence[str], raters: Sequence[str] | None = None
) -> Ratings:
    """Ratings from n rows of R rankings (None: missing); the categories are the rankings that occur.

    Raises ValueError for a ranking that does not hold each of the outputs once.
    """
    given = dict.fromkeys(ranking for row in rows for ranking in row if ranking is not None)
    for ranking in given:
        if sorted(output for group in ranking for output in group) != sorted(outputs):
            raise ValueError(f"{ranking!r} does not rank {list(outputs)}")
    return Ratings.from_labels(rows, sorted(given) or [tuple((output,) for output in outputs)], raters)


def mid_ranks(rankings: Sequence[Ranking]) -> Floats:
    """The mid-rank of each output (in the order of the alphabet) in each ranking."""
    return np.array([_mid_ranks(ranking) for ranking in rankings], dtype=np.float64)


def _mid_ranks(ranking: Ranking) -> list[float]:
    ranks, before = dict[str, float](), 0
    for group in ranking:
        ranks |= dict.fromkeys(group, before + (len(group) + 1) / 2)
        before += len(group)
    return [ranks[output] for output in sorted(ranks)]


def _ranks_of(patterns: Patterns) -> Floats:
    """Mid-ranks by category, and a last row of zeros, which the code of a missing rating reaches."""
    ranks = mid_ranks(cast("Sequence[Ranking]", patterns.categories))
    return np.vstack([ranks, np.zeros(ranks.shape[1])])


@lru_cache(maxsize=8)
def concordances(patterns: Patterns) -> Floats:
    """Length P, Kendall's W of each pattern; nan without two ratings, and where all tie everything."""
    ranks = _ranks_of(patterns)
    n, raters = ranks.shape[1], (patterns.codes != MISSING).sum(axis=1)
    sums = ranks[patterns.codes].sum(axis=1)
    spread = ((sums - sums.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    # The sum of squared deviations of mid-ranks is (n^3 - n - T) / 12, so that W is a ratio of two spreads.
    own = ((ranks - ranks.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    values = ratio(spread, raters * own[patterns.codes].sum(axis=1))
    return np.where((raters >= 2) & (n >= 2), values, np.nan)


@lru_cache(maxsize=8)
def correlations(patterns: Patterns) -> Floats:
    """Length P, the mean tau-b over the pairs of ratings of each pattern; nan where no pair has a value."""
    ranks = _ranks_of(patterns)
    first, second = (list(side) for side in zip(*combinations(range(ranks.shape[1]), 2), strict=True))
    signs = np.sign(ranks[:, second] - ranks[:, first])
    ordered = np.abs(signs).sum(axis=1)
    total, pairs = np.zeros(len(patterns.codes)), np.zeros(len(patterns.codes))
    for one, other in combinations(range(patterns.codes.shape[1]), 2):
        left, right = patterns.codes[:, one], patterns.codes[:, other]
        has_value = (ordered[left] > 0) & (ordered[right] > 0)
        alike = (signs[left] * signs[right]).sum(axis=1)
        total += np.where(has_value, ratio(alike, np.sqrt(ordered[left] * ordered[right])), 0)
        pairs += has_value
    return ratio(total, pairs)


@dataclass(frozen=True)
class RankingMean:
    """A mean over cases of a value that each pattern has, nan where it has none."""

    of_each: Callable[[Patterns], Floats]

    def of_patterns(self, patterns: Patterns, level: float) -> Estimate:
        """The mean with Student's interval; n counts the cases that have a value."""
        each = self.of_each(patterns)
        has_value = ~np.isnan(each)
        n = patterns.items(has_value)
        if n == 0:
            return Estimate.undefined(patterns.why_no_pairs() or ALL_TIED, 0)
        weights: Ints = patterns.weights[has_value]
        value = float((each[has_value] * weights).sum() / n)
        return with_standard_error(value, n, each[has_value], weights, level)

    def values(self, patterns: Patterns, weights: Floats) -> Floats:
        """The mean under each row of B × P weights; nan where no case has a value."""
        each = self.of_each(patterns)
        has_value = ~np.isnan(each)
        return ratio(weights[:, has_value] @ each[has_value], weights @ has_value)


KENDALL_W: Final = RankingMean(concordances)
TAU_B: Final = RankingMean(correlations)
