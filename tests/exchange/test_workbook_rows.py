"""Sheets of Excel files as rows of texts, and a sentence for everything whose value is not clear."""

import io
import re
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.rows.row_files import RowOptions, open_rows

openpyxl = pytest.importorskip("openpyxl", reason="the extra excel is not installed")
Changed = Callable[[Any], object]


def a_book(path: Path, change: Changed = lambda sheet: None) -> Path:
    book = openpyxl.Workbook()
    book.active.title = "items"
    for row in (["id", "text", "score"], [1, "eins", 0.5], [2.0, " zwei\nlines", None]):
        book.active.append(row)
    change(book.active)
    book.save(path)
    return path


def contents(path: Path, **options: Any) -> list[object]:
    return [row.content for row in open_rows(path, RowOptions(**options)).read()]


def test_cells_are_texts(tmp_path: Path) -> None:
    more = (
        [3, True, datetime(2024, 5, 31)],
        [4, date(2024, 6, 1), 1e300],
        [],
        [5, "a_x000D_b", 12345678901234],
    )
    path = a_book(tmp_path / "a.xlsx", lambda sheet: [sheet.append(row) for row in more])
    assert contents(path) == [
        {"id": "1", "text": "eins", "score": "0.5"},
        {"id": "2", "text": " zwei\nlines", "score": ""},
        {"id": "3", "text": "TRUE", "score": "2024-05-31"},
        {"id": "4", "text": "2024-06-01", "score": "1e+300"},
        {"id": "5", "text": "a\rb", "score": "12345678901234"},
    ]
    rows = open_rows(path)
    assert (rows.columns, rows.typed) == (("id", "text", "score"), False)
    assert [row.where for row in rows.read()][-1] == "a.xlsx, sheet items, row 7"


def with_title(sheet: Any) -> None:
    sheet.insert_rows(1, 2)
    sheet["A1"] = "Survey of 2024"
    sheet.merge_cells("A1:C1")


def test_rows_above_the_names_are_not_read(tmp_path: Path) -> None:
    path = a_book(tmp_path / "a.xlsx", with_title)
    assert len(contents(path, header_row=3)) == 2
    with pytest.raises(InputError, match=r"merged cells \(A1 to C1\).*; if row 3 has .* give --header-row 3"):
        contents(path)


def test_one_of_several_sheets_is_named(tmp_path: Path) -> None:
    def more(sheet: Any) -> None:
        sheet.parent.create_sheet("empty")
        sheet.parent.create_sheet("notes").append(["id", "text"])

    path = a_book(tmp_path / "a.xlsx", more)
    with pytest.raises(
        InputError, match=r"has 2 sheets with content \(items and notes\); name one with --sheet"
    ):
        contents(path)
    assert len(contents(path, sheet="items")) == 2
    assert contents(path, sheet="notes") == []
    with pytest.raises(InputError, match=r"has no sheet 'item'; did you mean items"):
        contents(path, sheet="item")
    (tmp_path / "a.csv").write_text("id\n1\n")
    with pytest.raises(RequestError, match="--sheet names a sheet of an Excel file"):
        contents(tmp_path / "a.csv", sheet="items")


def put(cell: str, value: object) -> Changed:
    def change(sheet: Any) -> None:
        sheet[cell] = value

    return change


FAULTS: dict[str, tuple[Changed, str]] = {
    "merged": (
        lambda sheet: sheet.merge_cells("A2:A3"),
        r"has merged cells \(A2 to A3\), of which only the first has a value; split them",
    ),
    "formula": (
        put("C3", "=C2*2"),
        r"row 3, cell C3: holds a formula whose value the file does not have; open",
    ),
    "error": (put("C2", "#N/A"), r"row 2, cell C2: holds an error \(#N/A\); correct it"),
    "wide row": (put("E2", "more"), "row 2: has 5 cells where the columns are 3; name the column"),
    "column twice": (put("C1", "id"), "names the column 'id' twice"),
    "far column": (put("XFD1", "last"), r"names 16,384 columns; at most 10,000 are read"),
}


def checked(path: Path) -> None:
    """Raise what is wrong with the file or the first of its rows."""
    for content in contents(path):
        if isinstance(content, InputError):
            raise content


