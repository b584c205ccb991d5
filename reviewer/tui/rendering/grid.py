"""A grid of numbers as plain rows of cells, which a screen draws; one of its columns can be drawn as bars."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import points, short_number


@dataclass(frozen=True)
class DrawnEstimate:
    """An estimate to be drawn: value, the ends of its interval if it has one, and the value of guessing."""

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

    The first ``keys`` columns identify a row.
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


_NARROWEST = 16
_STEPS = (1.0, 2.0, 2.5, 5.0)
_MOST_TICKS = 5
_ROOM = 3
"""Blanks around a cell."""


def legend_of_bars(grid: Grid, column: int) -> str:
    """What the signs of a drawn column mean."""
    spans = [span for row in grid.rows if (span := row[column].span)]
    whole, bare = any(span.low is not None for span in spans), any(span.low is None for span in spans)
    signs = (
        "├─●─┤ interval and value" if whole else "",
        f"○ value{' without one' if whole else ''}" if bare else "",
        "┊ what guessing gives" if any(span.reference is not None for span in spans) else "",
    )
    return ", ".join(filter(None, signs))


def bars(grid: Grid, column: int, width: int) -> Grid:
    """The names, one column drawn in the ``width`` that is left, its numbers, and an axis.

    The last row is the axis. Where the drawing would have the least room, nothing stands beside its numbers.
    """
    low, high, step = _axis([span for row in grid.rows if (span := row[column].span) is not None])
    names = range(grid.keys)
    taken = sum(_widest(grid.rows, place) for place in names) + _widest(grid.rows, column)
    left = width - taken - _ROOM * (grid.keys + 3)
    below = [_below(row[column], min(width // 3, left - _NARROWEST)) for row in grid.rows]
    beside = max(map(len, below), default=0)
    room = max(_NARROWEST, left - beside)
    rows = [
        (
            *(_first_line(row[place]) for place in names),
            replace(row[column], lines=(_bar(row[column].span, low, high, room),), shade=None, drawn=True),
            replace(row[column], lines=(_value(row[column], percent=grid.percent),), shade=None),
            replace(row[column], lines=(text,), shade=None, drawn=True),
        )
        for row, text in zip(grid.rows, below, strict=True)
    ]
    axis = GridCell((_axis_line(low, high, step, room, percent=grid.percent),), drawn=True)
    rows.append((*(GridCell(("",)) for _ in names), axis, GridCell(("",)), GridCell(("",))))
    heads = (*grid.heads[: grid.keys], grid.heads[column], "value", "")
    return Grid(heads, tuple(rows), keys=grid.keys, percent=grid.percent)


def _value(cell: GridCell, *, percent: bool) -> str:
    """The numbers of a cell; those of a heat map get their interval."""
    if cell.span is None or not (cell.shade or cell.hatched):
        return cell.lines[0]
    texts = [
        points(end, 0) if percent else short_number(end)
        for end in (cell.span.value, cell.span.low, cell.span.high)
        if end is not None
    ]
    value = f"{texts[0]}%" if percent else texts[0]
    return f"{value} [{', '.join(texts[1:])}]" if texts[1:] else value


def _bar(span: DrawnEstimate | None, low: float, high: float, room: int) -> str:
    """The interval from ├ to ┤, the value as ●, and the value of guessing as ┊; "" without a value."""
    if span is None:
        return ""

    def place(value: float) -> int:
        return round((min(max(value, low), high) - low) / (high - low) * (room - 1))

    signs = [" "] * room
    for value in (0.0, *(() if span.reference is None else (span.reference,))):
        if low <= value <= high:
            signs[place(value)] = "┊" if value == span.reference else "│"
    if span.low is not None and span.high is not None:
        begin, end = place(span.low), place(span.high)
        signs[begin : end + 1] = "─" * (end - begin + 1)
        if span.reference is not None and span.low <= span.reference <= span.high:
            signs[place(span.reference)] = "┊"
        signs[begin], signs[end] = "├", "┤"
    signs[place(span.value)] = "●" if span.low is not None else "○"
    return "".join(signs)


def _axis(spans: Sequence[DrawnEstimate]) -> tuple[float, float, float]:
    """The ends of the axis and the step between its ticks: 0 and all that is drawn, on round numbers."""
    values = [0.0]
    for span in spans:
        values += [end for end in (span.value, span.low, span.high, span.reference) if end is not None]
    low, high = min(values), max(values) if any(values) else 1.0
    step = _step(high - low)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step


def _step(reach: float) -> float:
    """The smallest round step with which few ticks reach so far."""
    size = 10.0 ** math.floor(math.log10(reach / _MOST_TICKS))
    return next(step * size for step in (*_STEPS, 10.0) if reach / (step * size) <= _MOST_TICKS)


def _axis_line(low: float, high: float, step: float, room: int, *, percent: bool) -> str:
    """Ticks with their numbers, each centred where its value is drawn."""
    signs = ["─"] * room
    for tick in range(round((high - low) / step) + 1):
        value = low + tick * step
        text = points(value, 0 if step >= 0.01 else 1) if percent else short_number(value)
        at = round(tick * step / (high - low) * (room - 1))
        begin = min(max(0, at - len(text) // 2), room - len(text))
        signs[begin : begin + len(text)] = text
    return "".join(signs)


def _first_line(cell: GridCell) -> GridCell:
    return replace(cell, lines=cell.lines[:1], shade=None)


def _below(cell: GridCell, width: int) -> str:
    """The further lines of a cell in one, as many as there is room for."""
    text = ""
    for line in cell.lines[1:]:
        longer = f"{text} · {line}" if text else line
        if len(longer) > width:
            break
        text = longer
    return text


def _widest(rows: Sequence[Sequence[GridCell]], place: int) -> int:
    return max((len(row[place].lines[0]) for row in rows), default=0)
