"""A small table as lines."""

from itertools import zip_longest

from textual.content import Content

from reviewer.core.table import Cell, Table
from reviewer.tui.typesetting.line import Line, settled, wrapped

_GAP = 2
_ABSENT = "–"


def table_lines(table: Table, width: int) -> tuple[Line, ...]:
    """The table at a width in cells: a muted head, then its rows; what is too long goes on below itself."""
    widths = _column_widths(table, width)
    lines = [*_row([Content.styled(settled(column), "muted") for column in table.columns], widths)]
    for row in table.rows:
        first, *others = (_text(cell) for cell in row)
        cells = [Content.styled(first, "muted"), *(Content.styled(text, "strong") for text in others)]
        lines.extend(_row(cells, widths))
    return tuple(Line(line) for line in lines)


def _text(cell: Cell) -> str:
    if cell is None:
        return _ABSENT
    return f"{cell:.4g}" if isinstance(cell, float) else settled(str(cell))


def _column_widths(table: Table, width: int) -> list[int]:
    """The first column as wide as it needs, up to half; the others share the rest."""
    longest = max(len(_text(cell)) for cell in (table.columns[0], *(row[0] for row in table.rows)))
    others = len(table.columns) - 1
    if not others:
        return [width]
    first = min(longest, (width - _GAP * others) // 2)
    return [first] + [max(2, (width - first - _GAP * others) // others)] * others


def _row(cells: list[Content], widths: list[int]) -> list[Content]:
    columns = [wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
    return [_joined(parts, widths) for parts in zip_longest(*columns, fillvalue=Content(""))]


def _joined(parts: tuple[Content, ...], widths: list[int]) -> Content:
    padded = [part.pad_right(width - part.cell_length) for part, width in zip(parts, widths, strict=True)]
    return Content(" " * _GAP).join(padded).rstrip()
