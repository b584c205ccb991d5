"""Rows in gzip, and names of columns below other lines."""

import gzip
from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.row_files import RowOptions, open_rows, small_rows

ROWS = "id,text\n1,one\n2,two\n"


def contents(path: Path, options: RowOptions | None = None) -> list[object]:
    return [row.content for row in open_rows(path, options or RowOptions()).read()]


@pytest.mark.parametrize(("name", "text"), [("a.csv", ROWS), ("b.jsonl", '{"id": "1"}\n{"id": "2"}\n')])
def test_compressed_rows_are_those_of_the_file(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert contents(tmp_path / f"{name}.gz") == contents(tmp_path / name)


LONG = "id,text\n" + "1,one\n" * 3_000_000


@pytest.mark.parametrize(
    ("text", "cut", "wrong"),
    [
        pytest.param(ROWS * 500, 12, "is not gzip that can be unpacked to its end; pack it", id="cut off"),
        pytest.param(LONG, 0, "unpacks to more than 16,777,216 bytes; check", id="large"),
        pytest.param("PAR1....", 0, "holds Parquet that is compressed again; unpack it first", id="Parquet"),
        pytest.param("", 0, "is empty", id="empty"),
    ],
)
def test_damaged_or_large_file_is_one_sentence(tmp_path: Path, text: str, cut: int, wrong: str) -> None:
    packed = gzip.compress(text.encode())
    (tmp_path / "a.csv.gz").write_bytes(packed[: len(packed) - cut])
    with pytest.raises(InputError, match=wrong):
        contents(tmp_path / "a.csv.gz")


def test_names_of_columns_below_other_lines(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"Survey of 2024;;\nprinted by Tom;;;\n\n{ROWS}", encoding="utf-8")
    assert contents(tmp_path / "a.csv", RowOptions(header_row=4)) == [
        {"id": "1", "text": "one"},
        {"id": "2", "text": "two"},
    ]
    with pytest.raises(InputError, match="has nothing from line 40 on"):
        contents(tmp_path / "a.csv", RowOptions(header_row=40))


@pytest.mark.parametrize("title", ["Survey of 2024", "Survey of 2024,"])
def test_title_above_the_names_is_told_with_the_option(tmp_path: Path, title: str) -> None:
    (tmp_path / "a.csv").write_text(f"{title}\n\nmade in May,\n{ROWS}3,three\n", encoding="utf-8")
    rows = open_rows(tmp_path / "a.csv")
    assert rows.header_hint == "; if row 4 has the names of the columns, give --header-row 4"
    faults = [str(row.content) for row in rows.read() if isinstance(row.content, InputError)]
    assert all(rows.header_hint in said for said in [*faults, *rows.notices])
    assert faults or rows.notices
    assert not open_rows(tmp_path / "a.csv", RowOptions(header_row=4)).header_hint
    assert not small_rows(tmp_path / "a.csv", 1000).header_hint


@pytest.mark.parametrize("text", ["a,b\n1,2,3\n1,2\n", "a,\n1,2\n", f"a\n{'x' * 70},2\n1,2\n1,2\n"])
def test_other_uneven_rows_are_not_taken_for_a_title(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    assert not open_rows(tmp_path / "a.csv").header_hint
