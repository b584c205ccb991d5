"""The cases of a sample as a file: a CSV with a column ``key``, or one key a line."""

import csv
import io
from pathlib import Path

from reviewer.core.errors import InputError
from reviewer.exchange.rows.csv_records import csv_records
from reviewer.exchange.rows.source_file import read_text, shown_path
from reviewer.study.design.listed_cases import ListedCase, PickedCases

_MOST_BYTES = 32 * 1024 * 1024


def read_case_list(path: Path) -> list[ListedCase]:
    """Every line as a case; raises InputError if the file lists no case or is not a list.

    A CSV has ``key`` and, where keys are of several datasets, ``dataset`` among its columns, as the output of
    ``reviewer cases --format csv`` and an exported ``labels.csv`` have. Rows with a ``role``
    other than counted are left out, because training and gold cases are not part of a sample.
    """
    where = f"file {shown_path(path)}"
    text = read_text(path, where, _MOST_BYTES)
    listed = _from_csv(text, where) if "key" in _columns(text) else _from_lines(text, where)
    if not listed:
        raise InputError(where, "lists no case", "give one key a line, as `reviewer cases` shows them")
    return listed


def picked_cases(path: Path) -> PickedCases:
    """The cases that a file picks, with its name; raises InputError as ``read_case_list`` does."""
    return PickedCases(path.name, tuple(read_case_list(path)))


def _columns(text: str) -> list[str]:
    """The names in the first line; none if it is no line of CSV, as a key with a quote in it."""
    try:
        return [cell.strip().casefold() for cell in next(csv.reader(io.StringIO(text)), [])]
    except csv.Error:
        return []


def _from_csv(text: str, where: str) -> list[ListedCase]:
    rows = [
        (line, {column.strip().casefold(): cell.strip() for column, cell in row.items()})
        for line, row in csv_records(text, where).whole()
    ]
    return [
        ListedCase(f"{where}, line {line}", row.get("dataset") or None, row["key"])
        for line, row in rows
        if row["key"] and row.get("role", "") in ("", "counted")
    ]


def _from_lines(text: str, where: str) -> list[ListedCase]:
    return [
        ListedCase(f"{where}, line {number}", None, line.strip())
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip()
    ]
