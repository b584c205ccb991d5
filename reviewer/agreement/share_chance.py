"""Coefficients whose chance agreement depends on the mean shares pi_k and the weights between labels alone:
Fleiss' kappa, Gwet's AC1 and AC2, and Brennan and Prediger's coefficient.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reviewer.agreement.chance import corrected_estimate, mean_shares, one_category, pairwise_values
from reviewer.agreement.rating_patterns import Floats, Patterns
from reviewer.agreement.weighting import IDENTITY, Weighting
from reviewer.core.estimate import ONE_CATEGORY, Estimate


@dataclass(frozen=True)
class ShareChance:
    """A chance agreement that depends on the mean shares pi_k and the weights between labels alone.

    ``expected`` maps shares (… × q) to pe (…); ``per_item`` maps the q mean shares and the P × q item shares
    to pe_i. ``needs_two_used`` says that labels of one category leave the coefficient undefined; otherwise
    two declared categories are enough.
    """

    expected: Callable[[Floats, Weighting], Floats]
    per_item: Callable[[Floats, Floats, Weighting], Floats]
    needs_two_used: bool

    def estimate(self, patterns: Patterns, level: float, weighting: Weighting = IDENTITY) -> Estimate:
        """Value, standard error and interval, or the reason why there is none."""
        reason = patterns.why_no_pairs() or self._why_one_category(patterns)
        if reason:
            return Estimate.undefined(reason, patterns.items(patterns.rated))
        weights = patterns.weights[None, :].astype(np.float64)
        shares = mean_shares(patterns, weights)[0]
        observed = float(pairwise_values(patterns, weights, weighting)[0])
        expected = float(self.expected(shares, weighting))
        item_expected = self.per_item(shares, patterns.shares, weighting)
        return corrected_estimate(patterns, observed, expected, item_expected, level, weighting)

    def values(self, patterns: Patterns, weights: Floats, weighting: Weighting = IDENTITY) -> Floats:
        """The coefficient under each row of B × P weights; nan where it is undefined."""
        if patterns.q < 2:
            return np.full(len(weights), np.nan)
        observed = pairwise_values(patterns, weights, weighting)
        expected = self.expected(mean_shares(patterns, weights), weighting)
        if self.needs_two_used:
            expected = np.where(one_category(patterns, weights), np.nan, expected)
        return (observed - expected) / (1 - expected)

    def _why_one_category(self, patterns: Patterns) -> str | None:
        choices = patterns.categories_used(patterns.rated) if self.needs_two_used else patterns.q
        return ONE_CATEGORY if choices < 2 else None


def _fleiss_expected(shares: Floats, weighting: Weighting) -> Floats:
    return np.asarray((shares * weighting.applied(shares)).sum(axis=-1))


def _fleiss_per_item(shares: Floats, item_shares: Floats, weighting: Weighting) -> Floats:
    return item_shares @ weighting.applied(shares)


FLEISS = ShareChance(_fleiss_expected, _fleiss_per_item, needs_two_used=True)
"""Fleiss' kappa, for any number of ratings per item.

kappa = (pa - pe) / (1 - pe) with pe = sum_kl w_kl pi_k pi_l (sum_k pi_k^2 with identity weights), where pi_k
is the mean over rated items of r_ik / r_i; with two raters it is Scott's pi. Fleiss, J. L. (1971),
Psychological Bulletin 76, 378-382; for items with different numbers of ratings, for weights and for the
standard error Gwet (2014), with pe_i = sum_k (sum_l w_kl pi_l) r_ik / r_i.
Undefined where nothing can be paired and where all labels are of one category (pe = 1).
"""


def _gwet_expected(shares: Floats, weighting: Weighting) -> Floats:
    return np.asarray(
        weighting.mean_row(shares.shape[-1]) * (shares * (1 - shares)).sum(axis=-1) / (shares.shape[-1] - 1)
    )


def _gwet_per_item(shares: Floats, item_shares: Floats, weighting: Weighting) -> Floats:
    return weighting.mean_row(len(shares)) * (item_shares @ (1 - shares)) / (len(shares) - 1)


GWET = ShareChance(_gwet_expected, _gwet_per_item, needs_two_used=False)
"""Gwet's AC1, and with weights between labels AC2.

AC1 = (pa - pe) / (1 - pe) with pe = sum_k pi_k (1 - pi_k) / (q - 1), where pi_k is the mean over rated items
of r_ik / r_i and q the number of declared categories. Gwet, K. L. (2008), British Journal of Mathematical and
Statistical Psychology 61, 29-48; pe_i = sum_k (1 - pi_k) r_ik / r_i / (q - 1) in its standard error.
AC2 has the weighted pa, and T / q times this pe and pe_i, where T is the sum of all weights.
Undefined where nothing can be paired and where one category is declared; it is 1 when all labels are equal.
"""


def _chance(q: int, weighting: Weighting) -> float:
    return weighting.mean_row(q) / q


def _brennan_prediger_expected(shares: Floats, weighting: Weighting) -> Floats:
    return np.full(shares.shape[:-1], _chance(shares.shape[-1], weighting))


def _brennan_prediger_per_item(shares: Floats, item_shares: Floats, weighting: Weighting) -> Floats:
    return np.full(len(item_shares), _chance(len(shares), weighting))


BRENNAN_PREDIGER = ShareChance(_brennan_prediger_expected, _brennan_prediger_per_item, needs_two_used=False)
"""Brennan and Prediger's coefficient, also known as Randolph's free-marginal kappa.

(pa - pe) / (1 - pe) with pe = T / q^2, where q is the number of declared categories and T the sum of all
weights between them: 1 / q with identity weights. Brennan, R. L. and Prediger, D. J.
(1981), Educational and Psychological Measurement 41, 687-699; pe_i = pe in Gwet's standard error.
Undefined where nothing can be paired and where one category is declared; it is 1 when all labels are equal.
"""
