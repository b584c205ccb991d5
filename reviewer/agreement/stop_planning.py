"""What a stop rule costs: after how many cases a claim can be made, beside a fixed number of cases."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.agreement.confidence_sequence import fewest_passing
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import all_wilson_ends
from reviewer.agreement.rating_patterns import Ints

STUDIES: Final = 2_000
_MOST_CASES: Final = 2_000
_POWER: Final = 0.8


@dataclass(frozen=True, slots=True)
class StopPlan:
    """Studies of a dataset with a true ``rate`` that stop when more than ``above`` may be claimed.

    ``median`` and ``ninth_decile`` are the cases after which half and nine tenths of them have stopped (None:
    fewer ever do within ``most`` cases); ``stopped`` is the share that ever does. ``fixed`` is the smallest
    fixed number of cases with which Wilson's interval lies above the limit with a probability of .8.
    """

    above: float
    rate: float
    size: int
    most: int
    median: int | None
    ninth_decile: int | None
    stopped: float
    fixed: int | None


def plan_stops(
    above: float, rates: Sequence[float], size: int, level: float = DEFAULT_LEVEL, seed: int = 0
) -> list[StopPlan]:
    """A plan for each true rate, simulated: cases in random order, looked at after every one."""
    most = min(size, _MOST_CASES)
    needed = np.array([math.inf if n is None else n for n in fewest_passing(size, most, above, level)])
    return [_plan(above, rate, size, needed, level, seed) for rate in rates]


def _plan(above: float, rate: float, size: int, needed: np.ndarray, level: float, seed: int) -> StopPlan:
    stops = stopping_times(rate, size, needed, np.random.default_rng(seed))
    ordered = np.sort(np.where(stops == 0, math.inf, stops))
    median, tenth = (ordered[math.ceil(share * len(ordered)) - 1] for share in (0.5, 0.9))
    return StopPlan(
        above,
        rate,
        size,
        len(needed),
        None if math.isinf(median) else int(median),
        None if math.isinf(tenth) else int(tenth),
        float((stops > 0).mean()),
        fixed_cases(above, rate, level, len(needed)),
    )


def stopping_times(
    rate: float, size: int, needed: np.ndarray, random: np.random.Generator, studies: int = STUDIES
) -> Ints:
    """After how many cases each simulated study stops; 0 if it never does."""
    passing, times = round(rate * size), np.zeros(studies, dtype=np.int64)
    for at in range(studies):
        passed = np.cumsum(random.permutation(size)[: len(needed)] < passing)
        done = np.flatnonzero(passed >= needed)
        times[at] = done[0] + 1 if len(done) else 0
    return times


def fixed_cases(above: float, rate: float, level: float, most: int) -> int | None:
    """The smallest number of cases with which Wilson's interval is above the limit in .8 of studies."""
    from scipy.stats import binom  # scipy costs a tenth of a second to load

    for cases in range(1, most + 1):
        passed = np.arange(cases + 1)
        low, _ = all_wilson_ends(passed / cases, cases, level)
        able = np.flatnonzero(low > above)
        if len(able) and binom.sf(able[0] - 1, cases, rate) >= _POWER:
            return cases
    return None
