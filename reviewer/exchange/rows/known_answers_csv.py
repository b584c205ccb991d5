"""Known answers as a CSV file: dataset, key, question, label and why, one answer a line."""

import csv
import io
from pathlib import Path

from reviewer.core.csv_text import unguarded
from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown, strange_character
from reviewer.exchange.rows.source_file import read_text, shown_path
from reviewer.study.design.known_answers import GivenAnswer, KnownRole

COLUMNS = ("dataset", "key", "question", "label", "why")
_NEEDED = COLUMNS[:-1]
_MOST_BYTES = 32 * 1024 * 1024


def read_known_answers(path: Path, role: KnownRole) -> list[GivenAnswer]:
    """Every line as an answer; raises InputError, naming file and line, for the first that is invalid."""
    name = shown_path(path)
    reader = csv.reader(io.StringIO(read_text(path, f"file {name}", _MOST_BYTES), newline=""), strict=True)
    try:
        columns = _columns(name, next(reader, []))
        lines = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        where = f"file {name}, line {reader.line_num}"
        raise InputError(where, f"is not CSV ({error})", "save it as CSV with commas, in UTF-8") from None
    if not lines:
        raise InputError(f"file {name}", "holds no answers", "give one line for each known answer")
    return [_answer(role, f"file {name}, line {number}", columns, cells) for number, cells in lines]


def _columns(name: str, head: list[str]) -> list[str]:
    columns = [cell.strip().casefold() for cell in head]
    missing = [column for column in _NEEDED if columns.count(column) != 1]
    unknown = [column for column in columns if column not in COLUMNS]
    if missing or unknown:
        wrong = f"has no column {missing[0]!r}" if missing else f"has an unknown column {shown(unknown[0])!r}"
        remedy = f"its first line is to read {','.join(COLUMNS)} (why may be missing)"
        raise InputError(f"file {name}, line 1", wrong, remedy)
    return columns


def _answer(role: KnownRole, where: str, columns: list[str], cells: list[str]) -> GivenAnswer:
    if len(cells) != len(columns):
        wrong = f"has {len(cells)} cells where the first line has {len(columns)}"
        raise InputError(where, wrong, "put a text with commas into double quotes")
    said = {column: unguarded(cell.strip()) for column, cell in zip(columns, cells, strict=True)}
    for column, cell in said.items():
        if strange := strange_character(cell):
            raise InputError(where, f"{column} holds {strange}", "take it out")
        if not cell and column in _NEEDED:
            raise InputError(where, f"{column} is empty", "fill it in, or leave the line out")
    return GivenAnswer(
        role, where, said["dataset"], said["key"], said["question"], said["label"], said.get("why", "")
    )
