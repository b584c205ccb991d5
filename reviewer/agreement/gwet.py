"""Gwet's AC1, and with weights between labels AC2.

AC1 = (pa - pe) / (1 - pe) with pe = sum_k pi_k (1 - pi_k) / (q - 1), where pi_k is the mean over rated items
of r_ik / r_i and q the number of declared categories. Gwet, K. L. (2008), British Journal of Mathematical and
Statistical Psychology 61, 29-48; pe_i = sum_k (1 - pi_k) r_ik / r_i / (q - 1) in its standard error.
AC2 has the weighted pa, and T / q times this pe and pe_i, where T is the sum of all weights.
Undefined where nothing can be paired and where one category is declared; it is 1 when all labels are equal.
"""

import numpy as np

from reviewer.agreement.chance import ShareChance
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.patterns import Floats
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.weighting import IDENTITY, Weighting
from reviewer.core.estimate import Estimate


def _expected(shares: Floats, weighting: Weighting) -> Floats:
    return np.asarray(
        weighting.mean_row(shares.shape[-1]) * (shares * (1 - shares)).sum(axis=-1) / (shares.shape[-1] - 1)
    )


def _per_item(shares: Floats, item_shares: Floats, weighting: Weighting) -> Floats:
    return weighting.mean_row(len(shares)) * (item_shares @ (1 - shares)) / (len(shares) - 1)


GWET = ShareChance(_expected, _per_item, needs_two_used=False)


def gwet_ac1(ratings: Ratings, level: float = DEFAULT_LEVEL, weighting: Weighting = IDENTITY) -> Estimate:
    """AC1, or AC2 with weights, with Gwet's standard error and interval; n counts the rated items."""
    return GWET.estimate(ratings.patterns, level, weighting)
