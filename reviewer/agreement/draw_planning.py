"""How wide the interval of a dataset's pass rate will be, by simulating draws and the printed interval.

The variance alone promises too much: the interval is wider than it says where nearly all cases pass. Guesses
are simulated as they are, also those that Neyman's allocation shrinks: the plan is for these pass rates.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from reviewer.agreement.allocation import checked_guess
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.patterns import Floats, Ints
from reviewer.agreement.proportions import all_wilson_ends
from reviewer.agreement.stratified import interval_ends

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
