"""The codebook: type and meaning of every column of every exported table, as a table of its own."""

from collections.abc import Iterable, Mapping

from reviewer.core.question import Question
from reviewer.core.table import LongTable, Table

GUARDED = (
    "safe for spreadsheets: an apostrophe is put before a text, or before a part after a semicolon, a tab or "
    "a line end, that a spreadsheet would read as a formula; control characters are replaced by visible signs"
)
"""What is true of all CSV files."""

_NAMED = "the column guarded, at the end, lists as JSON the columns of the row in which this was done"


_ANSWERED_BY = {
    "labels": "several labels: answers are JSON lists of labels in the question's order; [] is none of them",
    "text": "free text: answers are the texts as they were written; no agreement is computed",
}


def codebook(tables: Mapping[str, LongTable], questions: Iterable[Question] = ()) -> Table:
    """One row for each file and for each of its columns: file, column (empty: the file), type, meaning.

    Questions that are answered by anything else than one label have a row each, with the way to read answers.
    """
    rows: list[tuple[str, ...]] = []
    for name, table in tables.items():
        rows.append((name, "", "file", _form_of(name)))
        rows += [(name, field.name, field.type, field.meaning) for field in table.fields]
    rows += [
        ("", f"answers to {question.key}", "string", _ANSWERED_BY[question.kind])
        for question in questions
        if question.kind in _ANSWERED_BY
    ]
    return Table.of(("file", "column", "type", "meaning"), rows)


def exact_form(file: str) -> str:
    """The file that holds a CSV file's table exactly."""
    return f"{file.removesuffix('.csv')}.jsonl"


def _form_of(file: str) -> str:
    if not file.endswith(".csv"):
        return "the exact form: JSON Lines, one object for each row, with every character of the texts"
    return f"{GUARDED}; {_NAMED}; the exact form is {exact_form(file)}"
