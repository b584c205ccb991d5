"""How many items the raters pass, by majority and by unanimity, with Wilson's interval.

One label or several count as a pass; unanimity asks that all ratings on the item do, not that they are equal.
Items without a rating are left out. Majority is strictly more than half of the ratings on the item, so that a
tie fails; ties are counted. Both are defined for a single rater; without a rated item there is "no data".
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.patterns import Floats, Ints, Patterns, ratio
from reviewer.agreement.proportions import proportion
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import Estimate


@dataclass(frozen=True, slots=True)
class PassRate:
    """A pass rate over ``estimate.n`` rated items: how many passed, and how many were passed by exactly "
    "half."""

    estimate: Estimate
    passed: int
    ties: int


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
        tied = patterns.rated & (2 * self._votes(patterns) == patterns.per_item)
        estimate = proportion(passed, patterns.items(patterns.rated), level)
        return PassRate(estimate, passed, patterns.items(tied))

    def values(self, patterns: Patterns, weights: Floats) -> Floats:
        """The pass rate under each row of B × P weights; nan without a rated item."""
        return ratio(weights @ self._passes(patterns), weights @ patterns.rated)

    def _passes(self, patterns: Patterns) -> NDArray[np.bool_]:
        votes = self._votes(patterns)
        enough = votes == patterns.per_item if self.unanimous else 2 * votes > patterns.per_item
        return np.asarray(patterns.rated & enough)

    def _votes(self, patterns: Patterns) -> Ints:
        codes = [patterns.code_of(label) for label in self.passing]
        return np.asarray(patterns.counts[:, codes].sum(axis=1))


def majority_pass_rate(
    ratings: Ratings, passing: tuple[Hashable, ...], level: float = DEFAULT_LEVEL
) -> PassRate:
    """Share of items that more than half of their raters label with ``passing`` (declared categories)."""
    return PassRule(passing).rate(ratings, level)


def unanimity_pass_rate(
    ratings: Ratings, passing: tuple[Hashable, ...], level: float = DEFAULT_LEVEL
) -> PassRate:
    """Share of items that all of their raters label with ``passing``; the ties are those of the majority."""
    return PassRule(passing, unanimous=True).rate(ratings, level)
