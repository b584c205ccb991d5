"""Rows as the content of a file: JSON Lines, a JSON list, CSV, TSV or Parquet, by the ending of its name."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from reviewer.core.csv_text import Cell, csv_lines, exact_csv
from reviewer.core.errors import RequestError
from reviewer.exchange.rows.parquet_rows import parquet_content
from store.records import JsonValue


def content_of_rows(
    rows: Sequence[Mapping[str, JsonValue]], name: str, *, for_scripts: bool = False
) -> str | bytes:
    """The content of a file with this name; raises RequestError if rows have no form with such an ending.

    The columns are those of all rows, in the order in which they appear. CSV is guarded for spreadsheets,
    unless it is ``for_scripts`` of other people, which would take the guard for a part of the text.
    """
    columns = list(dict.fromkeys(column for row in rows for column in row))
    ending = Path(name).suffix.casefold()
    match ending:
        case ".jsonl" | ".ndjson":
            return "".join(f"{_json(row)}\n" for row in rows)
        case ".json":
            return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
        case ".csv" | ".tsv" | ".tab":
            separator = "," if ending == ".csv" else "\t"
            cells = [[_cell(row.get(column)) for column in columns] for row in rows]
            if for_scripts:
                return exact_csv([columns, *cells], separator)
            return "".join(csv_lines(columns, cells, separator))
        case ".parquet":
            return parquet_content(columns, rows)
    raise RequestError(
        f"rows are not written as {name!r}; end the name in .jsonl, .json, .csv, .tsv or .parquet."
    )


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cell(value: JsonValue) -> Cell:
    """Texts and numbers as they are, everything else as JSON."""
    if (
        value is None
        or isinstance(value, str)
        or (isinstance(value, int | float) and not isinstance(value, bool))
    ):
        return value
    return _json(value)
