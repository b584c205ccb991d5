"""Conger's kappa, which lets every rater have shares of their own; with two raters Cohen's.

kappa = (pa - pe) / (1 - pe) with pe = mean over rater pairs g < h of sum_kl w_kl p_gk p_hl, where p_gk is the
share of category k among the items that rater g rated; with identity weights sum_k p_gk p_hk. Conger, A. J.
(1980), Psychological Bulletin 88, 322-328. The standard error is Gwet's (2014) for identity weights; with
other weights there is only the bootstrap.
Undefined where nothing can be paired, where a rater rated nothing ("no data": that rater has no shares), and
where all labels are of one category.
"""

import numpy as np

from reviewer.agreement.chance import corrected_estimate, one_category, pairwise_values
from reviewer.agreement.rating_patterns import Floats, Patterns, ratio
from reviewer.agreement.weighting import IDENTITY, Weighting
from reviewer.core.estimate import NO_DATA, NO_FORMULA, ONE_CATEGORY, Estimate


def conger_of(patterns: Patterns, level: float, weighting: Weighting = IDENTITY) -> Estimate:
    """Conger's kappa, with identity weights with Gwet's standard error and interval; n counts rated items.

    Raises ValueError where the ratings are counts, which do not say who gave which label.
    """
    weights = patterns.weights[None, :].astype(np.float64)
    shares = rater_shares(patterns, weights)
    reason = patterns.why_no_pairs() or _why_undefined(patterns, shares)
    if reason:
        return Estimate.undefined(reason, patterns.items(patterns.rated))
    observed = float(pairwise_values(patterns, weights, weighting)[0])
    expected = float(_expected(shares, weighting)[0])
    if weighting != IDENTITY:
        value, n = (observed - expected) / (1 - expected), patterns.items(patterns.rated)
        return Estimate(value, n, se_reason=NO_FORMULA, expected=expected)
    item_expected = _per_item(patterns, shares[0])
    return corrected_estimate(patterns, observed, expected, item_expected, level, weighting)


def conger_values(patterns: Patterns, weights: Floats, weighting: Weighting = IDENTITY) -> Floats:
    """Conger's kappa under each row of B × P weights; nan where it is undefined."""
    expected = _expected(rater_shares(patterns, weights), weighting)
    expected = np.where(one_category(patterns, weights), np.nan, expected)
    return (pairwise_values(patterns, weights, weighting) - expected) / (1 - expected)


def rater_shares(patterns: Patterns, weights: Floats) -> Floats:
    """B × R × q, p_gk under each row of weights; nan for a rater who rated nothing."""
    if not patterns.named:
        raise ValueError("counts do not say who gave which label; this coefficient needs the raters' labels")
    p, raters, q = patterns.chosen.shape
    totals = (weights @ patterns.chosen.reshape(p, raters * q)).reshape(len(weights), raters, q)
    return ratio(totals, totals.sum(axis=2, keepdims=True))


def _expected(shares: Floats, weighting: Weighting) -> Floats:
    """Length B; over ordered pairs of different raters, products sum to the squared sum less the squares."""
    raters = shares.shape[1]
    if raters < 2:
        return np.full(len(shares), np.nan)
    summed = shares.sum(axis=1)
    products = summed * weighting.applied(summed) - (shares * weighting.applied(shares)).sum(axis=1)
    return np.asarray(products.sum(axis=1) / (raters * (raters - 1)))


def _why_undefined(patterns: Patterns, shares: Floats) -> str | None:
    if np.isnan(shares).any():
        return NO_DATA
    return ONE_CATEGORY if patterns.categories_used(patterns.rated) < 2 else None


def _per_item(patterns: Patterns, shares: Floats) -> Floats:
    """Length P, pe_i = sum_gk (R pbar_k - p_gk) (n/n_g) (d_igk - (e_ig - n_g/n) p_gk) / (R (R - 1))."""
    chosen, raters = patterns.chosen, len(shares)
    took_part = chosen.sum(axis=2)
    share_rated = (patterns.weights @ took_part) / patterns.items(patterns.rated)
    others = shares.sum(axis=0) - shares
    deviation = chosen - (took_part - share_rated)[:, :, None] * shares
    weighted = deviation * (others / share_rated[:, None])
    return np.asarray(weighted.sum(axis=(1, 2)) / (raters * (raters - 1)))
