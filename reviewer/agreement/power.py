"""Which differences of two proportions a test can find, by the arcsine approximation.

Cohen, J. (1988), Statistical Power Analysis for the Behavioral Sciences, chapter 6: with
h = 2 asin sqrt(p1) - 2 asin sqrt(p2), a two-sided test of independent samples of n1 and n2 has the power
Phi(|h| / sqrt(1/n1 + 1/n2) - z(1 - alpha/2)), the other tail neglected.
"""

import math
from statistics import NormalDist
from typing import Final

from reviewer.agreement.intervals import DEFAULT_LEVEL

USUAL_POWER: Final = 0.8


def detectable_rates(
    rate: float, first_n: int, second_n: int, level: float = DEFAULT_LEVEL, power: float = USUAL_POWER
) -> tuple[float | None, float | None]:
    """The nearest rates below and above ``rate`` that a two-sided test at 1 - ``level`` tells from it.

    It does so with this ``power``. None where even a rate of 0 (or 1) cannot be told from it. Raises
    ValueError for samples of nothing.
    """
    if min(first_n, second_n) < 1 or not 0 <= rate <= 1:
        raise ValueError(f"a test needs two samples and a share, not {first_n}, {second_n} and {rate}")
    normal = NormalDist()
    reach = normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)
    angle, apart = 2 * math.asin(math.sqrt(rate)), reach * math.sqrt(1 / first_n + 1 / second_n)
    low, high = angle - apart, angle + apart
    return (
        None if low < 0 else math.sin(low / 2) ** 2,
        None if high > math.pi else math.sin(high / 2) ** 2,
    )
