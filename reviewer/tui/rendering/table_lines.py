"""A small table as lines."""

from collections.abc import Sequence
from itertools import zip_longest

from textual.content import Content

from reviewer.core.number_text import significant
from reviewer.core.table import Cell, Table
from reviewer.tui.rendering.line import Line, display_text, wrapped

_GAPS = (2, 1)
"""Blanks between columns; the smaller number where it keeps every row on one line."""
_ABSENT = "–"


def table_lines(table: Table, width: int) -> tuple[Line, ...]:
    """The table at a width in cells: a muted head, then its rows. Long cells are wrapped."""
    columns = [[_text(cell) for cell in column] for column in zip(table.columns, *table.rows, strict=True)]
    whole = [max(map(len, column)) for column in columns]
    usual, *_ = _GAPS
    gap = next((gap for gap in _GAPS if sum(whole) + gap * (len(whole) - 1) <= width), usual)
    widths = _column_widths(columns, whole, width - gap * (len(whole) - 1))
    lines = [*_row([Content.styled(display_text(column), "muted") for column in table.columns], widths, gap)]
    for row in table.rows:
        first, *others = (_text(cell) for cell in row)
        cells = [Content.styled(first, "muted"), *(Content.styled(text, "strong") for text in others)]
        lines.extend(_row(cells, widths, gap))
    return tuple(Line(line) for line in lines)


def table_in_one_line(table: Table, width: int) -> str:
    """The rows of a table with dots between them, as many as fit, and how many more there are.

    Rows whose sides differ come before others, but for the first.
    """
    left, right = table.sides or (0, 0)
    first, *more = table.rows or ((),)
    rows = [first, *sorted(more, key=lambda row: row[left] == row[right] and table.sides is not None)]
    texts = [" ".join(_text(cell) for cell in row if cell not in (None, "")) for row in rows]
    whole = " · ".join(texts)
    fewer = (
        f"{' · '.join(texts[:count])} · {len(texts) - count} more" for count in range(len(texts) - 1, 0, -1)
    )
    return next((text for text in (whole, *fewer) if len(text) <= width), whole)


def _text(cell: Cell) -> str:
    if cell is None:
        return _ABSENT
    return significant(cell, 4) if isinstance(cell, float) else display_text(str(cell))


def _column_widths(columns: list[list[str]], whole: list[int], room: int) -> list[int]:
    """As wide as each column needs. Where that is too wide, the room beyond the longest words is shared."""
    room = max(len(columns), room)
    words = [max(len(word) for text in column for word in text.split() or [""]) for column in columns]
    if sum(words) > room:
        return [max(2, cells) for cells in shared(words, room)]
    more = shared([all_of - least for all_of, least in zip(whole, words, strict=True)], room - sum(words))
    return [max(2, least + further) for least, further in zip(words, more, strict=True)]


def shared(wants: Sequence[int], room: int) -> list[int]:
    """How a room in cells is shared: each gets what it wants, up to the same limit for all."""
    shares, left = [0] * len(wants), room
    for number, (want, column) in enumerate(sorted((want, column) for column, want in enumerate(wants))):
        shares[column] = min(want, left // (len(wants) - number))
        left -= shares[column]
    return shares


def _row(cells: list[Content], widths: list[int], gap: int) -> list[Content]:
    columns = [wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
    return [_joined(parts, widths, gap) for parts in zip_longest(*columns, fillvalue=Content(""))]


def _joined(parts: tuple[Content, ...], widths: list[int], gap: int) -> Content:
    padded = [part.pad_right(width - part.cell_length) for part, width in zip(parts, widths, strict=True)]
    return Content(" " * gap).join(padded).rstrip()
