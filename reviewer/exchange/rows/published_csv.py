"""CSV files of published numbers: a few columns that a command needs, in rows of one length."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line, shown
from reviewer.core.source_text import read_source_text

_MOST_BYTES: Final = 64 * 1024 * 1024


def published_rows(path: Path, columns: Sequence[str]) -> tuple[str, list[dict[str, str]]]:
    """What messages call the file, and its rows; raises InputError, also for a file that lacks a column."""
    where = repr(one_line(path.name))
    text = read_source_text(path, where, _MOST_BYTES, "give a CSV file")
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        head, rows = list(reader.fieldnames or ()), list(reader)
    except csv.Error as error:
        wrong = f"is not CSV ({one_line(str(error), 80)})"
        raise InputError(f"{where}, line {reader.line_num}", wrong, "correct it") from None
    if missing := [name for name in columns if name not in head]:
        raise InputError(where, f"lacks the column {missing[0]!r}", "add it")
    if twice := [name for name in head if head.count(name) > 1]:
        raise InputError(where, f"has the column {shown(twice[0])!r} twice", "leave one of them out")
    for number, row in enumerate(rows, 1):
        if None in row or None in row.values():
            wrong = "has another number of cells than the first line"
            raise InputError(f"{where}, row {number}", wrong, "correct it")
    return where, rows
