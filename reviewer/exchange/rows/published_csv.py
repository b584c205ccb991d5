"""CSV files of published numbers: a few columns that a command needs, in rows of one length."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_source_text
from reviewer.exchange.rows.csv_records import csv_records

_MOST_BYTES: Final = 64 * 1024 * 1024


def published_rows(path: Path, columns: Sequence[str]) -> tuple[str, list[Mapping[str, str]]]:
    """What messages call the file, and its rows; raises InputError, also for a file that lacks a column."""
    where = repr(one_line(path.name))
    text = read_source_text(path, where, _MOST_BYTES, "give a CSV file")
    read = csv_records(text, where)
    rows = [row for _, row in read.whole()]
    if missing := [name for name in columns if name not in read.columns]:
        raise InputError(where, f"lacks the column {missing[0]!r}", "add it")
    return where, rows
