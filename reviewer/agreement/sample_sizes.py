"""How many cases studies and evaluations need, from data and before there are any.

A coefficient's standard error falls with the root of the number of cases, so that the half-width with N cases
is t(N - 1) SE sqrt(n / N); a proportion's is Wilson's around the same share. Both fall as N grows. The
half-width is that of the interval before it is clipped at 1.

What one case of an evaluation adds to the variance of a ratio is V = p(1 − p) D / m, for a share p, m runs a
case and a design effect D, or, from data at hand, V = n SE² over n cases. N cases then have the error
√(V / N).

The width of a dataset's pass rate comes from simulated draws and the printed interval, since the variance
alone promises too much: the interval is wider than it says where nearly all cases pass. Guesses are simulated
as they are, also those that Neyman's allocation shrinks: the plan is for these pass rates.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Final

import numpy as np

from reviewer.agreement.allocation import checked_guess
from reviewer.agreement.coefficient import Coefficient
from reviewer.agreement.intervals import DEFAULT_LEVEL, check_level, student_quantile
from reviewer.agreement.proportions import WILSON, all_wilson_ends, wilson_ends
from reviewer.agreement.rating_patterns import Floats, Ints, Patterns
from reviewer.agreement.stratified import interval_ends
from reviewer.core.estimate import NO_SPREAD, NO_STANDARD_ERROR, Estimate
from reviewer.core.number_text import percent
from reviewer.core.sanitize import counted

_IMAGINED_CASES: Final = 10**8
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Plan:
    """Cases needed in all and beyond those at hand, or neither and the reason why.

    ``value`` is what the plan rests on: the coefficient at hand, or as expected before a study.
    """

    value: float | None
    cases: int | None
    more: int | None
    reason: str | None = None


def plan_more_cases(estimate: Estimate, cases: int, half_width: float, level: float = DEFAULT_LEVEL) -> Plan:
    """Cases like the ``cases`` at hand (rated or not) that bring ``estimate`` to the half-width.

    Undefined where the estimate is, has no standard error, or has one of 0, which says nothing about more.
    """
    if not 0 < half_width < 1:
        raise ValueError(f"a half-width lies between 0 and 1, not at {half_width}")
    reason = estimate.reason or _why_no_plan(estimate)
    if reason or estimate.value is None:
        return Plan(estimate.value, None, None, reason)
    reach = _wilson_reach if _is_wilson(estimate) else _student_reach
    needed = fewest_enough(lambda total: reach(estimate, cases, total, level) <= half_width)
    return Plan(estimate.value, needed, max(0, needed - cases))


def plan_study(
    coefficient: Coefficient,
    *,
    raters: int,
    passing_share: float,
    agreement: float,
    half_width: float,
    level: float = DEFAULT_LEVEL,
) -> Plan:
    """Cases for a study with two labels that does not exist yet, each case rated by all raters.

    ``passing_share`` is the expected share of True among the labels, ``agreement`` the expected share of
    cases on which all raters agree (Po). Raises ValueError where no study can have both, and for a
    coefficient that depends on who gave which label.
    """
    if coefficient.by_rater:
        raise ValueError(f"{coefficient.title} depends on the single raters and cannot be planned for")
    patterns = imagined_study(raters, passing_share, agreement)
    planned = plan_more_cases(coefficient.of_patterns(patterns, level), _IMAGINED_CASES, half_width, level)
    return replace(planned, more=planned.cases)


def imagined_study(raters: int, passing_share: float, agreement: float) -> Patterns:
    """A very large study of the labels (False, True) with these margins and nothing else assumed.

    Of all distributions over the 2^R label rows with these two expectations it has the greatest entropy:
    x labels True have weight C(R, x) exp(a x + b [x = 0 or R]), where b fits the agreement and a the share.
    """
    shares = _votes(raters, passing_share, agreement)
    codes = (np.arange(raters) < np.arange(raters + 1)[:, None]).astype(np.int64)
    weights = np.rint(shares * _IMAGINED_CASES).astype(np.int64)
    return Patterns(codes, weights, (False, True), named=False)


def _votes(raters: int, passing_share: float, agreement: float) -> Floats:
    """Length R + 1, the share of cases with 0 … R labels True."""
    if raters < 2 or not 0 <= agreement <= 1:
        raise ValueError(
            f"a plan needs two raters and an agreement from 0 to 1, not {raters} and {agreement}"
        )
    least = (1 - agreement) / raters
    if not least - _ROUNDING <= passing_share <= 1 - least + _ROUNDING:
        raise ValueError(
            f"where {raters} raters all agree on {percent(agreement, 1)} of the cases, the share of True "
            f"lies between {percent(least, 1)} and {percent(1 - least, 1)}, not at "
            f"{percent(passing_share, 1)}"
        )
    low, high = -60.0, 60.0
    for _ in range(100):
        tilt = (low + high) / 2
        reached = _tilted(raters, agreement, tilt) @ np.arange(raters + 1) / raters
        low, high = (tilt, high) if reached < passing_share else (low, tilt)
    return _tilted(raters, agreement, (low + high) / 2)


def _tilted(raters: int, agreement: float, tilt: float) -> Floats:
    """Shares of cases by number of labels True for one value of a, the agreement kept."""
    true = np.arange(raters + 1)
    binomial = np.array([math.comb(raters, x) for x in range(raters + 1)], dtype=np.float64)
    weights = binomial * np.exp(tilt * true - max(0.0, tilt * raters))
    unanimous = (true == 0) | (true == raters)
    split = np.where(unanimous, 0.0, weights)
    whole = np.where(unanimous, weights, 0.0)
    return np.asarray(agreement * whole / whole.sum() + (1 - agreement) * split / split.sum())


def fewest_enough(enough: Callable[[int], bool]) -> int:
    """The least number from 2 on that is enough; more are always enough too."""
    high = 2
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _student_reach(estimate: Estimate, cases: int, total: int, level: float) -> float:
    se = estimate.se or 0.0
    return student_quantile(level, total - 1) * se * math.sqrt(cases / total)


def _wilson_reach(estimate: Estimate, cases: int, total: int, level: float) -> float:
    """Half of Wilson's interval where as many cases in a hundred count as do now."""
    counted = max(1, int(total * estimate.n / cases))
    low, high = wilson_ends(estimate.value or 0.0, counted, level)
    return (high - low) / 2


