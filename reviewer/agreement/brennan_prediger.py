"""Brennan and Prediger's coefficient, also known as Randolph's free-marginal kappa.

(pa - pe) / (1 - pe) with pe = T / q^2, where q is the number of declared categories and T the sum of all
weights between them: 1 / q with identity weights. Brennan, R. L. and Prediger, D. J.
(1981), Educational and Psychological Measurement 41, 687-699; pe_i = pe in Gwet's standard error.
Undefined where nothing can be paired and where one category is declared; it is 1 when all labels are equal.
"""

import numpy as np

from reviewer.agreement.chance import ShareChance
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.patterns import Floats
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.weighting import IDENTITY, Weighting
from reviewer.core.estimate import Estimate


def _chance(q: int, weighting: Weighting) -> float:
    return weighting.mean_row(q) / q


def _expected(shares: Floats, weighting: Weighting) -> Floats:
    return np.full(shares.shape[:-1], _chance(shares.shape[-1], weighting))


def _per_item(shares: Floats, item_shares: Floats, weighting: Weighting) -> Floats:
    return np.full(len(item_shares), _chance(len(shares), weighting))


BRENNAN_PREDIGER = ShareChance(_expected, _per_item, needs_two_used=False)


def brennan_prediger(
    ratings: Ratings, level: float = DEFAULT_LEVEL, weighting: Weighting = IDENTITY
) -> Estimate:
    """The coefficient with Gwet's standard error and interval; n counts the rated items."""
    return BRENNAN_PREDIGER.estimate(ratings.patterns, level, weighting)
