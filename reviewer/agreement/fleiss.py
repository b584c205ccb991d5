"""Fleiss' kappa, for any number of ratings per item.

kappa = (pa - pe) / (1 - pe) with pe = sum_kl w_kl pi_k pi_l (sum_k pi_k^2 with identity weights), where pi_k
is the mean over rated items of r_ik / r_i; with two raters it is Scott's pi. Fleiss, J. L. (1971),
Psychological Bulletin 76, 378-382; for items with different numbers of ratings, for weights and for the
standard error Gwet (2014), with pe_i = sum_k (sum_l w_kl pi_l) r_ik / r_i.
Undefined where nothing can be paired and where all labels are of one category (pe = 1).
"""

import numpy as np

from reviewer.agreement.chance import ShareChance
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.patterns import Floats
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.weighting import IDENTITY, Weighting
from reviewer.core.estimate import Estimate


def _expected(shares: Floats, weighting: Weighting) -> Floats:
    return np.asarray((shares * weighting.applied(shares)).sum(axis=-1))


def _per_item(shares: Floats, item_shares: Floats, weighting: Weighting) -> Floats:
    return item_shares @ weighting.applied(shares)


FLEISS = ShareChance(_expected, _per_item, needs_two_used=True)


def fleiss_kappa(ratings: Ratings, level: float = DEFAULT_LEVEL, weighting: Weighting = IDENTITY) -> Estimate:
    """Fleiss' kappa with Gwet's standard error and interval; n counts the rated items."""
    return FLEISS.estimate(ratings.patterns, level, weighting)
