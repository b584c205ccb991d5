"""Cells of CSV files as numbers."""

from pathlib import Path

import pytest

from reviewer.exchange.rows.dataset_import import check_source
from reviewer.protocols.declared.declared_protocol import protocol_of_text
from reviewer.protocols.declared.row_values import value_of_cell
from reviewer.protocols.registry import Protocols

DECLARATION = """
[protocol]
name = "scored"
version = 1
title = "Scored"
[fields]
text = "text"
[published.score]
column = "score"
[pane.text]
fields = "text"
[question.good]
prompt = "Good?"
labels = ["yes", "no"]
shows = "text"
"""


@pytest.mark.parametrize(
    ("cell", "number"),
    [("0,85", 0.85), ("-3,5", -3.5), ("1.234,5", 1234.5), ("0,850", 0.85), ("12", 12), ("0.85", 0.85)],
)
def test_decimal_comma_is_read(cell: str, number: float) -> None:
    assert value_of_cell(cell, "number") == number


@pytest.mark.parametrize("cell", ["1,234", "12,345", "-1,234"])
def test_comma_that_may_part_thousands_is_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="whose comma may be a decimal sign or part thousands"):
        value_of_cell(cell, "number")


def test_published_numbers_may_have_a_decimal_comma(tmp_path: Path) -> None:
    cells = ["0,85", "1.234,5", "0.5", "0,90", "1,234", "12,345", "007", "9" * 30 + ",5"]
    rows = "".join(f'{number};"{cell}"\n' for number, cell in enumerate(cells))
    (tmp_path / "s.csv").write_text(f"text;score\n{rows}", encoding="utf-8")
    protocol = protocol_of_text(DECLARATION, "s.toml")
    read = check_source(tmp_path / "s.csv", "mine", protocol="scored", protocols=Protocols(protocol)).incoming
    values = [published.value for entry in read.entries for published in entry.published]
    assert values == [0.85, 1234.5, 0.5, 0.9, "1,234", "12,345", "007", "9" * 30 + ",5"]
    assert [notice for notice in read.notices if "comma" in notice] == [
        "s.csv, column 'score': texts such as 1,234 are not read as numbers, "
        "since the comma may be a decimal sign or part thousands"
    ]
