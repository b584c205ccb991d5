"""A table as aligned text for a terminal."""

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewer.core.estimate import TOO_FEW
from reviewer.core.number_text import fixed
from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table

if TYPE_CHECKING:
    from rich.table import Table as Grid
    from rich.text import Text

_WIDTH = 100
_GAP = 2
_NARROWEST = 7
_LONGEST = 1000
_ONE = r"-?(?:\d{1,3}(?:,\d{3})+|\d*\.?\d+)"
_NUMBER = re.compile(rf"<?{_ONE}[†‡°]*(–{_ONE}| \[{_ONE}, {_ONE}\])?|{TOO_FEW} \w+")


def text_table(table: Table, width: int | None = _WIDTH) -> str:
    """The table in at most ``width`` columns where its columns can be cut; numbers are right-aligned.

    None cuts nothing.
    """
    from rich.cells import cell_len

    right = numeric_columns(table)
    heads = [one_line(name, _LONGEST) for name in table.columns]
    columns = [[one_line(cell_text(row[at]), _LONGEST) for row in table.rows] for at in range(len(heads))]
    whole = [max(1, *map(cell_len, (head, *cells))) for head, cells in zip(heads, columns, strict=True)]
    if width is None or sum(whole) + _GAP * (len(heads) - 1) <= width:
        rows = [heads, ["─" * size for size in whole], *zip(*columns, strict=True)]
        return "\n".join(_line(row, whole, right) for row in rows)
    return _cut(heads, columns, whole, right, width)


def _line(cells: Sequence[str], sizes: Sequence[int], right: Sequence[bool]) -> str:
    """A row of which nothing is cut."""
    from rich.cells import cell_len

    blanks = (" " * (size - cell_len(cell)) for cell, size in zip(cells, sizes, strict=True))
    padded = (
        blank + cell if numbers else cell + blank
        for blank, cell, numbers in zip(blanks, cells, right, strict=True)
    )
    return (" " * _GAP).join(padded).rstrip()


def _cut(
    heads: Sequence[str],
    columns: Sequence[Sequence[str]],
    whole: Sequence[int],
    right: Sequence[bool],
    width: int,
) -> str:
    """The table cut by rich, which loads only where columns do not fit."""
    from rich.rule import Rule
    from rich.table import Table as Grid

    # A text may be cut. A number may not, since it would then be another number.
    least = [size if numbers else min(size, _NARROWEST) for size, numbers in zip(whole, right, strict=True)]
    grid = Grid.grid(padding=(0, _GAP, 0, 0), pad_edge=False)
    for numbers, size in zip(right, least, strict=True):
        grid.add_column(justify="right" if numbers else "left", no_wrap=numbers, min_width=size)
    grid.add_row(*map(_literal, heads))
    grid.add_row(*(Rule(style="") for _ in heads))
    if columns[0]:
        # One cell for each column: the same lines as one for each value, and rich is four times as fast.
        grid.add_row(*(_literal("\n".join(cells)) for cells in columns))
    return _printed(grid, max(width, sum(least) + _GAP * (len(heads) - 1)))


def _literal(text: str) -> "Text":
    """Text in which rich reads no markup; a line that is too long ends with "…"."""
    from rich.text import Text

    return Text(text, no_wrap=True, overflow="ellipsis")


def _printed(grid: "Grid", width: int) -> str:
    """The lines of a grid, the same on every terminal."""
    from rich.console import Console

    text = io.StringIO()
    Console(file=text, width=width, color_system=None, force_terminal=False).print(grid)
    return "\n".join(line.rstrip() for line in text.getvalue().split("\n")).rstrip("\n")


def cell_text(cell: Cell) -> str:
    """A cell as people read it."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return fixed(cell, 3) if isinstance(cell, float) else str(cell)


def numeric_columns(table: Table) -> list[bool]:
    """Which columns hold nothing but numbers (with or without an interval), and so are right-aligned."""
    return [all(map(is_number, (row[index] for row in table.rows))) for index in range(len(table.columns))]


def is_number(cell: Cell) -> bool:
    """Whether this is a number, with or without its interval, or nothing."""
    return cell is None or cell == "" or bool(_NUMBER.fullmatch(str(cell)))
