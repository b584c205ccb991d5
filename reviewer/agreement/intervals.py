"""Standard errors from item terms, and Student's interval around them."""

from typing import Final

import numpy as np

from reviewer.agreement.patterns import Floats, Ints
from reviewer.agreement.reasons import ONE_ITEM
from reviewer.core.estimate import Estimate, Interval

DEFAULT_LEVEL: Final = 0.95
ANALYTIC: Final = "analytic"


def check_level(level: float) -> None:
    """Raise ValueError for a confidence level that is none, such as 95."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not at {level}")


def student_quantile(level: float, df: int) -> float:
    """Two-sided quantile of Student's t: ``level`` of the mass lies within ± it."""
    from scipy.special import stdtrit  # scipy costs a tenth of a second to load

    check_level(level)
    return float(stdtrit(df, (1 + level) / 2))


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
