"""Distances between labels for Krippendorff's alpha, each under the name of its metric.

Nominal: 1 between different labels. Interval: (k - l)^2 between the labels' positions in their declared
order, whatever numbers the labels are. Ordinal: (n_k / 2 + n_k+1 + … + n_l-1 + n_l / 2)^2, where n_k counts
the paired ratings of a label: labels lie the further apart the more often those between them are used.
Krippendorff, K. (2011), Computing Krippendorff's alpha-reliability.
For answers that are sets of labels: Jaccard, 1 - |A ∩ B| / |A ∪ B|, and MASI, 1 - m |A ∩ B| / |A ∪ B| with m
1 for equal sets, 2/3 where one contains the other, 1/3 where they overlap, and 0 otherwise. Passonneau, R.
(2006), Measuring agreement on set-valued items (MASI) for semantic and pragmatic annotation, LREC. Two empty
sets are equal; an empty set and another one have nothing in common.
"""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

import numpy as np

from reviewer.agreement.rating_patterns import Floats, Patterns

Categories = Sequence[Hashable]


@dataclass(frozen=True, slots=True)
class Metric:
    """How far labels lie apart, under its key and the words that name it.

    ``disagreement`` gives, under each row of B × P weights, the observed sum over the items of
    sum_kl r_ik r_il d_kl / (r_i - 1), and the expected sum_kl n_k n_l d_kl, both in the same unit. It gets
    the counts of the items with two ratings (P × q) and their totals (B × q).
    """

    key: str
    title: str
    disagreement: Callable[[Patterns, Floats, Floats, Floats], tuple[Floats, Floats]]


def _fixed(
    distances: Callable[[Categories], Floats],
    patterns: Patterns,
    weights: Floats,
    counts: Floats,
    totals: Floats,
) -> tuple[Floats, Floats]:
    """Both sums for distances that depend on the declared categories alone."""
    between = distances(patterns.categories)
    apart = (counts * (counts @ between)).sum(axis=1) / _others(patterns)
    return weights @ apart, (totals * (totals @ between)).sum(axis=1)


def _ranked(patterns: Patterns, weights: Floats, counts: Floats, totals: Floats) -> tuple[Floats, Floats]:
    """Both sums for the ordinal metric, which is the interval metric of mid-ranks.

    Mid-ranks are doubled and centred: whole numbers, and 0 where one category was used.
    """
    labels = totals.sum(axis=1, keepdims=True)
    ranks = 2 * totals.cumsum(axis=1) - totals - labels
    # B × P, hence in place: for each item r_i sum_k r_ik x_k^2 - (sum_k r_ik x_k)^2, whole numbers too.
    apart = ranks**2 @ (counts * patterns.per_item[:, None]).T
    apart -= np.square(ranks @ counts.T)
    apart *= weights
    observed = apart @ (1 / _others(patterns))
    return observed, labels[:, 0] * (totals * ranks**2).sum(axis=1)


def _others(patterns: Patterns) -> Floats:
    return np.maximum(patterns.per_item - 1, 1).astype(np.float64)


def _nominal(categories: Categories) -> Floats:
    return np.asarray(1 - np.eye(len(categories)))


def _interval(categories: Categories) -> Floats:
    places = np.arange(len(categories), dtype=np.float64)
    return np.asarray((places[:, None] - places) ** 2)


def _jaccard(categories: Categories) -> Floats:
    shared, either, _ = _overlaps(categories)
    return np.asarray(1 - shared / np.maximum(either, 1)) * (either > 0)


def _masi(categories: Categories) -> Floats:
    shared, either, sizes = _overlaps(categories)
    contained = shared == np.minimum(sizes[:, None], sizes)
    share = np.select([shared == either, contained, shared > 0], [1, 2 / 3, 1 / 3], 0)
    return np.asarray(1 - share * shared / np.maximum(either, 1)) * (either > 0)


def _overlaps(categories: Categories) -> tuple[Floats, Floats, Floats]:
    """How many labels each two sets share and have together (q × q), and how many each has (q)."""
    sets = [frozenset(cast(Collection[Hashable], category)) for category in categories]
    labels = list(frozenset().union(*sets))
    has = np.array([[label in one for label in labels] for one in sets], dtype=np.float64)
    has = has.reshape(len(sets), len(labels))
    shared, sizes = has @ has.T, has.sum(axis=1)
    return shared, sizes[:, None] + sizes - shared, sizes


NOMINAL: Final = Metric("nominal", "nominal metric", partial(_fixed, _nominal))
INTERVAL: Final = Metric("interval", "interval metric", partial(_fixed, _interval))
ORDINAL: Final = Metric("ordinal", "ordinal metric", _ranked)
JACCARD: Final = Metric("jaccard", "Jaccard distance of sets", partial(_fixed, _jaccard))
MASI: Final = Metric("masi", "MASI distance of sets", partial(_fixed, _masi))
