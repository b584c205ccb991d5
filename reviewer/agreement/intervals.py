"""Standard errors from item terms, and Student's interval around them."""

import math
from functools import cache
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.rating_patterns import Floats, Ints
from reviewer.core.estimate import ONE_ITEM, Estimate, Interval

DEFAULT_LEVEL: Final = 0.95
ANALYTIC: Final = "analytic"
_MOST_STEPS, _CLOSE, _HALF = 300, 1e-15, 0.5


def check_level(level: float) -> None:
    """Raise ValueError for a confidence level that is none, such as 95."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not at {level}")


def percentile_ends(values: NDArray[np.floating], level: float) -> tuple[float, float]:
    """The percentiles between which ``level`` of resampled values lie; none of these is nan.

    The same digits as np.quantile, which loads the masked arrays of numpy and takes longer for two numbers.
    """
    low, high = (_places(len(values), share) for share in ((1 - level) / 2, (1 + level) / 2))
    ordered = np.partition(values, sorted({*low[:2], *high[:2]}))
    return _between(ordered, *low), _between(ordered, *high)


def _places(size: int, share: float) -> tuple[int, int, np.float64]:
    """The places in order before and after a percentile, and how far it lies from the first to the second."""
    place = (size - 1) * share
    before = math.floor(place)
    return before, min(before + 1, size - 1), np.float64(place - before)


def _between(ordered: NDArray[np.floating], before: int, after: int, part: np.float64) -> float:
    first, second = ordered[before], ordered[after]
    step = second - first
    # From the nearer one, as np.quantile does, so that the result is exact at both.
    return float(second - step * (1 - part) if part >= _HALF else first + step * part)


@cache
def student_quantile(level: float, df: int) -> float:
    """Two-sided quantile of Student's t: ``level`` of the mass lies within ± it.

    Newton's steps on the tail, kept between bounds. scipy, which has it too, costs every table of agreement a
    sixth of a second of loading.
    """
    check_level(level)
    tail, low, high = 1 - level, 0.0, math.inf
    density = 2 * math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    quantile = NormalDist().inv_cdf((1 + level) / 2)
    for _ in range(_MOST_STEPS):
        over = _incomplete_beta(df / 2, 0.5, df / (df + quantile**2)) - tail
        low, high = (quantile, high) if over > 0 else (low, quantile)
        slope = density * math.exp(-(df + 1) / 2 * math.log1p(quantile**2 / df))
        before, quantile = quantile, quantile + over / slope
        if not low < quantile < high:
            quantile = (low + min(high, 2 * before + 1)) / 2
        if abs(quantile - before) <= _CLOSE * quantile:
            break
    return quantile


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function by its continued fraction (Lentz's method)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(logarithm + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    whole = d
    for m in range(1, _MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d, c = 1 / (1 + term * d), 1 + term / c
            whole *= d * c
        if abs(d * c - 1) < _CLOSE:
            break
    return front * whole


def standard_error(terms: Floats, centre: float, weights: Ints) -> float:
    """Root of sum w_i (c_i - centre)^2 / (n (n - 1)) with n = sum w_i >= 2 (Gwet 2008)."""
    n = int(weights.sum())
    return float(np.sqrt((weights * (terms - centre) ** 2).sum() / (n * (n - 1))))


def student_interval(value: float, se: float, df: int, level: float) -> Interval:
    """value ± t(df) se, with the upper end clipped at 1, which no coefficient exceeds."""
    reach = student_quantile(level, df) * se
    return Interval(value - reach, min(1.0, value + reach), level, ANALYTIC)


def with_standard_error(
    value: float,
    n: int,
    terms: Floats,
    weights: Ints,
    level: float,
    *,
    expected: float | None = None,
    centre: float | None = None,
    df: int | None = None,
) -> Estimate:
    """The estimate of ``value`` over n items whose terms are given, SE and interval included.

    The terms scatter around ``centre`` (the value itself by default); ``df`` is one less than the items
    behind the terms by default. One item has no standard error.
    """
    items = int(weights.sum())
    if items < 2:
        return Estimate(value, n, se_reason=ONE_ITEM, expected=expected)
    se = standard_error(terms, value if centre is None else centre, weights)
    interval = student_interval(value, se, items - 1 if df is None else df, level)
    return Estimate(value, n, interval=interval, se=se, expected=expected)
