"""How the labels are spread: what a low kappa beside a high agreement hides."""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import proportion
from reviewer.agreement.rating_patterns import MISSING, Floats, Ints, Patterns, ratio
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import NO_DATA, Estimate


def label_counts(ratings: Ratings) -> Mapping[Hashable, int]:
    """How many ratings each declared category got, over all items and raters."""
    totals = _totals(ratings.patterns)
    return dict(zip(ratings.categories, totals, strict=True))


@dataclass(frozen=True, slots=True)
class LabelShare:
    """The share of all ratings that are one of ``labels``, as a statistic that can be resampled."""

    labels: tuple[Hashable, ...]

    @property
    def by_rater(self) -> bool:
        """Ratings are counted without regard to who gave them."""
        return False

    def __call__(self, ratings: Ratings, level: float = DEFAULT_LEVEL) -> Estimate:
        """The share; n counts ratings.

        There is no interval: ratings of one item depend on each other, so n overstates what is known.
        """
        patterns = ratings.patterns
        n = sum(_totals(patterns))
        if n == 0:
            return Estimate.undefined(NO_DATA, 0)
        return Estimate(int(patterns.weights @ self._chosen(patterns)) / n, n)

    def values(self, patterns: Patterns, weights: Floats) -> Floats:
        """The share under each row of B × P weights; nan without a rating."""
        return ratio(weights @ self._chosen(patterns), weights @ patterns.per_item)

    def _chosen(self, patterns: Patterns) -> Ints:
        """Length P, how many ratings of an item are one of the labels."""
        codes = [patterns.code_of(label) for label in self.labels]
        return np.asarray(patterns.counts[:, codes].sum(axis=1))


def rater_label_shares(
    ratings: Ratings, labels: Collection[Hashable], level: float = DEFAULT_LEVEL
) -> Mapping[str, Estimate]:
    """For each rater the share of ``labels`` among the items that they rated, with Wilson's interval."""
    patterns = ratings.patterns
    codes = [patterns.code_of(label) for label in labels]
    return {
        rater: proportion(patterns.items(np.isin(column, codes)), patterns.items(column != MISSING), level)
        for rater, column in zip(ratings.names(), patterns.codes.T, strict=True)
    }


def only_lone_dissents(ratings: Ratings, label: Hashable) -> bool:
    """Whether no item has more than one rating other than ``label``, and at least one item has it.

    Then, on complete data, Fleiss' kappa is -(1 - p) / p with p the share of ``label``: slightly negative,
    however high the agreement.
    """
    patterns = ratings.patterns
    dissents = patterns.per_item - patterns.counts[:, patterns.code_of(label)]
    return bool(np.all(dissents <= 1) and np.any(dissents == 1))


def equally_rated(ratings: Ratings) -> bool:
    """Whether all rated items have equally many ratings."""
    patterns = ratings.patterns
    return len(set(patterns.per_item[patterns.rated].tolist())) == 1


def _totals(patterns: Patterns) -> list[int]:
    return [int(total) for total in patterns.weights @ patterns.counts]
