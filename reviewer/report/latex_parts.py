"""The parts of a table on LaTeX's page, at a readable size: one that is too wide is split.

A character is taken to be half an em wide. This estimate only decides where to split; a text
column that is wide for its part breaks its lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.core.table import Cell, Table
from reviewer.report.text_table import cell_text, numeric_columns

_LONG = 28
"""Rows from which on a table may break across pages."""
_WIDTH = 106
"""Characters of a line: 160 mm in footnotesize."""
_GAP = 2
"""Space between two columns, in characters."""
_WIDEST = 34
"""Characters of a text column; longer texts break."""
_BESIDE_KEYS = 20
"""Characters that a part has for values at least, however wide its keys are."""


@dataclass(frozen=True)
class LatexColumn:
    """A column: its head, its cells, whether they are numbers, and its width in characters."""

    head: str
    cells: tuple[Cell, ...]
    numbers: bool
    width: int

    @property
    def fits(self) -> bool:
        """Whether each cell fits a line; otherwise the column is a box whose lines break."""
        return max((len(cell_text(cell)) for cell in self.cells), default=0) <= self.width

    @property
    def ems(self) -> str:
        """The width of the box."""
        return f"{self.width / 2:g}"


@dataclass(frozen=True)
class TablePart:
    """What stands side by side; the notes stand under the last part. A ``long`` one breaks across pages."""

    columns: tuple[LatexColumn, ...]
    caption: str
    label: str
    notes: tuple[str, ...]
    long: bool

    @property
    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """The cells, row by row."""
        return zip(*(column.cells for column in self.columns), strict=True)


def parts_of(table: Table, caption: str, label: str, notes: Sequence[str], keys: int) -> list[TablePart]:
    """The table in parts that fit the page; each begins with the first ``keys`` columns."""
    parts = list(_parts(_columns(table), keys))
    count = len(parts)
    return [
        TablePart(
            tuple(columns),
            caption if count == 1 else f"{caption} (part {number} of {count})",
            label if number == 1 else f"{label}-{number}",
            tuple(notes) if number == count else (),
            len(table.rows) >= _LONG,
        )
        for number, columns in enumerate(parts, 1)
    ]


def _columns(table: Table) -> list[LatexColumn]:
    right = numeric_columns(table)
    columns = []
    for at, (head, numbers) in enumerate(zip(table.columns, right, strict=True)):
        cells = tuple(row[at] for row in table.rows)
        widest = max([len(head), *(len(cell_text(cell)) for cell in cells)])
        columns.append(LatexColumn(head, cells, numbers, widest if numbers else min(widest, _WIDEST)))
    return columns


def _parts(columns: Sequence[LatexColumn], keys: int) -> Iterator[list[LatexColumn]]:
    """The columns in parts that fit a line; each begins with the keys."""
    first = [*columns[:keys]]
    room = max(_BESIDE_KEYS, _WIDTH - sum(column.width + _GAP for column in first))
    part: list[LatexColumn] = []
    for column in columns[keys:]:
        taken = sum(placed.width + _GAP for placed in part)
        if part and taken + column.width > room:
            yield [*first, *part]
            part = []
        part.append(column)
    yield [*first, *part]
