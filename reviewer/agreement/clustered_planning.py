"""How many cases an evaluation of models needs: for an interval, or to see a difference of two models.

What one case adds to the variance of a ratio is V = p(1 − p) D / m, for a share p, m runs a case and a design
effect D, or, from data at hand, V = n SE² over n cases. N cases then have the error √(V / N).
"""

import math
from statistics import NormalDist

from reviewer.agreement.intervals import DEFAULT_LEVEL, check_level, student_quantile
from reviewer.agreement.planning import fewest_enough
from reviewer.core.estimate import Estimate
from reviewer.core.sanitize import counted


def variance_of_a_case(share: float, runs: int, design_effect: float) -> float:
    """V before there are data. Raises ValueError for what cannot be, such as a design effect beyond m."""
    if not 0 < share < 1:
        raise ValueError(f"a share lies between 0 and 1, not at {share:g}")
    if runs < 1 or not 0 < design_effect <= runs:
        raise ValueError(
            f"the design effect of {counted(runs, 'run')} a case lies above 0 and up to {runs}, "
            f"not at {design_effect:g}"
        )
    return share * (1 - share) * design_effect / runs


def variance_at_hand(estimate: Estimate) -> float | None:
    """V from an estimate over clusters; None without an error, or with one of 0."""
    return estimate.n * estimate.se**2 if estimate.se else None


def variance_of_difference(first: float, second: float, correlation: float = 0.0) -> float:
    """V of the difference of two models on the same cases; raises ValueError."""
    if not -1 <= correlation < 1:
        raise ValueError(f"a correlation lies between -1 and 1, not at {correlation:g}")
    return first + second - 2 * correlation * math.sqrt(first * second)


def cases_for_half_width(variance: float, half_width: float, level: float = DEFAULT_LEVEL) -> int:
    """The fewest cases whose interval is at most so wide on either side."""
    if not 0 < half_width < 1:
        raise ValueError(f"a half-width lies between 0 and 1, not at {half_width:g}")
    return fewest_enough(
        lambda cases: student_quantile(level, cases - 1) * math.sqrt(variance / cases) <= half_width
    )


def cases_for_difference(
    variance: float, difference: float, power: float = 0.8, level: float = DEFAULT_LEVEL
) -> int:
    """The fewest cases with which a two-sided test finds the difference with this power."""
    check_level(level)
    if not 0 < abs(difference) < 1 or not 0 < power < 1:
        raise ValueError(f"a difference and a power lie between 0 and 1, not at {difference:g} and {power:g}")
    reach = NormalDist().inv_cdf((1 + level) / 2) + NormalDist().inv_cdf(power)
    return max(2, math.ceil(variance * (reach / difference) ** 2))
