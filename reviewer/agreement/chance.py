"""What the coefficients of the form (pa - pe) / (1 - pe) have in common.

Source of the form and of the standard error: Gwet, K. L. (2008), British Journal of Mathematical and
Statistical Psychology 61, 29-48, and Handbook of Inter-Rater Reliability (4th ed., 2014).
"""

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.intervals import with_standard_error
from reviewer.agreement.rating_patterns import Floats, Patterns, ratio
from reviewer.agreement.weighting import IDENTITY, Weighting
from reviewer.core.estimate import Estimate


def agreeing_shares(patterns: Patterns, weighting: Weighting) -> Floats:
    """Length P, pa_i = sum_k r_ik (r*_ik - 1) / (r_i (r_i - 1)), and 0 for an item without a pair.

    r*_ik = sum_l w_kl r_il counts the ratings that agree with category k, each by its weight.
    """
    if weighting == IDENTITY:
        return patterns.agreeing
    counts = patterns.counts.astype(np.float64)
    alike = (counts * (weighting.applied(counts) - 1)).sum(axis=1)
    return np.asarray(alike / np.maximum(patterns.per_item * (patterns.per_item - 1), 1))


def pairwise_values(patterns: Patterns, weights: Floats, weighting: Weighting = IDENTITY) -> Floats:
    """Mean pairwise agreement pa under each row of B × P weights; nan without a pair."""
    return ratio(weights @ agreeing_shares(patterns, weighting), weights @ patterns.pairable)


def mean_shares(patterns: Patterns, weights: Floats) -> Floats:
    """B × q, pi_k: the mean over rated items of r_ik / r_i; nan without a rating."""
    return ratio(weights @ patterns.shares, (weights @ patterns.rated)[:, None])


def one_category(patterns: Patterns, weights: Floats) -> NDArray[np.bool_]:
    """Length B, whether one category alone was used; counts stay whole numbers in these floats."""
    return np.asarray(np.count_nonzero(weights @ patterns.counts, axis=1) < 2)


def corrected_estimate(
    patterns: Patterns,
    observed: float,
    expected: float,
    item_expected: Floats,
    level: float,
    weighting: Weighting,
) -> Estimate:
    """(pa - pe) / (1 - pe) with Gwet's standard error, from pe_i of each pattern; n counts rated items.

    c_i = (n/n') (pa_i - pe [r_i >= 2]) / (1 - pe) - 2 (1 - c) (pe_i - pe) / (1 - pe), where n' counts the
    items with two ratings.
    """
    rated = patterns.rated
    n = patterns.items(rated)
    value = (observed - expected) / (1 - expected)
    raised = n / patterns.items(patterns.pairable)
    gain = raised * (agreeing_shares(patterns, weighting) - expected * patterns.pairable)
    terms = (gain - 2 * (1 - value) * (item_expected - expected)) / (1 - expected)
    return with_standard_error(value, n, terms[rated], patterns.weights[rated], level, expected=expected)
