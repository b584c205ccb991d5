"""A table as aligned text for a terminal."""

import re
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from reviewer.core.estimate import TOO_FEW_CASES
from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table

_WIDTH = 100
_GAP = "  "
_NARROWEST = 8
_ONE = r"-?\d*\.?\d+"
_NUMBER = re.compile(rf"<?{_ONE}†?(–{_ONE}| \[{_ONE}, {_ONE}\]| \[{TOO_FEW_CASES}\])?|{TOO_FEW_CASES}")


def text_table(table: Table, width: int | None = _WIDTH) -> str:
    """The table in at most ``width`` columns where its columns can be cut; numbers are right-aligned.

    None cuts nothing.
    """
    rows = [[_shown(cell) for cell in row] for row in table.rows]
    right = numeric_columns(table)
    widths = _fitted([[*column] for column in zip(table.columns, *rows, strict=True)], width, right)
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


def numeric_columns(table: Table) -> list[bool]:
    """Which columns hold nothing but numbers (with or without an interval), and so are right-aligned."""
    return [all(map(is_number, (row[index] for row in table.rows))) for index in range(len(table.columns))]


def is_number(cell: Cell) -> bool:
    """Whether this is a number, with or without its interval, or nothing."""
    return cell is None or cell == "" or bool(_NUMBER.fullmatch(str(cell)))


def _fitted(columns: Sequence[Sequence[str]], width: int | None, right: Sequence[bool]) -> list[int]:
    """Column widths; while they do not fit, the widest text gives way, and numbers stay whole."""
    widths = [max(cell_len(cell) for cell in column) for column in columns]
    if width is None:
        return widths
    texts = [index for index, numbers in enumerate(right) if not numbers]
    while sum(widths) + len(_GAP) * (len(widths) - 1) > width and texts:
        widest = max(texts, key=lambda index: widths[index])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    return _GAP.join(_aligned(*cell) for cell in zip(cells, widths, right, strict=True))


def _aligned(text: str, width: int, right: bool) -> str:
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + "…"
    padding = " " * (width - cell_len(text))
    return padding + text if right else text + padding
