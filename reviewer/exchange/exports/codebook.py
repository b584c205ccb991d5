"""The codebook: type and meaning of every column of every exported table, as a table of its own."""

from collections.abc import Mapping

from reviewer.core.table import Table

GUARDED = (
    "safe for spreadsheets: an apostrophe is put before a text, or before a part after a semicolon, a tab or "
    "a line end, that a spreadsheet would read as a formula; control characters are replaced by visible signs"
)
"""What is true of all CSV files."""


def codebook(tables: Mapping[str, Table]) -> Table:
    """One row for each file and for each of its columns: file, column (empty: the file), type, meaning."""
    rows: list[tuple[str, ...]] = []
    for name, table in tables.items():
        rows.append((name, "", "file", _form_of(name)))
        rows += [(name, field.name, field.type, field.meaning) for field in table.fields]
    return Table.of(("file", "column", "type", "meaning"), rows)


def exact_form(file: str) -> str:
    """The file that holds a CSV file's table exactly."""
    return f"{file.removesuffix('.csv')}.jsonl"


def _form_of(file: str) -> str:
    if not file.endswith(".csv"):
        return "the exact form: JSON Lines, one object for each row, with every character of the texts"
    return f"{GUARDED}; the exact form is {exact_form(file)}"
