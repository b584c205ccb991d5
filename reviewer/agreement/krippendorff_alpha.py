"""Krippendorff's alpha, for nominal labels or with another metric between labels.

alpha = 1 - (N - 1) sum_i (r_i^2 - sum_k r_ik^2) / (r_i - 1) / (N^2 - sum_k n_k^2) over the items with
r_i >= 2, N = sum r_i and n_k = sum_i r_ik. With distances d_kl the differences of squares become
sum_kl r_ik r_il d_kl and sum_kl n_k n_l d_kl. Krippendorff, K. (2011), Computing Krippendorff's
alpha-reliability; Hayes, A. F. and Krippendorff, K. (2007), Communication Methods and Measures 1, 77-89; the
standard error is Gwet's (2014), for the nominal metric; with the others there is only the bootstrap.
The nominal point value comes from the ``krippendorff`` package (GPL-3.0-or-later); resamples, imagined
studies and tables too large for the package's n × q × q arrays use the formula above, which gives the same
number, and so does every other metric.
Undefined where nothing can be paired and where the items with two ratings use one category.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from reviewer.agreement.intervals import DEFAULT_LEVEL, with_standard_error
from reviewer.agreement.metrics import NOMINAL, Metric
from reviewer.agreement.rating_patterns import Floats, Patterns, ratio
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import NO_FORMULA, ONE_CATEGORY, Estimate

# 4 million cells are 32 MB in each of the package's several arrays; beyond, page faults cost more than alpha.
_PACKAGE_CELLS: Final = 4_000_000


def krippendorff_alpha(ratings: Ratings, level: float = DEFAULT_LEVEL) -> Estimate:
    """Nominal alpha with Gwet's standard error and interval; n counts the items with two ratings.

    ``expected`` is the chance agreement sum_k n_k (n_k - 1) / (N (N - 1)) of the nominal metric.
    """
    by_formula = alpha_of(ratings.patterns, level)
    if by_formula.value is None:
        return by_formula
    if ratings.n_items * ratings.patterns.q**2 > _PACKAGE_CELLS:
        return by_formula
    # The package raises on one category, refuses boolean labels and takes them for interval data by default:
    # it gets counts, after the undefined cases are out, and is told that labels are nominal.
    import krippendorff

    value = krippendorff.alpha(value_counts=ratings.counts, level_of_measurement="nominal")
    return replace(by_formula, value=float(value))


def alpha_of(patterns: Patterns, level: float, metric: Metric = NOMINAL) -> Estimate:
    """Alpha of the patterns by the formula on counts."""
    paired = patterns.pairable
    n = patterns.items(paired)
    reason = patterns.why_no_pairs() or (ONE_CATEGORY if patterns.categories_used(paired) < 2 else None)
    if reason:
        return Estimate.undefined(reason, n)
    weights = patterns.weights
    value = float(alpha_values(patterns, weights[None, :].astype(np.float64), metric)[0])
    if metric != NOMINAL:
        return Estimate(value, n, se_reason=NO_FORMULA)
    totals = (weights[paired] @ patterns.counts[paired]).astype(np.float64)
    labels = totals.sum()
    expected = float((totals * (totals - 1)).sum() / (labels * (labels - 1)))
    centre, terms = _terms(patterns, totals / labels)
    return with_standard_error(
        value,
        n,
        terms,
        weights[paired],
        level,
        expected=expected,
        centre=centre,
        df=patterns.items(patterns.rated) - 1,
    )


def alpha_values(patterns: Patterns, weights: Floats, metric: Metric = NOMINAL) -> Floats:
    """Alpha under each row of B × P weights; nan where it is undefined."""
    counts = (patterns.counts * patterns.pairable[:, None]).astype(np.float64)
    totals = weights @ counts
    observed, expected = metric.disagreement(patterns, weights, counts, totals)
    # The expected sum is 0 exactly when one category was used, or none.
    return 1 - ratio((totals.sum(axis=1) - 1) * observed, expected)


def _terms(patterns: Patterns, shares: Floats) -> tuple[float, Floats]:
    """Gwet's a' = (p' - pe) / (1 - pe) and x_i of the pairable patterns, from the pooled shares.

    s_i = sum_k r_ik (r_ik - 1) / (rbar (r_i - 1)), p' its mean, w_i = (r_i - rbar) / rbar,
    x_i = (s_i - p' w_i - pe) / (1 - pe) - 2 (1 - a') (sum_k pi_k r_ik / rbar - pe w_i - pe) / (1 - pe).
    """
    paired = patterns.pairable
    weights, counts, per_item = patterns.weights[paired], patterns.counts[paired], patterns.per_item[paired]
    n = weights.sum()
    mean_ratings = (weights @ per_item) / n
    expected = float((shares**2).sum())
    same = patterns.agreeing[paired] * per_item / mean_ratings
    observed = float(weights @ same / n)
    centre = (observed - expected) / (1 - expected)
    excess = (per_item - mean_ratings) / mean_ratings
    chance = counts @ shares / mean_ratings - expected * excess - expected
    terms = (same - observed * excess - expected - 2 * (1 - centre) * chance) / (1 - expected)
    return centre, np.asarray(terms)
