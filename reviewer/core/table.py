"""A table declared once: screens, commands, CSV, JSON, Markdown, LaTeX and the codebook follow from it.

``Table`` is a table as a plain value, with its machine formats. An estimate is one column for people, and a
field for each of its parts for programs.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from reviewer.core.csv_text import Cell as Cell
from reviewer.core.csv_text import csv_lines
from reviewer.core.estimate import FEWEST, FEWEST_CASES, Estimate
from reviewer.core.json_parts import UNSEEN
from reviewer.core.number_text import (
    ASSUMED,
    DIGITS,
    FEW,
    all_digits,
    number,
    p_value,
    short_number,
    with_interval,
)
from reviewer.core.repeatable import Repeatable


def as_json(value: object, indent: int | None = None) -> str:
    """The value as JSON, with everything escaped that a terminal obeys."""
    return json.dumps(value, ensure_ascii=False, indent=indent).translate(UNSEEN)


@dataclass(frozen=True, slots=True)
class Field:
    """A column as programs read it: its name, its type, and its meaning."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True)
class LongTable:
    """A table whose rows may be made each time it is written, so that they are never all held."""

    columns: tuple[str, ...]
    rows: Iterable[tuple[Cell, ...]]
    fields: tuple[Field, ...] = ()

    def to_csv(self) -> str:
        """CSV with a header row, text cells guarded (see ``csv_text``); None is an empty field."""
        return "".join(self.csv_lines())

    def csv_lines(self) -> Iterator[str]:
        """The lines of ``to_csv``, with their ends."""
        return csv_lines(self.columns, self.rows)

    def to_jsonl(self) -> str:
        """JSON Lines, the exact form: one object for each row, on its own line; None is null."""
        return "".join(self.json_lines())

    def json_lines(self) -> Iterator[str]:
        """The lines of ``to_jsonl``, with their ends."""
        records = (dict(zip(self.columns, row, strict=True)) for row in self.rows)
        return (f"{as_json(record)}\n" for record in records)


@dataclass(frozen=True)
class Table(LongTable):
    """Named columns and rows; every row has one cell for each column. None means "no value".

    A table that is declared (see ``table_spec``) knows its ``fields``: the meaning of each column.

    ``sides``: the numbers of the two columns that have the values of the left and the right version. A row
    with "" at the right has one value for both. ``mirrored``: the cells that read differently once the sides
    are exchanged, each as row, column and content.
    """

    rows: tuple[tuple[Cell, ...], ...]
    sides: tuple[int, int] | None = None
    mirrored: tuple[tuple[int, int, Cell], ...] = ()

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        sides: tuple[int, int] | None = None,
    ) -> "Table":
        """Build a table from any sequences."""
        return cls(tuple(columns), tuple(tuple(row) for row in rows), sides=sides)

    def exchanged(self) -> "Table":
        """The same with its sides the other way round; without sides, only what names a side is mirrored."""
        if self.mirrored:
            cells = [list(row) for row in self.rows]
            for row, column, content in self.mirrored:
                cells[row][column] = content
            return replace(self, rows=tuple(map(tuple, cells)), mirrored=()).exchanged()
        if self.sides is None:
            return self
        left, right = self.sides
        order = list(range(len(self.columns)))
        order[left], order[right] = right, left
        rows = [row if row[right] == "" else [row[column] for column in order] for row in self.rows]
        return Table.of([self.columns[column] for column in order], rows, self.sides)

    def to_json(self) -> str:
        """A JSON array with one object for each row; None is null, and a field of type "json" its value."""
        within = {field.name for field in self.fields if field.type == "json"}
        records = [
            {
                name: json.loads(cell) if name in within and isinstance(cell, str) else cell
                for name, cell in zip(self.columns, row, strict=True)
            }
            for row in self.rows
        ]
        return as_json(records, indent=2) + "\n"


RowType = TypeVar("RowType", contravariant=True)


WITH_WILSON, BY_CASES = ", with Wilson's interval", ", with an interval by cases"
"""The end of a head's meaning if its column shows such intervals; left out where no row has one."""


@dataclass(frozen=True)
class Column(Generic[RowType]):
    """One column of a table whose rows are of one type: for programs, for people, or for both.

    Programs read ``fields``, with one of a row's ``cells`` for each; an estimate has several. People read
    what is ``shown`` of a row with a number of decimals, under a ``head`` (None: only programs read the
    column). ``short`` is the head where room is scarce, and ``told`` says in the legend what the head means.
    """

    fields: tuple[Field, ...]
    cells: Callable[[RowType], Sequence[Cell]]
    head: str | None = None
    short: str | None = None
    told: str = ""
    shown: Callable[[RowType, int], Cell] = lambda _row, _digits: None
    estimate: Callable[[RowType], Estimate] | None = None
    """The estimate that people see, where it is one."""
    interval: bool = False
    """Whether people see the estimate's interval too."""

    def order(self, row: RowType) -> Cell:
        """The key by which a screen sorts: the value as programs read it."""
        return self.cells(row)[0] if self.fields else None

    def told_of(self, rows: Sequence[RowType] | None) -> str:
        """The meaning of the head in a table of these rows."""
        of = self.estimate
        if of is None or rows is None or any(of(row).shown_interval for row in rows):
            return self.told
        return self.told.removesuffix(WITH_WILSON).removesuffix(BY_CASES)

    def for_programs_only(self) -> "Column[RowType]":
        """The same column where people do not see it."""
        return replace(self, head=None)


