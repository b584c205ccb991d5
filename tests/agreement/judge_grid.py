"""The grid on which intervals of shares from a judge and a few experts' labels are tried.

The grid was written down before any of it was run. ``python -m tests.agreement.judge_grid`` runs all of it in
one process and prints the table of the manual page ``judges``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.patterns import Floats, Ints
from reviewer.agreement.stratified import interval_ends

CASES: Final = 800
"""The cases of the dataset, all of which the judge labels."""
SHARES: Final = (0.2, 0.5, 0.8, 0.9, 0.95, 0.97)
LABELS: Final = (30, 60, 120, 300)
"""Numbers of cases that experts label."""
JUDGES: Final[Mapping[str, tuple[float, float]]] = {
    "good (.95, .90)": (0.95, 0.90),
    "lenient (.98, .30)": (0.98, 0.30),
    "poor (.60, .50)": (0.60, 0.50),
}
"""Judges with their sensitivity and specificity."""
DRAWS: Final = 1_000
LEAST_COVERAGE: Final = 0.91
"""Over 1,000 draws; the interval of the experts alone has the same least coverage."""
GREATEST_WIDENING: Final = 1.05


@dataclass(frozen=True)
class JudgedCell:
    """One share, number of labels and judge."""

    share: float
    labels: int
    judge: str

    @property
    def table(self) -> Ints:
        """2 × 2, how many cases there are by judge's label and experts'."""
        sensitivity, specificity = JUDGES[self.judge]
        given = round(CASES * self.share)
        found, rejected = round(given * sensitivity), round((CASES - given) * specificity)
        return np.array([[rejected, given - found], [CASES - given - rejected, found]])

    def drawn_often(self, draws: int = DRAWS) -> "JudgedDraws":
        """Many draws from the dataset."""
        generator = np.random.default_rng([self.labels, *self.table.ravel()])
        drawn = generator.multivariate_hypergeometric(self.table.ravel(), self.labels, draws)
        return JudgedDraws(self.table, drawn.reshape(draws, 2, 2))


@dataclass(frozen=True, eq=False)
class JudgedDraws:
    """Draws × 2 × 2, how many drawn cases there are by judge's label and experts'."""

    population: Ints
    drawn: Ints

    @property
    def truth(self) -> float:
        """The share in the dataset."""
        return float(self.population[:, 1].sum() / CASES)

    def experts_alone(self) -> tuple[Floats, Floats]:
        """The ends of the intervals without a judge."""
        n = self.drawn[0].sum()
        given = self.drawn[:, :, 1].sum(axis=1)[:, None]
        return interval_ends(np.array([CASES]), np.array([n]), given, DEFAULT_LEVEL)

    def tuned(self) -> tuple[Floats, Floats]:
        """The ends of the intervals with a judge; draws with equal numbers by judge's label at once."""
        low, high = self.experts_alone()
        by_judge = self.drawn.sum(axis=2)
        (_, misses), (others, hits) = self.drawn.transpose(1, 2, 0)
        rejections = self.drawn[:, 0, 0]
        related = hits * rejections > misses * others
        for counted in np.unique(by_judge[(by_judge >= 2).all(axis=1)], axis=0):
            alike = related & (by_judge == counted).all(axis=1)
            if alike.any():
                low[alike], high[alike] = interval_ends(
                    self.population.sum(axis=1), counted, self.drawn[alike, :, 1], DEFAULT_LEVEL
                )
        return low, high

    def coverage(self, ends: tuple[Floats, Floats]) -> float:
        """The share of the intervals that hold the truth."""
        low, high = ends
        return float(((low <= self.truth + 1e-9) & (self.truth - 1e-9 <= high)).mean())


def width(ends: tuple[Floats, Floats]) -> float:
    """The mean width."""
    low, high = ends
    return float((high - low).mean())


def rows() -> Iterator[str]:
    """The table of the manual: coverage in percent, and mean width."""
    yield f"| share | labels | {' | '.join(JUDGES)} | experts alone |"
    yield "|---|---|" + "---|" * (len(JUDGES) + 1)
    for share in SHARES:
        for labels in LABELS:
            many = [JudgedCell(share, labels, judge).drawn_often() for judge in JUDGES]
            cells = [_shown(draws, draws.tuned()) for draws in many]
            cells.append(_shown(many[0], many[0].experts_alone()))
            yield f"| {share:g} | {labels} | {' | '.join(cells)} |".replace("| 0.", "| .")


def _shown(draws: JudgedDraws, ends: tuple[Floats, Floats]) -> str:
    return f"{100 * draws.coverage(ends):.1f}, {width(ends):.3f}".replace(" 0.", " .")


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
