"""A table as a plain value, with its machine formats."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass

Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and rows of cells; every row has one cell a column. None is "no value"."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> "Table":
        """Build a table from any sequences."""
        return cls(tuple(columns), tuple(tuple(row) for row in rows))

    def to_csv(self) -> str:
        """RFC 4180 text with a header row and LF line ends; None is an empty field."""
        return "".join(map(_csv_line, (self.columns, *self.rows)))

    def to_json(self) -> str:
        """A JSON array with one object a row; None is null."""
        records = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return json.dumps(records, ensure_ascii=False, indent=2) + "\n"

    def to_jsonl(self) -> str:
        """JSON Lines: one object a row on a line of its own; None is null."""
        records = (dict(zip(self.columns, row, strict=True)) for row in self.rows)
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _csv_line(cells: Sequence[Cell]) -> str:
    # The writer quotes what its line end holds: with CRLF, a lone CR in a cell is quoted on every Python.
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().removesuffix("\r\n") + "\n"