@dataclass(frozen=True)
class TableSpec(Generic[RowType]):
    """The columns of a table in their order; the first ``keys`` that people see name the subject of a row.

    ``note`` follows the legend.
    """

    columns: tuple[Column[RowType], ...]
    keys: int = 1
    note: str = ""

    @property
    def visible(self) -> tuple[Column[RowType], ...]:
        """The columns that people see."""
        return tuple(column for column in self.columns if column.head is not None)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of all columns, for programs."""
        return tuple(field for column in self.columns for field in column.fields)

    def for_programs(self, rows: Sequence[RowType]) -> Table:
        """Every field with its exact values."""
        return Table(tuple(field.name for field in self.fields), tuple(self._cells(rows)), self.fields)

    def for_files(self, rows: Iterable[RowType]) -> LongTable:
        """The same, with cells that are made while the table is written."""
        cells = Repeatable(lambda: self._cells(rows))
        return LongTable(tuple(field.name for field in self.fields), cells, self.fields)

    def _cells(self, rows: Iterable[RowType]) -> Iterator[tuple[Cell, ...]]:
        return (tuple(cell for column in self.columns for cell in column.cells(row)) for row in rows)

    def for_people(self, rows: Sequence[RowType], digits: int = DIGITS) -> Table:
        """What people see, with this number of decimals."""
        columns = self.visible
        cells = [[column.shown(row, digits) for column in columns] for row in rows]
        return Table.of([column.head or "" for column in columns], cells)

    def without_empty(self, rows: Sequence[RowType]) -> "TableSpec[RowType]":
        """The same, where people see no column of an estimate that has no value in any of these rows."""
        empty = {
            id(column)
            for column in self.visible
            if column.estimate and all(column.estimate(row).value is None for row in rows)
        }
        columns = (column.for_programs_only() if id(column) in empty else column for column in self.columns)
        return replace(self, columns=tuple(columns))

    def rests_on_few(self, row: RowType) -> bool:
        """Whether people see values in this row, all of them without an interval for want of cases."""
        shown = [estimate for estimate in self._with_intervals(row) if estimate.value is not None]
        return bool(shown) and all(estimate.too_few for estimate in shown)

    def few_note(self, rows: Sequence[RowType]) -> str:
        """What the mark at a value means that rests on too few cases; "" without any."""
        shown = (estimate for row in rows for estimate in self._with_intervals(row))
        few = dict.fromkeys(estimate.few for estimate in shown if estimate.too_few)
        limits = [f"{FEWEST.get(kind, FEWEST_CASES)} {kind}" for kind in few]
        if len({FEWEST.get(kind) for kind in few}) == 1:
            limits[1:] = list(few)[1:]
        return (
            f"{FEW}: the number rests on fewer than {' or '.join(limits)}, and an interval would "
            "look more exact than it is."
            if few
            else ""
        )

    def _with_intervals(self, row: RowType) -> Iterator[Estimate]:
        """The estimates of a row that people see with their intervals."""
        return (column.estimate(row) for column in self.visible if column.interval and column.estimate)

    def _assumed_note(self, rows: Sequence[RowType]) -> str:
        """What the mark at a value means that takes unreadable replies for an answer; "" without any."""
        estimates = [column.estimate for column in self.visible if column.estimate]
        if not any(estimate(row).assumed for estimate in estimates for row in rows):
            return ""
        return f"{ASSUMED}: the value counts replies that could not be read as an answer."

    def heads(self, rows: Sequence[RowType] | None = None, *, narrow: bool = False) -> str:
        """The meanings of the heads; "" if all are plain.

        Heads that are short only in a ``narrow`` table are plain. Where no row shows an interval, none is
        named; without ``rows``, they are.
        """
        columns = (column for column in self.visible if column.told and (narrow or not column.short))
        told = "; ".join(
            dict.fromkeys(f"{column.short or column.head}: {column.told_of(rows)}" for column in columns)
        )
        return f"{told}." if told else ""

    def marks(self, rows: Sequence[RowType]) -> str:
        """The note, and the meanings of the marks that people see in some row."""
        return " ".join(filter(None, (self.note, self.few_note(rows), self._assumed_note(rows))))

    def legend(self, rows: Sequence[RowType], *, narrow: bool = False) -> str:
        """The meanings of heads and marks."""
        return " ".join(filter(None, (self.heads(rows, narrow=narrow), self.marks(rows))))


def plain_column(
    name: str,
    kind: str,
    meaning: str,
    value: Callable[[RowType], Cell],
    head: str | None = None,
    *,
    short: str | None = None,
    told: str = "",
    shown: Callable[[RowType, int], Cell] | None = None,
) -> Column[RowType]:
    """A column with one field; people see the same value unless ``shown`` makes another of the row."""
    return Column(
        (Field(name, kind, meaning),),
        lambda row: (value(row),),
        head,
        short,
        told,
        shown or (lambda row, _digits: value(row)),
    )


_PARTS: Mapping[str, tuple[str, str]] = {
    "": ("number", "the value"),
    "low": (
        "number",
        f"lower end of the interval; with fewer than {FEWEST_CASES} cases it looks more exact than it is, "
        "and tables for people do not show it",
    ),
    "high": ("number", "upper end of the interval; see the lower end on few cases"),
    "level": ("number", "confidence level of the interval"),
    "method": ("string", "how the interval was computed: bootstrap, analytic, Wilson or Newcombe"),
    "se": ("number", "standard error, computed by the same method as the interval"),
    "expected": ("number", "agreement expected by chance"),
    "n": ("integer", "number of {units} behind the value"),
    "undefined_resamples": (
        "number",
        "share of bootstrap resamples without a value, which the interval leaves out",
    ),
    "left_out": (
        "integer",
        "number of cells or pairs of raters without a value that a mean leaves out; empty for other values",
    ),
    "undefined": ("string", "why there is no value; empty if there is one"),
}
"""Ending of the field's name → its type and meaning; "" is the value itself."""

