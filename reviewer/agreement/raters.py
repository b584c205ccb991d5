"""What single raters do to the agreement, and how far they agree with the others and with themselves."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reviewer.agreement.cohen import cohen_kappa
from reviewer.agreement.intervals import DEFAULT_LEVEL, with_standard_error
from reviewer.agreement.percent_agreement import all_agree_of
from reviewer.agreement.rating_patterns import MISSING, Patterns
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import NO_DATA, NO_ITEM_WITH_TWO_RATINGS, Estimate


def leave_one_rater_out(
    ratings: Ratings, coefficient: Callable[[Ratings, float], Estimate], level: float = DEFAULT_LEVEL
) -> Mapping[str, Estimate]:
    """The coefficient without each rater in turn."""
    return {rater: coefficient(ratings.without(rater), level) for rater in ratings.names()}


def agreement_with_others(ratings: Ratings, level: float = DEFAULT_LEVEL) -> Mapping[str, Estimate]:
    """For each rater the mean, over the items shared with others, of the share of others who agree.

    n counts these items. On complete data the raters' mean is the pairwise agreement.
    """
    names = ratings.names()
    return {rater: _with_others(ratings.patterns, column, level) for column, rater in enumerate(names)}


def _with_others(patterns: Patterns, column: int, level: float) -> Estimate:
    own = patterns.codes[:, column]
    shared = (own != MISSING) & patterns.pairable
    n = patterns.items(shared)
    if n == 0:
        rated = patterns.items(own != MISSING)
        return Estimate.undefined(NO_ITEM_WITH_TWO_RATINGS if rated else NO_DATA, 0)
    counts, codes, weights = patterns.counts[shared], own[shared], patterns.weights[shared]
    agreeing = counts[np.arange(len(codes)), codes] - 1
    terms = agreeing / (patterns.per_item[shared] - 1)
    return with_standard_error(float(weights @ terms / n), n, terms, weights, level)


@dataclass(frozen=True, slots=True)
class IntraRater:
    """A rater against themselves: the share of repeated cases with the same label, and Cohen's kappa."""

    agreement: Estimate
    kappa: Estimate


def intra_rater(
    first: Sequence[Hashable | None],
    second: Sequence[Hashable | None],
    categories: Sequence[Hashable],
    level: float = DEFAULT_LEVEL,
) -> IntraRater:
    """One rater's labels at the first and the second showing of the same cases, in the same order.

    A case that misses either label is left out; without any other case both are undefined.
    """
    showings = ("first", "second")
    ratings = Ratings.from_labels(list(zip(first, second, strict=True)), categories, showings)
    return IntraRater(all_agree_of(ratings.patterns, level), cohen_kappa(ratings, *showings, level))
