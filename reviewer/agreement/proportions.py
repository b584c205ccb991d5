"""Single proportions and comparisons of two.

Wilson, E. B. (1927), JASA 22, 209-212; Newcombe, R. G. (1998), Statistics in Medicine 17, 857-872 (one
proportion) and 873-890 (difference of two, method 10); Holm, S. (1979), Scandinavian Journal of Statistics
6, 65-70; Benjamini, Y. and Yekutieli, D. (2001), Annals of Statistics 29, 1165-1188.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from reviewer.agreement.intervals import DEFAULT_LEVEL, check_level
from reviewer.agreement.rating_patterns import Floats
from reviewer.core.estimate import NO_DATA, ONE_CATEGORY, ONE_ITEM, Estimate, Interval

WILSON: Final = "Wilson"
NEWCOMBE: Final = "Newcombe"


def normal_quantile(level: float) -> float:
    """Two-sided quantile of the standard normal: ``level`` of the mass lies within ± it."""
    check_level(level)
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(passed: int, n: int, level: float = DEFAULT_LEVEL) -> Interval:
    """Wilson's score interval for ``passed`` of n >= 1; exactly 0 and 1 at the ends."""
    _check(passed, n)
    if n == 0:
        raise ValueError("a proportion of nothing has no interval")
    low, high = wilson_ends(passed / n, n, level)
    return Interval(0.0 if passed == 0 else low, 1.0 if passed == n else high, level, WILSON)


def wilson_ends(share: float, n: float, level: float) -> tuple[float, float]:
    """Both ends of Wilson's interval around a share of n, which need not be a whole number of items."""
    low, high = all_wilson_ends(np.float64(share), np.float64(n), level)
    return float(low), float(high)


def all_wilson_ends(shares: ArrayLike, n: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Both ends of Wilson's intervals around many shares, each of its n."""
    share, n = np.asarray(shares, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z2 = normal_quantile(level) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return np.maximum(0.0, centre - reach), np.minimum(1.0, centre + reach)


def proportion(passed: int, n: int, level: float = DEFAULT_LEVEL) -> Estimate:
    """``passed`` of n with Wilson's interval and SE = sqrt(p (1 - p) / (n - 1)); undefined for n = 0."""
    _check(passed, n)
    if n == 0:
        return Estimate.undefined(NO_DATA, 0)
    share = passed / n
    interval = wilson(passed, n, level)
    if n == 1:
        return Estimate(share, n, interval=interval, se_reason=ONE_ITEM)
    return Estimate(share, n, interval=interval, se=math.sqrt(share * (1 - share) / (n - 1)))


def difference(passed1: int, n1: int, passed2: int, n2: int, level: float = DEFAULT_LEVEL) -> Estimate:
    """p1 - p2 with Newcombe's interval (method 10); n is n1 + n2; undefined where either is 0."""
    return difference_of(proportion(passed1, n1, level), proportion(passed2, n2, level), NEWCOMBE)


def difference_of(first: Estimate, second: Estimate, method: str) -> Estimate:
    """The difference of two independent shares, its interval from theirs; undefined where one of them is."""
    n = first.n + second.n
    if first.value is None or second.value is None:
        return Estimate.undefined(first.reason or second.reason or NO_DATA, n)
    gap = first.value - second.value
    if first.interval is None or second.interval is None:
        return Estimate(gap, n, se_reason=first.se_reason or second.se_reason)
    low = gap - math.hypot(first.value - first.interval.low, second.interval.high - second.value)
    high = gap + math.hypot(first.interval.high - first.value, second.value - second.interval.low)
    return Estimate(gap, n, interval=Interval(low, high, first.interval.level, method))


@dataclass(frozen=True, slots=True)
class ZTest:
    """A two-sided test: z and p, p alone if it is exact, or neither and the reason why."""

    z: float | None
    p: float | None
    reason: str | None = None


def two_proportion_z(passed1: int, n1: int, passed2: int, n2: int) -> ZTest:
    """Pooled z of p1 - p2; undefined where a sample is empty or all outcomes are the same."""
    _check(passed1, n1)
    _check(passed2, n2)
    if n1 == 0 or n2 == 0:
        return ZTest(None, None, NO_DATA)
    passed, n = passed1 + passed2, n1 + n2
    if passed in (0, n):
        return ZTest(None, None, ONE_CATEGORY)
    pooled = passed / n
    z = (passed1 / n1 - passed2 / n2) / math.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2))
    return ZTest(z, math.erfc(abs(z) / math.sqrt(2)))


def sign_test(forward: int, backward: int) -> ZTest:
    """The exact two-sided binomial p of as many signs either way, without a z; undefined without a sign."""
    from scipy.special import bdtr  # scipy costs a tenth of a second to load

    if not forward + backward:
        return ZTest(None, None, NO_DATA)
    return ZTest(None, min(1.0, 2 * float(bdtr(min(forward, backward), forward + backward, 0.5))))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p values in the order given; an undefined p stays None and is not counted as a test."""
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    greatest = 0.0
    for rank, (p, place) in enumerate(tested):
        greatest = max(greatest, min(1.0, (len(tested) - rank) * p))
        adjusted[place] = greatest
    return adjusted


def benjamini_yekutieli(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p values that hold the false discovery rate whatever the tests share; None stays None."""
    tested = sorted(((p, place) for place, p in enumerate(p_values) if p is not None), reverse=True)
    m = len(tested)
    harmonic = sum(1 / rank for rank in range(1, m + 1))
    adjusted: list[float | None] = [None] * len(p_values)
    least = 1.0
    for rank, (p, place) in zip(range(m, 0, -1), tested, strict=True):
        least = min(least, p * m * harmonic / rank)
        adjusted[place] = least
    return adjusted


def _check(passed: int, n: int) -> None:
    if not 0 <= passed <= n:
        raise ValueError(f"{passed} of {n} is not a proportion")
