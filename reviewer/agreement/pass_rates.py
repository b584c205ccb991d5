"""How many items the raters pass, by majority and by unanimity, with Wilson's interval.

An item passes by majority if strictly more than half of its ratings are one and the same label, and that is
one of those that count as a pass. Unanimity asks besides that all of its ratings count as a pass. Items
without a majority label are undecided: they do not pass, and are counted. Items without a rating are left
out. Both are defined for a single rater; without a rated item there is "no data".
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import proportion
from reviewer.agreement.rating_patterns import Floats, Patterns, ratio
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import Estimate


@dataclass(frozen=True, slots=True)
class PassRate:
    """A pass rate over ``estimate.n`` rated items: how many passed, and how many have no majority label."""

    estimate: Estimate
    passed: int
    undecided: int


@dataclass(frozen=True, slots=True)
class PassRule:
    """A pass rate as a statistic that can be resampled: ``passing`` labels by majority, or by all raters."""

    passing: tuple[Hashable, ...]
    unanimous: bool = False

    @property
    def by_rater(self) -> bool:
        """Votes are counted without regard to who gave them."""
        return False

    def __call__(self, ratings: Ratings, level: float = DEFAULT_LEVEL) -> Estimate:
        """The share of rated items that pass, with Wilson's interval."""
        return self.rate(ratings, level).estimate

    def rate(self, ratings: Ratings, level: float = DEFAULT_LEVEL) -> PassRate:
        """The pass rate with its counts; raises ValueError where a passing label is not declared."""
        patterns = ratings.patterns
        passed = patterns.items(self._passes(patterns))
        undecided = patterns.rated & ~_has_majority(patterns, range(patterns.q))
        estimate = proportion(passed, patterns.items(patterns.rated), level)
        return PassRate(estimate, passed, patterns.items(undecided))

    def of_items(self, ratings: Ratings) -> NDArray[np.int64]:
        """n × 2: for each item whether it passes, and whether it is rated; as 1 and 0."""
        passes = np.stack([self._passes(ratings.patterns), ratings.patterns.rated], axis=1)
        return ratings.of_items(passes.astype(np.int64))

    def values(self, patterns: Patterns, weights: Floats) -> Floats:
        """The pass rate under each row of B × P weights; nan without a rated item."""
        return ratio(weights @ self._passes(patterns), weights @ patterns.rated)

    def _passes(self, patterns: Patterns) -> NDArray[np.bool_]:
        codes = [patterns.code_of(label) for label in self.passing]
        passed = _has_majority(patterns, codes)
        if self.unanimous:
            passed &= patterns.counts[:, codes].sum(axis=1) == patterns.per_item
        return passed


def _has_majority(patterns: Patterns, codes: Sequence[int]) -> NDArray[np.bool_]:
    """Length P, whether one of these categories has more than half of the ratings."""
    return np.asarray((2 * patterns.counts[:, codes] > patterns.per_item[:, None]).any(axis=1))
