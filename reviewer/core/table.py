"""A table as a plain value, with its machine formats."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from reviewer.core.csv_text import Cell as Cell
from reviewer.core.csv_text import csv_lines
from reviewer.core.json_parts import UNSEEN


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
