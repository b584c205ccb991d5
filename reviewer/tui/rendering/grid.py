"""A grid of numbers as plain rows of cells, which a screen draws."""

from collections.abc import Mapping
from dataclasses import dataclass, replace


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


@dataclass(frozen=True)
class Grid:
    """Column heads, and rows of cells that are ``height`` lines high.

    The first ``keys`` columns say what a row is about.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[GridCell, ...], ...]
    height: int = 1
    keys: int = 1

    def ordered(self, column: int, descending: bool) -> "Grid":
        """The rows sorted by one column. Cells without a value come last in both directions."""
        filled = [row for row in self.rows if row[column].order != ""]
        empty = [row for row in self.rows if row[column].order == ""]
        filled.sort(key=lambda row: _sortable(row[column].order), reverse=descending)
        return replace(self, rows=(*filled, *empty))


def _sortable(order: float | str) -> tuple[int, float, str]:
    return (1, 0.0, order.casefold()) if isinstance(order, str) else (0, order, "")
