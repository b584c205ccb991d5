"""A grid of numbers as plain rows of cells, which a screen draws."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from reviewer.core.estimate import Estimate


@dataclass(frozen=True)
class DrawnEstimate:
    """An estimate to be drawn: value, the ends of its interval if it has one, and what guessing reaches."""

    value: float
    low: float | None = None
    high: float | None = None
    reference: float | None = None

    @classmethod
    def of(cls, estimate: Estimate, reference: float | None = None) -> "DrawnEstimate | None":
        """The span of an estimate; None without a value."""
        if estimate.value is None:
            return None
        ends = estimate.shown_interval
        low, high = (ends.low, ends.high) if ends else (None, None)
        return cls(estimate.value, low, high, reference)


@dataclass(frozen=True)
class GridCell:
    """A cell: its lines, its sort key, the labels that it covers (``where``), and a sentence about it.

    ``shade`` is the share that colours a cell of the heat map, None elsewhere and where there are too few
    cases to say anything, which ``hatched`` marks. ``where`` is None where the cell has no items to list.
    """

    lines: tuple[str, ...]
    order: float | str = ""
    where: Mapping[str, str] | None = None
    sentence: str = ""
    shade: float | None = None
    hatched: bool = False
    span: DrawnEstimate | None = None
    drawn: bool = False
    """Its lines are a drawing, which is shown as it is."""


@dataclass(frozen=True)
class Grid:
    """Column heads, and rows of cells that are ``height`` lines high.

    The first ``keys`` columns say what a row is about.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[GridCell, ...], ...]
    height: int = 1
    keys: int = 1
    fields: tuple[str, ...] = ()
    """The name of the field that each column begins with, if the columns are declared."""
    percent: bool = False
    """Whether values are shares, which an axis has in percent."""
    note: str = ""
    """What its rows are, where they sum up others."""

    @property
    def drawable(self) -> tuple[int, ...]:
        """The columns that can be drawn as bars."""
        return tuple(
            place for place in range(len(self.heads)) if any(row[place].span is not None for row in self.rows)
        )

    def shows(self, sign: str) -> bool:
        """Whether a cell that says something about a row has this sign."""
        return any(sign in line for row in self.rows for cell in row[self.keys :] for line in cell.lines)

    @property
    def has_few(self) -> bool:
        """Whether a cell rests on too few cases."""
        return any(cell.hatched for row in self.rows for cell in row)

    def ordered(self, column: int, descending: bool) -> "Grid":
        """The rows sorted by one column. Cells without a value come last in both directions."""
        filled = [row for row in self.rows if row[column].order != ""]
        empty = [row for row in self.rows if row[column].order == ""]
        filled.sort(key=lambda row: _sortable(row[column].order), reverse=descending)
        return replace(self, rows=(*filled, *empty))


def _sortable(order: float | str) -> tuple[int, float, str]:
    return (1, 0.0, order.casefold()) if isinstance(order, str) else (0, order, "")