@pytest.mark.parametrize("name", FAULTS)
def test_fault_of_a_sheet_is_one_sentence(tmp_path: Path, name: str) -> None:
    change, says = FAULTS[name]
    path = a_book(tmp_path / "a.xlsx", change)
    with pytest.raises(InputError, match=says):
        checked(path)


def altered(path: Path, part: str, old: str, new: str) -> Path:
    """The same file with a passage of one part exchanged."""
    content = io.BytesIO(path.read_bytes())
    with zipfile.ZipFile(content) as before, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            text = before.read(name)
            after.writestr(name, re.sub(old.encode(), new.encode(), text, count=1) if name == part else text)
    return path


SHEET = "xl/worksheets/sheet1.xml"


def test_value_of_a_formula_is_the_stored_one(tmp_path: Path) -> None:
    path = a_book(tmp_path / "a.xlsx", put("C3", "=C2*2"))
    rows = open_rows(altered(path, SHEET, "<f>C2[*]2</f><v ?/>", "<f>C2*2</f><v>1</v>"))
    assert [row.content["score"] for row in rows.read() if isinstance(row.content, dict)] == ["0.5", "1"]
    assert rows.notices == [
        "a.xlsx, sheet items: holds formulas; their values are those that the spreadsheet kept"
    ]


def test_damaged_or_large_file_is_one_sentence(tmp_path: Path) -> None:
    path = a_book(tmp_path / "a.xlsx")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="is not a workbook that can be read"):
        contents(path)
    path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    with pytest.raises(InputError, match="is an Excel file that has a password, or an old one"):
        contents(path)
    path.write_bytes(whole)
    with pytest.raises(InputError, match="unpacks to more than 16,777,216 bytes"):
        contents(altered(path, SHEET, "<sheetData>", f"<!--{' ' * 17_000_000}--><sheetData>"))
    path.write_bytes(whole)
    with pytest.raises(InputError, match="has more than 1,048,576 rows"):
        contents(altered(path, SHEET, 'row r="3"', 'row r="99999999"'))


SMALL_BOMBS = {
    "cells of a row": ("sheet1.xml", b"</row>", b"<c/>" * 20_000, "has a row of more than 16,384 cells"),
    "rows in comments": (
        "sheet1.xml",
        b"</row>",
        (b"<c/>" * 9_000 + b"<!-- <row > -->") * 2,
        "has a row of more than 16,384 cells",
    ),
    "elements": (
        "sheet1.xml",
        b"<sheetData>",
        b"<x/>" * 600_000,
        "has far more elements than its size allows",
    ),
    "an attribute": (
        "sheet1.xml",
        b"<sheetData>",
        b'<x a="%s"/>' % (b"a" * 3_000_000),
        r"more than 1,048,576 bytes in one element of xl/worksheets/sheet1\.xml",
    ),
    "sheets": (
        "workbook.xml",
        b"</sheets>",
        b"<sheet/>" * 21_000,
        r"more than 20,000 elements in xl/workbook\.xml",
    ),
    "styles": (
        "styles.xml",
        b"</cellXfs>",
        b"<xf/>" * 210_000,
        r"more than 200,000 elements in xl/styles\.xml",
    ),
}


@pytest.mark.parametrize("name", SMALL_BOMBS)
def test_part_that_takes_too_much_memory_is_not_read(tmp_path: Path, name: str) -> None:
    file, before, bomb, says = SMALL_BOMBS[name]
    with (
        zipfile.ZipFile(a_book(tmp_path / "book.xlsx")) as book,
        zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as bombed,
    ):
        for part in book.namelist():
            content = book.read(part)
            bombed.writestr(
                part, content.replace(before, bomb + before, 1) if part.endswith(file) else content
            )
    with pytest.raises(InputError, match=says):
        contents(tmp_path / "bomb.xlsx")


def test_blank_cells_before_far_ones_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviewer.exchange.rows.workbook_rows._ALWAYS_CELLS", 900)
    monkeypatch.setattr("reviewer.exchange.rows.workbook_rows._CELLS_OF_A_BYTE", 0)
    path = a_book(tmp_path / "wide.xlsx", lambda sheet: sheet.cell(3, 1000, "far"))
    with pytest.raises(InputError, match="has more than 900 cells, blank ones too"):
        contents(path)
