"""The parquet of a release and files of rows are bounded before they are decoded."""

import io
from pathlib import Path

import pyarrow as arrow
import pyarrow.parquet
import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.releases.release_files import parquet_fault, parquet_of
from reviewer.exchange.rows.row_files import open_rows
from tests.bombs import PARQUET
from tests.rounds import mostly_slow

ROW = {
    "protocol": "p",
    "group": "g",
    "key": "1",
    "generator": "m",
    "origin": "o",
    "run": None,
    "payload": {"text": "a"},
    "published": {},
    "extra": {},
}


@mostly_slow(2)
@pytest.mark.parametrize("name", PARQUET)
def test_parquet_of_a_release_with_other_columns_is_not_decoded(name: str) -> None:
    fault = parquet_fault(PARQUET[name](), [ROW])
    assert fault is not None
    assert fault.startswith(("has ", "states ", "is not a Parquet file"))


def test_parquet_of_a_release_is_compared_row_by_row() -> None:
    rows = [{**ROW, "key": str(number)} for number in range(3)]
    assert parquet_fault(parquet_of(rows), rows) is None
    other = [rows[0], {**rows[1], "key": "x"}, rows[2]]
    assert parquet_fault(parquet_of(other), rows) == "differs from the lines in row 2"
    assert parquet_fault(parquet_of(rows[:2]), rows) == "has 2 rows, and the lines have 3"


def test_nested_and_repeated_values_within_bounds_are_read(tmp_path: Path) -> None:
    table = {
        "list": [["x" * 100, "y"], None, []] * 1_000,
        "inner": [{"b": {"c": str(number)}} for number in range(3_000)],
        "map": arrow.array(
            [[("a", 1)], None, [("c", 2), ("d", 3)]] * 1_000, arrow.map_(arrow.string(), arrow.int64())
        ),
        "same": arrow.array(["a", "b", "c"] * 1_000).dictionary_encode(),
    }
    for version in ("1.0", "2.0"):
        arrow.parquet.write_table(arrow.table(table), tmp_path / "a.parquet", data_page_version=version)
        rows = [row.content for row in open_rows(tmp_path / "a.parquet").read()]
        assert len(rows) == 3_000
        assert rows[2] == {"list": [], "inner": {"b": {"c": "2"}}, "map": [["c", 2], ["d", 3]], "same": "c"}


def test_damaged_parquet_is_one_sentence(tmp_path: Path) -> None:
    written = io.BytesIO()
    arrow.parquet.write_table(arrow.table({"a": [["x"], ["y", "z"]]}), written)
    sentences = []
    for place in range(4, len(written.getvalue()), 3):
        content = bytearray(written.getvalue())
        content[place] ^= 0x55
        (tmp_path / "a.parquet").write_bytes(content)
        try:
            list(open_rows(tmp_path / "a.parquet").read())
        except InputError as error:
            sentences.append(str(error))
    assert len(sentences) > 50
    assert not any("\n" in sentence for sentence in sentences)
