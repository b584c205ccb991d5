"""How many cases of each stratum to draw.

Neyman, J. (1934), Journal of the Royal Statistical Society 97, 558-625: the variance of a share is least with
n_h proportional to N_h √(p_h (1 − p_h)). The best whole numbers within bounds are found by giving the next
case to the stratum with the greatest N_h √(p_h (1 − p_h)) / √(n_h (n_h + 1)): Wright, T. (2012), The American
Statistician 66, 217-224; (2017), Statistics and Probability Letters 129, 50-57. The same rule with N_h alone
allocates proportionally, and with 1 equally.
"""

import math
from collections.abc import Sequence
from typing import Final, Literal

from reviewer.core.sanitize import counted

Allocation = Literal["equal", "proportional", "neyman"]
ALLOCATIONS: Final[tuple[Allocation, ...]] = ("equal", "proportional", "neyman")

LEAST_GUESS: Final = 0.02
"""Guessed shares are shrunk to lie between this and its complement: no guess says that a stratum is known."""
LEAST_DRAWN: Final = 2
"""With fewer cases of a stratum its spread is unknown, and the whole share has no interval."""


def checked_guess(guess: float) -> float:
    """The guessed share; raises ValueError for a number outside 0 to 1."""
    if not 0 <= guess <= 1:
        raise ValueError(f"a guessed pass rate lies between 0 and 1, not at {guess:g}")
    return guess


def shrunk(guess: float) -> float:
    """A guessed share without the certainty of 0 or 1; raises ValueError for a number outside 0 to 1."""
    return min(max(checked_guess(guess), LEAST_GUESS), 1 - LEAST_GUESS)


def allocate(
    sizes: Sequence[int], total: int, how: Allocation, guesses: Sequence[float] = ()
) -> tuple[int, ...]:
    """How many of the ``total`` cases to draw in each stratum: at least 2, at most all of them.

    ``guesses`` are the expected pass rates of the strata, for Neyman's allocation. Raises ValueError if the
    strata have fewer cases than the total, or if it is too small for two of each.
    """
    least = [min(LEAST_DRAWN, size) for size in sizes]
    if total > sum(sizes):
        raise ValueError(f"there are {counted(sum(sizes), 'case')} to draw; you asked for {total:,}")
    if total < sum(least):
        raise ValueError(
            f"{len(sizes):,} strata need {sum(least):,} cases, {LEAST_DRAWN} of each that has two; "
            f"you asked for {total:,}"
        )
    return apportioned(total, _claims(sizes, how, guesses), least, sizes)


def apportioned(
    total: int, claims: Sequence[float], least: Sequence[int], most: Sequence[int]
) -> tuple[int, ...]:
    """Whole parts of a total that are proportional to the claims, within bounds; ties go to the first."""
    parts = list(least)
    for _ in range(total - sum(least)):
        growing = [place for place, part in enumerate(parts) if part < most[place]]
        parts[max(growing, key=lambda place: _priority(claims[place], parts[place]))] += 1
    return tuple(parts)


def _priority(claim: float, part: int) -> float:
    return claim / math.sqrt(part * (part + 1)) if part else math.inf


def _claims(sizes: Sequence[int], how: Allocation, guesses: Sequence[float]) -> list[float]:
    if how == "equal":
        return [1.0] * len(sizes)
    if how == "proportional":
        return [float(size) for size in sizes]
    shares = [shrunk(guess) for guess in guesses]
    return [size * math.sqrt(share * (1 - share)) for size, share in zip(sizes, shares, strict=True)]
