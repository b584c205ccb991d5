"""CSV that neither a spreadsheet nor a terminal acts upon, and that our readers read back exactly."""

import csv
import io
import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.csv_text import exact_csv, guarded, sheet_text, unguarded
from reviewer.core.table import LongTable, Table

REVIEWER = Path(__file__).resolve().parents[2] / "reviewer"
FORMULAS = (
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://127.0.0.1/?x="&A1,"see")',
    "@SUM(A1:A9)",
    "+1+cmd|x",
    "-2+3+cmd|x",
    "\t=1+1",
    "\r=1+1",
    " =1+1",
    "\n=1+1",
    "\uff1d1+1",
    "'=1+1",
)
INNER = (
    "x;=cmd|' /C calc'!A0;y",
    "x\n=cmd|' /C calc'!A0",
    "x; +1+cmd|x",
    "x\r\n-2+cmd|x",
    "x;\uff1d1+1",
    "x\t@SUM(A1)",
    'x;"=1+1;y',
)
"""Formulas where a semicolon, a tab or a line end of the text begins another cell."""


def read_back(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_text_that_a_spreadsheet_would_run_is_guarded(formula: str) -> None:
    head, (cell, names) = read_back(Table.of(("comment",), [(formula,)]).to_csv())
    assert (head, names) == (["comment", "guarded"], '["comment"]')
    assert cell.startswith("'")
    assert unguarded(cell) == formula


@pytest.mark.parametrize("formula", [*FORMULAS, *INNER])
@pytest.mark.parametrize("separator", ",;\t")
def test_no_cell_is_a_formula_however_the_file_is_split(formula: str, separator: str) -> None:
    """A spreadsheet with a German or French setting splits at semicolons, in the middle of a quoted text."""
    text = sheet_text([("key", formula)])
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    cells = [part for row in rows for cell in row for part in cell.splitlines()]
    assert [cell for cell in cells if cell.lstrip()[:1] in tuple("=+-@\uff1d")] == []
    assert unguarded(read_back(text)[0][1]) == formula


def test_a_head_is_guarded_too() -> None:
    assert Table.of(("=x",), []).to_csv() == "'=x,guarded\n"


def test_the_guarded_columns_of_a_row_are_named_in_a_column_of_their_own() -> None:
    table = Table.of(("key", "guarded", "=x"), [("-v", "a", "@b"), ("1", "b", "c")])
    assert read_back(table.to_csv()) == [
        ["key", "guarded", "'=x", "reviewer_guarded"],
        ["'-v", "a", "'@b", '["key", "=x"]'],
        ["1", "b", "c", ""],
    ]


def test_a_table_without_guards_has_no_column_for_them_and_a_stream_always_has_it() -> None:
    assert Table.of(("key",), [("a",), (-1,)]).to_csv() == "key\na\n-1\n"
    assert LongTable(("key",), iter([("a",)])).to_csv() == "key,guarded\na,\n"


def test_files_for_scripts_of_other_people_hold_each_text_as_it_is() -> None:
    texts = ("'-v' is a flag", "=1+1", "-x = 2", "a\r\n-1")
    assert read_back(exact_csv([texts])) == [list(texts)]


@pytest.mark.parametrize("number", [-0.017, -3, 1e-9, True, None, "-0.017", "+4", "-.5", "-1e-9"])
def test_a_number_stays_a_number(number: float | str | None) -> None:
    _, cells = read_back(Table.of(("n", "x"), [(number, "x")]).to_csv())
    assert cells == ["" if number is None else str(number), "x"]


@pytest.mark.parametrize(
    "text",
    ["True", "a=b", "it's", "'quoted'", "", "see - there", "日本", "One:\n- Option A.\n- Option B; - or C"],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert guarded(text) == text == unguarded(text)


@given(st.text(st.sampled_from("'=-+@ \t\r1.5ea\n;") | st.characters(exclude_categories=("Cs",))))
def test_readers_take_off_exactly_what_the_writer_put_there(text: str) -> None:
    assert unguarded(guarded(text)) == text


def test_a_terminal_obeys_nothing_in_a_csv_file() -> None:
    hostile = "a\x1b]52;c;eA==\x07b\x9b31mc\x7f"
    _, cells = read_back(Table.of(("a", "b"), [(hostile, "x\ty\nz\r")]).to_csv())
    assert cells == ["a␛]52;c;eA==␇b\ufffd31mc␡", "x\ty\nz\r"]


def test_json_lines_are_exact_and_a_terminal_obeys_nothing_in_them_either() -> None:
    hostile = "=1+1\x1b[31m\x9b31m\x7f\u2028next\u202etxen\u2066"
    table = Table.of(("comment",), [(hostile,)])
    (line,) = table.to_jsonl().splitlines()
    assert json.loads(line) == {"comment": hostile}
    assert json.loads(table.to_json()) == [{"comment": hostile}]
    assert not set(table.to_jsonl() + table.to_json()) & set("\x1b\x9b\x7f\u2028\u202e\u2066")


def test_there_is_one_writer_of_csv() -> None:
    """A second one would not guard its cells."""
    found = subprocess.run(
        ["grep", "-rlE", r"csv\.(writer|DictWriter)|to_csv\(index", str(REVIEWER), "--include=*.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert [Path(line).name for line in found.stdout.split()] == ["csv_text.py"]
