"""Rows as the content of a file: JSON Lines, a JSON list, CSV, TSV or Parquet, by the ending of its name."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from reviewer.core.csv_text import Cell, csv_text
from reviewer.core.errors import RequestError
from reviewer.exchange.rows.parquet_rows import parquet_content
from store.records import JsonValue


def content_of_rows(rows: Sequence[Mapping[str, JsonValue]], name: str) -> str | bytes:
    """The content of a file with this name; raises RequestError if rows have no form with such an ending.

    The columns are those of all rows, in the order in which they appear.
    """
    columns = list(dict.fromkeys(column for row in rows for column in row))
    match Path(name).suffix.casefold():
        case ".jsonl" | ".ndjson":
            return "".join(f"{_json(row)}\n" for row in rows)
        case ".json":
            return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
        case ".csv":
            return csv_text(_cells(columns, rows))
        case ".tsv" | ".tab":
            return csv_text(_cells(columns, rows), "\t")
        case ".parquet":
            return parquet_content(columns, rows)
    raise RequestError(
        f"rows are not written as {name!r}; end the name in .jsonl, .json, .csv, .tsv or .parquet."
    )


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cells(columns: Sequence[str], rows: Iterable[Mapping[str, JsonValue]]) -> Iterable[Sequence[Cell]]:
    """The head, then the cells of each row: texts and numbers as they are, everything else as JSON."""
    yield columns
    for row in rows:
        yield [_cell(row.get(column)) for column in columns]


def _cell(value: JsonValue) -> Cell:
    if (
        value is None
        or isinstance(value, str)
        or (isinstance(value, int | float) and not isinstance(value, bool))
    ):
        return value
    return _json(value)
