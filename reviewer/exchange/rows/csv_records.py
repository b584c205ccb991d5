"""The records of a small CSV file, read whole: cells by column, without the guards that the file names."""

import csv
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from reviewer.core.errors import InputError
from reviewer.core.formula_guard import FileGuards
from reviewer.core.sanitize import one_line, shown

_QUOTES = "put a text that holds commas or line ends into double quotes"


@dataclass(frozen=True, slots=True)
class CsvRecords:
    """Columns, records up to a fault, each with the line on which it ends, and the fault."""

    columns: tuple[str, ...]
    records: tuple[tuple[int, Mapping[str, str]], ...]
    fault: InputError | None

    def whole(self) -> tuple[tuple[int, Mapping[str, str]], ...]:
        """All records; raises InputError if the file cannot be read to its end."""
        if self.fault:
            raise self.fault
        return self.records


def csv_records(text: str, where: str) -> CsvRecords:
    """The records of a CSV text with commas, without blank ones."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    head: list[str] = []
    lines: list[tuple[int, list[str]]] = []
    fault = None
    try:
        head = next(reader, [])
        for cells in reader:
            if not any(map(str.strip, cells)):
                continue
            if len(cells) != len(head):
                wrong = f"has {len(cells)} cells where the first line has {len(head)}"
                fault = InputError(f"{where}, line {reader.line_num}", wrong, _QUOTES)
                break
            lines.append((reader.line_num, cells))
    except csv.Error as error:
        wrong = f"is not CSV ({one_line(str(error), 80)})"
        remedy = "save it as CSV with commas, in UTF-8"
        fault = InputError(f"{where}, line {reader.line_num}", wrong, remedy)
    if twice := [name for name, count in Counter(head).items() if name and count > 1]:
        wrong = f"has the column {shown(twice[0])!r} twice"
        fault, lines = InputError(f"{where}, line 1", wrong, "leave one of them out"), []
    guards = FileGuards.of(head, (cells for _, cells in lines))
    records = ((line, dict(zip(guards.columns, guards.without(cells), strict=True))) for line, cells in lines)
    return CsvRecords(guards.columns, tuple(records), fault)
