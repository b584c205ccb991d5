"""A table as aligned text for a terminal."""

import re
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from reviewer.core.plaintext import one_line
from reviewer.core.table import Cell, Table

_WIDTH = 100
_GAP = "  "
_NARROWEST = 8
_NUMBER = re.compile(r"-?\d*\.?\d+")


def text_table(table: Table, width: int = _WIDTH) -> str:
    """The table in at most ``width`` columns where its columns can be cut; numbers stand to the right."""
    rows = [[_shown(cell) for cell in row] for row in table.rows]
    widths = _fitted([[*column] for column in zip(table.columns, *rows, strict=True)], width)
    right = [_numeric([row[index] for row in table.rows]) for index in range(len(table.columns))]
    lines = [_line(table.columns, widths, right), _GAP.join("─" * size for size in widths)]
    lines += [_line(row, widths, right) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def _shown(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.3f}"
    return one_line(str(cell), 1000)


def _numeric(cells: Sequence[Cell]) -> bool:
    return all(cell is None or _NUMBER.fullmatch(str(cell)) for cell in cells)


def _fitted(columns: Sequence[Sequence[str]], width: int) -> list[int]:
    """Column widths; while they do not fit, the widest gives way."""
    widths = [max(cell_len(cell) for cell in column) for column in columns]
    while sum(widths) + len(_GAP) * (len(widths) - 1) > width and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    return _GAP.join(_aligned(*cell) for cell in zip(cells, widths, right, strict=True))


def _aligned(text: str, width: int, right: bool) -> str:
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "…"
    padding = " " * (width - cell_len(text))
    return padding + text if right else text + padding
