"""Cells of CSV files as numbers."""

import pytest

from reviewer.protocols.declared.row_values import value_of_cell


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
