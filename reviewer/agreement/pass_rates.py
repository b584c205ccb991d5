"""How many items the raters pass, by majority and by unanimity, with Wilson's interval.

Items without a rating are left out. Majority is strictly more than half of the ratings on the item, so that a
tie fails; ties are counted. Both are defined for a single rater; without a rated item there is "no data".
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.patterns import Ints, Patterns
from reviewer.agreement.proportions import proportion
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import Estimate


@dataclass(frozen=True, slots=True)
class PassRate:
    """A pass rate over ``estimate.n`` rated items: how many passed, and how many stood at exactly half."""

    estimate: Estimate
    passed: int
    ties: int


def majority_pass_rate(ratings: Ratings, passing: Hashable, level: float = DEFAULT_LEVEL) -> PassRate:
    """Share of items that more than half of their raters label ``passing`` (a declared category)."""
    patterns, votes = ratings.patterns, _votes(ratings, passing)
    return _pass_rate(patterns, 2 * votes > patterns.per_item, _ties(patterns, votes), level)


def unanimity_pass_rate(ratings: Ratings, passing: Hashable, level: float = DEFAULT_LEVEL) -> PassRate:
    """Share of items that all of their raters label ``passing``; the ties are those of the majority."""
    patterns, votes = ratings.patterns, _votes(ratings, passing)
    return _pass_rate(patterns, votes == patterns.per_item, _ties(patterns, votes), level)


def _votes(ratings: Ratings, passing: Hashable) -> Ints:
    return ratings.patterns.counts[:, ratings.code_of(passing)]


def _ties(patterns: Patterns, votes: Ints) -> int:
    return patterns.items(patterns.rated & (2 * votes == patterns.per_item))


def _pass_rate(patterns: Patterns, passes: NDArray[np.bool_], ties: int, level: float) -> PassRate:
    passed = patterns.items(patterns.rated & passes)
    return PassRate(proportion(passed, patterns.items(patterns.rated), level), passed, ties)
