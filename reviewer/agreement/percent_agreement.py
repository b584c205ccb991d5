"""Po, the share of items on which all raters agree: often called percent agreement.

Po = share of the items with r_i >= 2 on which max_k r_ik = r_i. Its interval is Wilson's, because an item
either is agreed on or is not. Undefined without an item that has two ratings; with one category it is 1.
"""

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.proportions import proportion
from reviewer.agreement.rating_patterns import Floats, Patterns, ratio
from reviewer.core.estimate import NO_ITEM_WITH_TWO_RATINGS, Estimate


def all_agree_of(patterns: Patterns, level: float) -> Estimate:
    """Po over the items with two ratings or more; n counts these."""
    return _share_unanimous(patterns, patterns.pairable, level)


def all_agree_values(patterns: Patterns, weights: Floats) -> Floats:
    """Po under each row of B × P weights; nan where it is undefined."""
    return _shares_unanimous(patterns, patterns.pairable, weights)


def all_agree_complete_of(patterns: Patterns, level: float) -> Estimate:
    """Po over the items that every rater rated; n counts these."""
    return _share_unanimous(patterns, patterns.pairable & patterns.complete, level)


def all_agree_complete_values(patterns: Patterns, weights: Floats) -> Floats:
    """Po over complete items under each row of B × P weights; nan where it is undefined."""
    return _shares_unanimous(patterns, patterns.pairable & patterns.complete, weights)


def _share_unanimous(patterns: Patterns, mask: NDArray[np.bool_], level: float) -> Estimate:
    n = patterns.items(mask)
    if n == 0:
        return Estimate.undefined(patterns.why_no_pairs() or NO_ITEM_WITH_TWO_RATINGS, 0)
    return proportion(patterns.items(mask & patterns.unanimous), n, level)


def _shares_unanimous(patterns: Patterns, mask: NDArray[np.bool_], weights: Floats) -> Floats:
    return ratio(weights @ (mask & patterns.unanimous), weights @ mask)
