"""Fleiss' kappa, for any number of ratings per item.

kappa = (pa - pe) / (1 - pe) with pe = sum_k pi_k^2, where pi_k is the mean over rated items of r_ik / r_i;
with two raters it is Scott's pi. Fleiss, J. L. (1971), Psychological Bulletin 76, 378-382; for items with
different numbers of ratings and for the standard error Gwet (2014), with pe_i = sum_k pi_k r_ik / r_i.
Undefined where nothing can be paired and where all labels are of one category (pe = 1).
"""

import numpy as np

from reviewer.agreement.chance import ShareChance
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.patterns import Floats
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import Estimate


def _expected(shares: Floats) -> Floats:
    return np.asarray((shares**2).sum(axis=-1))


def _per_item(shares: Floats, item_shares: Floats) -> Floats:
    return item_shares @ shares


FLEISS = ShareChance(_expected, _per_item, needs_two_used=True)


def fleiss_kappa(ratings: Ratings, level: float = DEFAULT_LEVEL) -> Estimate:
    """Fleiss' kappa with Gwet's standard error and interval; n counts the rated items."""
    return FLEISS.estimate(ratings.patterns, level)
