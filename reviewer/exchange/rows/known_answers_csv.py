"""Known answers as a CSV file: dataset, key, question, label and why, one answer a line."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown, strange_character
from reviewer.exchange.rows.csv_records import csv_records
from reviewer.exchange.rows.source_file import read_text, shown_path
from reviewer.study.design.known_answers import GivenAnswer, KnownRole

COLUMNS = ("dataset", "key", "question", "label", "why")
_NEEDED = COLUMNS[:-1]
_MOST_BYTES = 32 * 1024 * 1024


def read_known_answers(path: Path, role: KnownRole) -> list[GivenAnswer]:
    """Every line as an answer; raises InputError, naming file and line, for the first that is invalid."""
    name = shown_path(path)
    read = csv_records(read_text(path, f"file {name}", _MOST_BYTES), f"file {name}")
    columns = _columns(name, read.columns)
    if not (lines := read.whole()):
        raise InputError(f"file {name}", "holds no answers", "give one line for each known answer")
    return [_answer(role, f"file {name}, line {number}", columns, cells) for number, cells in lines]


def _columns(name: str, head: Sequence[str]) -> list[str]:
    columns = [cell.strip().casefold() for cell in head]
    missing = [column for column in _NEEDED if columns.count(column) != 1]
    unknown = [column for column in columns if column not in COLUMNS]
    if missing or unknown:
        wrong = f"has no column {missing[0]!r}" if missing else f"has an unknown column {shown(unknown[0])!r}"
        remedy = f"its first line is to read {','.join(COLUMNS)} (why may be missing)"
        raise InputError(f"file {name}, line 1", wrong, remedy)
    return columns


def _answer(role: KnownRole, where: str, columns: Sequence[str], cells: Mapping[str, str]) -> GivenAnswer:
    said = {column: cell.strip() for column, cell in zip(columns, cells.values(), strict=True)}
    for column, cell in said.items():
        if strange := strange_character(cell):
            raise InputError(where, f"{column} holds {strange}", "take it out")
        if not cell and column in _NEEDED:
            raise InputError(where, f"{column} is empty", "fill it in, or leave the line out")
    return GivenAnswer(
        role, where, said["dataset"], said["key"], said["question"], said["label"], said.get("why", "")
    )
