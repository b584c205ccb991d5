"""The grid on which intervals of a dataset's pass rate are tried, and what many draws from it find.

The grid was written down before any of it was run. ``python -m tests.agreement.draw_grid`` runs all of it in
one process and prints the table of the manual page ``weighting``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.agreement.allocation import Allocation, allocate
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import all_wilson_ends
from reviewer.agreement.rating_patterns import Floats
from reviewer.agreement.sample_sizes import simple_width, stratified_width
from reviewer.agreement.stratified import interval_ends

POPULATIONS: Final[Mapping[str, tuple[tuple[int, float], ...]]] = {
    "29% flagged": ((568, 0.97), (232, 0.80)),
    "10% flagged": ((720, 0.98), (80, 0.60)),
    "5% flagged": ((760, 0.99), (40, 0.30)),
    "four groups": ((200, 0.99), (200, 0.95), (200, 0.90), (200, 0.75)),
    "twelve groups": tuple(
        (50, share) for share in (1, 1, 0.98, 0.98, 0.96, 0.96, 0.94, 0.92, 0.90, 0.88, 0.84, 0.80)
    ),
    "groups and findings": ((300, 0.99), (300, 0.96), (150, 0.93), (40, 0.60), (30, 0.50), (12, 0.25)),
    "small": ((340, 0.98), (60, 0.90)),
    "large": ((20_000, 0.97), (1_000, 0.70)),
    "hard": ((500, 0.50), (300, 0.30)),
    "nothing fails": ((700, 1.0), (100, 1.0)),
}
"""Strata of each dataset: how many cases they have, and the share of these that passes."""
SIZES: Final = (40, 60, 120, 300)
"""Numbers of cases that are drawn."""
ALLOCATIONS: Final[Mapping[str, Allocation]] = {
    "equal": "equal",
    "proportional": "proportional",
    "neyman": "neyman",
    "neyman, wrong guesses": "neyman",
}
"""Neyman's allocation is tried with the true pass rates as guesses, and with those of the wrong strata."""
DRAWS: Final = 1_000
LEAST_COVERAGE: Final = 0.92
GREATEST_COVERAGE: Final = 0.98
"""Cells above it are listed: there, fewer cases would do."""


@dataclass(frozen=True)
class GridCell:
    """One draw of the grid."""

    population: str
    total: int
    allocation: str

    @property
    def sizes(self) -> list[int]:
        """The cases of each stratum."""
        return [size for size, _ in POPULATIONS[self.population]]

    @property
    def passing(self) -> list[int]:
        """The cases of each stratum that pass."""
        return [round(size * share) for size, share in POPULATIONS[self.population]]

    @property
    def guesses(self) -> list[float]:
        """The pass rates that are guessed before the draw."""
        shares = [share for _, share in POPULATIONS[self.population]]
        return shares[::-1] if "wrong" in self.allocation else shares

    @property
    def drawn(self) -> tuple[int, ...]:
        """How many cases of each stratum are drawn."""
        return allocate(self.sizes, self.total, ALLOCATIONS[self.allocation], self.guesses)

    @property
    def planned(self) -> float:
        """The width that a plan with these guesses promises."""
        return stratified_width(self.sizes, self.guesses, self.drawn, seed=1)

    def drawn_often(self, draws: int = DRAWS) -> "ManyDraws":
        """The intervals of the dataset in many draws."""
        sizes, drawn, passing = np.array(self.sizes), np.array(self.drawn), np.array(self.passing)
        generator = np.random.default_rng([self.total, *passing, *drawn])
        passed = generator.hypergeometric(passing, sizes - passing, drawn, (draws, len(sizes)))
        low, high = interval_ends(sizes, drawn, passed.astype(np.int64), DEFAULT_LEVEL)
        return ManyDraws.of(low, high, passing.sum() / sizes.sum())


@dataclass(frozen=True)
class ManyDraws:
    """What the intervals of many draws are like: the share that holds the truth, and their mean width."""

    coverage: float
    width: float

    @classmethod
    def of(cls, low: Floats, high: Floats, truth: float) -> "ManyDraws":
        holds = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
        return cls(float(holds.mean()), float((high - low).mean()))


def simple_draws(population: str, total: int, draws: int = DRAWS) -> ManyDraws:
    """As many cases drawn from the whole dataset, with Wilson's interval, which reports then print."""
    cell = GridCell(population, total, "equal")
    passing, size = sum(cell.passing), sum(cell.sizes)
    passed = np.random.default_rng([total, passing, size]).hypergeometric(
        passing, size - passing, total, draws
    )
    return ManyDraws.of(*all_wilson_ends(passed / total, total, DEFAULT_LEVEL), passing / size)


def simple_plan(population: str, total: int) -> float:
    """The width that a plan promises for a draw from the whole dataset."""
    cell = GridCell(population, total, "equal")
    return simple_width(cell.sizes, cell.guesses, total, seed=1)


def rows() -> Iterator[str]:
    """The table of the manual: coverage in percent and mean width, by allocation and for a simple draw."""
    yield f"| dataset | cases drawn | {' | '.join(ALLOCATIONS)} | simple draw |"
    yield "|---|---|" + "---|" * (len(ALLOCATIONS) + 1)
    for population in POPULATIONS:
        for total in SIZES:
            tried = [GridCell(population, total, how).drawn_often() for how in ALLOCATIONS]
            tried.append(simple_draws(population, total))
            yield f"| {population} | {total} | {' | '.join(map(_shown, tried))} |"


def _shown(draws: ManyDraws) -> str:
    """Coverage and width; bold where the interval covers too often."""
    coverage = f"{100 * draws.coverage:.1f}"
    marked = f"**{coverage}**" if draws.coverage > GREATEST_COVERAGE else coverage
    return f"{marked}, {draws.width:.3f}".replace(" 0.", " .")


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
