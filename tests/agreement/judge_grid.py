"""The grid on which intervals of shares from a judge and a few experts' labels are tried.

The grid was written down before any of it was run. ``python -m tests.agreement.judge_grid`` runs all of it in
one process and prints the table of the manual page ``judges``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.judge_shares import JudgedDataset
from reviewer.agreement.rating_patterns import Floats, Ints
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
CORRECTED: Final[Mapping[str, tuple[float, float]]] = {
    "good (.95, .90)": (0.95, 0.90),
    "fair (.70, .70)": (0.70, 0.70),
    "lenient (.98, .30)": (0.98, 0.30),
}
"""Judges for Rogan and Gladen's share, which a judge such as the poor one often has not."""
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
        sensitivity, specificity = (JUDGES | CORRECTED)[self.judge]
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

    def corrected(self) -> "CorrectedShares":
        """Rogan and Gladen's share and its interval; draws with equal numbers at once."""
        sizes = np.array([[*self.population.sum(axis=1), 0]])
        different, times = np.unique(self.drawn.reshape(-1, 4), axis=0, return_counts=True)
        held, widths, undefined = 0.0, 0.0, 0
        for cells, number in zip(different.reshape(-1, 2, 2), times.tolist(), strict=True):
            counted, given = np.array([[*cells.sum(axis=1), 0]]), np.array([[*cells[:, 1], 0]])
            interval = JudgedDataset(sizes, counted, given, cells.sum(keepdims=True)[0]).corrected().interval
            if interval is None:
                undefined += number
                continue
            held += number * (interval.low <= self.truth + 1e-9 and self.truth - 1e-9 <= interval.high)
            widths += number * (interval.high - interval.low)
        defined = len(self.drawn) - undefined
        return CorrectedShares(held / defined, widths / defined, undefined / len(self.drawn))


@dataclass(frozen=True, slots=True)
class CorrectedShares:
    """Rogan and Gladen's over many draws: coverage and mean width of the intervals, and the share without."""

    coverage: float
    width: float
    undefined: float


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


def corrected_rows() -> Iterator[str]:
    """The table of the manual for Rogan and Gladen's share."""
    yield f"| share | labels | {' | '.join(CORRECTED)} |"
    yield "|---|---|" + "---|" * len(CORRECTED)
    for share in SHARES:
        for labels in LABELS:
            shown = [
                f"{100 * of.coverage:.1f}, {of.width:.3f}, {100 * of.undefined:.1f}".replace(" 0.", " .", 1)
                for judge in CORRECTED
                for of in [JudgedCell(share, labels, judge).drawn_often().corrected()]
            ]
            yield f"| {share:g} | {labels} | {' | '.join(shown)} |".replace("| 0.", "| .")


def _shown(draws: JudgedDraws, ends: tuple[Floats, Floats]) -> str:
    return f"{100 * draws.coverage(ends):.1f}, {width(ends):.3f}".replace(" 0.", " .")


if __name__ == "__main__":
    for row in (*rows(), *corrected_rows()):
        print(row, flush=True)
