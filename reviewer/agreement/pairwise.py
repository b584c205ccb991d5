"""pa, the mean pairwise agreement.

pa = mean over the items with r_i >= 2 of sum_k r_ik (r*_ik - 1) / (r_i (r_i - 1)), where r*_ik is
sum_l w_kl r_il: r_ik itself with identity weights. Fleiss, J. L. (1971), Psychological Bulletin 76, 378-382.
The pooled variant divides the sums instead, so that items with more ratings weigh more.
Undefined without an item that has two ratings; with one category it is 1.
"""

from dataclasses import replace

import numpy as np

from reviewer.agreement.chance import corrected_estimate, pairwise_values
from reviewer.agreement.intervals import with_standard_error
from reviewer.agreement.rating_patterns import Floats, Patterns, ratio
from reviewer.agreement.weighting import IDENTITY, Weighting
from reviewer.core.estimate import Estimate


def pairwise_of(patterns: Patterns, level: float, weighting: Weighting = IDENTITY) -> Estimate:
    """Mean pairwise agreement of the patterns: a corrected coefficient whose chance agreement is 0."""
    n = patterns.items(patterns.pairable)
    reason = patterns.why_no_pairs()
    if reason:
        return Estimate.undefined(reason, n)
    weights = patterns.weights[None, :].astype(np.float64)
    observed = float(pairwise_values(patterns, weights, weighting)[0])
    none_expected = np.zeros(len(patterns.weights))
    corrected = corrected_estimate(patterns, observed, 0.0, none_expected, level, weighting)
    return replace(corrected, n=n, expected=None)


def pairs_pooled_of(patterns: Patterns, level: float) -> Estimate:
    """Pooled pairwise agreement of the patterns, with the delta method's standard error of a ratio."""
    paired = patterns.pairable
    n = patterns.items(paired)
    reason = patterns.why_no_pairs()
    if reason:
        return Estimate.undefined(reason, n)
    weights = patterns.weights
    value = float(pairs_pooled_values(patterns, weights[None, :].astype(np.float64))[0])
    pairs = _pairs(patterns)
    terms = value + pairs * (patterns.agreeing - value) / ((weights @ pairs) / n)
    return with_standard_error(value, n, terms[paired], weights[paired], level)


def pairs_pooled_values(patterns: Patterns, weights: Floats) -> Floats:
    """Pooled pairwise agreement under each row of B × P weights; nan without a pair."""
    pairs = _pairs(patterns)
    return ratio(weights @ (pairs * patterns.agreeing), weights @ pairs)


def _pairs(patterns: Patterns) -> Floats:
    return (patterns.per_item * (patterns.per_item - 1) / 2).astype(np.float64)