def _is_wilson(estimate: Estimate) -> bool:
    return estimate.interval is not None and estimate.interval.method == WILSON


def _why_no_plan(estimate: Estimate) -> str | None:
    if _is_wilson(estimate):
        return None
    if estimate.se is None:
        return estimate.se_reason or NO_STANDARD_ERROR
    return NO_SPREAD if estimate.se == 0 else None


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


_DRAWS: Final = 4_000


def stratified_width(
    sizes: Sequence[int],
    guesses: Sequence[float],
    drawn: Sequence[int],
    *,
    seed: int,
    level: float = DEFAULT_LEVEL,
) -> float:
    """The mean width if so many cases of each stratum are drawn, whose pass rates are the guesses."""
    number = np.array(drawn, dtype=np.int64)
    generator, passing = _passing(sizes, guesses, seed)
    passed = generator.hypergeometric(passing, np.array(sizes) - passing, number)
    return _mean_width(interval_ends(np.array(sizes, dtype=np.int64), number, passed, level))


def simple_width(
    sizes: Sequence[int],
    guesses: Sequence[float],
    total: int,
    *,
    seed: int,
    level: float = DEFAULT_LEVEL,
) -> float:
    """The mean width of Wilson's interval if the total is drawn from all cases alike."""
    generator, passing = _passing(sizes, guesses, seed)
    everywhere = passing.sum(axis=1)
    passed = generator.hypergeometric(everywhere, sum(sizes) - everywhere, total)
    return _mean_width(all_wilson_ends(passed / total, total, level))


def _passing(sizes: Sequence[int], guesses: Sequence[float], seed: int) -> tuple[np.random.Generator, Ints]:
    """Draws × strata, how many cases of each stratum pass: the guessed share, rounded at random."""
    generator = np.random.default_rng(seed)
    expected = np.array(sizes) * np.array([checked_guess(guess) for guess in guesses])
    return generator, np.floor(expected + generator.random((_DRAWS, len(sizes)))).astype(np.int64)


def _mean_width(ends: tuple[Floats, Floats]) -> float:
    low, high = ends
    return float((high - low).mean())


USUAL_POWER: Final = 0.8


def detectable_rates(
    rate: float, first_n: int, second_n: int, level: float = DEFAULT_LEVEL, power: float = USUAL_POWER
) -> tuple[float | None, float | None]:
    """The nearest rates below and above ``rate`` that a two-sided test at 1 - ``level`` tells from it.

    It does so with this ``power``, by the arcsine approximation. Cohen, J. (1988), Statistical Power Analysis
    for the Behavioral Sciences, chapter 6: with h = 2 asin sqrt(p1) - 2 asin sqrt(p2), a two-sided test of
    independent samples of n1 and n2 has the power Phi(|h| / sqrt(1/n1 + 1/n2) - z(1 - alpha/2)), the other
    tail neglected. None where even a rate of 0 (or 1) cannot be told from it. Raises ValueError for samples
    of nothing.
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
