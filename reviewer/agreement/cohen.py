"""Cohen's kappa of rater pairs and its mean over pairs (Light).

kappa = (po - pe) / (1 - pe) on the items that both rated, po the share on which they agree and
pe = sum_k p_gk p_hk; with weights between labels po is the mean weight and pe = sum_kl w_kl p_gk p_hl.
Cohen, J. (1960), Educational and Psychological Measurement 20, 37-46; (1968), Psychological Bulletin 70,
213-220; Light, R. J. (1971), Psychological Bulletin 76, 365-377. On items that both rated it is Conger's
kappa of two raters, and is computed as that, with Gwet's standard error for identity weights.
A pair is undefined where no item has both ratings and where both used one and the same category. If one rater
alone is constant, kappa is 0, not undefined.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from reviewer.agreement.conger import conger_of, conger_values
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.rating_patterns import Floats, Patterns, ratio
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.weighting import IDENTITY, Weighting
from reviewer.core.estimate import NO_FORMULA, NO_ITEM_WITH_TWO_RATINGS, NOT_TWO_RATERS, Estimate


def cohen_kappa(
    ratings: Ratings,
    first: str,
    second: str,
    level: float = DEFAULT_LEVEL,
    weighting: Weighting = IDENTITY,
) -> Estimate:
    """Cohen's kappa of two raters by name; n counts the items that both rated."""
    columns = ratings.column_of(first), ratings.column_of(second)
    return _pair_of(ratings.patterns, *columns, level, weighting)


def cohen_of_two(ratings: Ratings, level: float = DEFAULT_LEVEL, weighting: Weighting = IDENTITY) -> Estimate:
    """Cohen's kappa of the only two raters that there are; undefined for another number of them."""
    if ratings.n_raters != 2:
        return Estimate.undefined(NOT_TWO_RATERS, ratings.n_items)
    return _pair_of(ratings.patterns, 0, 1, level, weighting)


def light_defined_of(patterns: Patterns, level: float, weighting: Weighting = IDENTITY) -> Estimate:
    """Mean over the defined pairs of the patterns; n counts the items with two ratings."""
    n = patterns.items(patterns.pairable)
    pairs = _pairs_of(patterns, level, weighting)
    values = [pair.value for pair in pairs if pair.value is not None]
    if not values:
        return Estimate.undefined(patterns.why_no_pairs() or _first_reason(pairs), n)
    left_out = len(pairs) - len(values)
    return Estimate(sum(values) / len(values), n, se_reason=NO_FORMULA, left_out=left_out)


def light_strict_of(patterns: Patterns, level: float) -> Estimate:
    """Mean over all pairs of the patterns, or the reason of the first pair without a value."""
    mean = light_defined_of(patterns, level)
    if not mean.left_out:
        return mean
    return Estimate.undefined(_first_reason(_pairs_of(patterns, level, IDENTITY)), mean.n)


def light_defined_values(patterns: Patterns, weights: Floats, weighting: Weighting = IDENTITY) -> Floats:
    """Mean of the defined pairs under each row of B × P weights; nan where none is defined."""
    kappas = _pair_values(patterns, weights, weighting)
    defined = ~np.isnan(kappas)
    return ratio(np.where(defined, kappas, 0.0).sum(axis=0), defined.sum(axis=0).astype(np.float64))


def light_strict_values(patterns: Patterns, weights: Floats) -> Floats:
    """Mean of all pairs under each row of B × P weights; nan where one is undefined."""
    kappas = _pair_values(patterns, weights, IDENTITY)
    return kappas.sum(axis=0) / len(kappas) if len(kappas) else np.full(len(weights), np.nan)


def _pair_values(patterns: Patterns, weights: Floats, weighting: Weighting) -> Floats:
    """Pairs × B, Cohen's kappa of each pair under each row of weights."""
    pairs = list(combinations(range(patterns.codes.shape[1]), 2))
    kappas = np.empty((len(pairs), len(weights)))
    for place, pair in enumerate(pairs):
        both, fold = patterns.pair(*pair)
        kappas[place] = conger_values(both, weights @ fold, weighting)
    return kappas


def _pair_of(patterns: Patterns, first: int, second: int, level: float, weighting: Weighting) -> Estimate:
    both, _ = patterns.pair(first, second)
    if not both.items(both.pairable):
        return Estimate.undefined(NO_ITEM_WITH_TWO_RATINGS, 0)
    return conger_of(both, level, weighting)


# A table asks for the pairs and for both readings of their mean, one after the other, of the same patterns,
# with two or three weightings in turn.
@lru_cache(maxsize=3)
def _pairs_of(patterns: Patterns, level: float, weighting: Weighting) -> tuple[Estimate, ...]:
    """Every pair of columns, in order."""
    pairs = combinations(range(patterns.codes.shape[1]), 2)
    return tuple(_pair_of(patterns, first, second, level, weighting) for first, second in pairs)


def _first_reason(pairs: Sequence[Estimate]) -> str:
    return next(pair.reason for pair in pairs if pair.reason is not None)