ALL_PARTS = tuple(_PARTS)
RATE_PARTS = ("", "low", "high", "level", "method", "n", "undefined")
BARE_PARTS = ("", "n", "undefined")
VALUE_ONLY = ("",)


def estimate_column(
    name: str,
    meaning: str,
    of: Callable[[RowType], Estimate],
    head: str | None = None,
    *,
    parts: tuple[str, ...] = RATE_PARTS,
    short: str | None = None,
    told: str = "",
    interval: bool = True,
    shown: Callable[[Estimate, int], Cell] | None = None,
    units: str = "items (for a mean of cells: number of cells with a value)",
) -> Column[RowType]:
    """A column of estimates. People see the value, with its ``interval`` or without; n counts ``units``."""
    text = shown or (with_interval if interval else number)
    return Column(
        tuple(_field(name, meaning, part, units) for part in parts),
        lambda row: _cells(of(row), parts),
        head,
        short,
        told,
        lambda row, digits: text(of(row), digits),
        of,
        interval,
    )


def without_interval(column: Column[RowType]) -> Column[RowType]:
    """The same column where people see the value alone; raises ValueError if it holds no estimates."""
    of = column.estimate
    if of is None:
        raise ValueError(f"column {column.head!r} holds no estimates")
    return replace(column, interval=False, shown=lambda row, digits: number(of(row), digits))


def number_column(
    name: str,
    meaning: str,
    of: Callable[[RowType], float | None],
    head: str | None = None,
    *,
    told: str = "",
    text: Callable[[float, int], str] = short_number,
) -> Column[RowType]:
    """A column of numbers: 15 significant digits for programs, few decimals for people."""

    def shown(row: RowType, digits: int) -> Cell:
        value = of(row)
        return None if value is None else text(value, digits)

    return plain_column(
        name, "number", meaning, lambda row: all_digits(of(row)), head, told=told, shown=shown
    )


def p_column(
    name: str, meaning: str, of: Callable[[RowType], float | None], head: str | None = None, *, told: str = ""
) -> Column[RowType]:
    """A column of p values, which people see with three decimals."""
    return number_column(name, meaning, of, head, told=told, text=lambda p, _digits: p_value(p) or "")


def _field(name: str, meaning: str, part: str, units: str) -> Field:
    kind, what = _PARTS[part]
    if not part:
        return Field(name, kind, meaning)
    return Field(f"{name}_{part}", kind, f"{meaning}: {what.format(units=units)}")


def _cells(estimate: Estimate, parts: tuple[str, ...]) -> list[Cell]:
    """Parts of an estimate; None where one does not apply."""
    interval = estimate.interval
    cells: dict[str, Cell] = {
        "": all_digits(estimate.value),
        "low": all_digits(interval.low) if interval else None,
        "high": all_digits(interval.high) if interval else None,
        "level": interval.level if interval else None,
        "method": interval.method if interval else None,
        "se": all_digits(estimate.se),
        "expected": all_digits(estimate.expected),
        "n": estimate.n,
        "undefined_resamples": all_digits(estimate.undefined_share),
        "left_out": estimate.left_out,
        "undefined": estimate.reason,
    }
    return [cells[part] for part in parts]
