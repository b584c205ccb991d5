"""Numbers for people and for programs: how they are rounded, and that nothing else rounds."""

import ast
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import reviewer
from reviewer.core.estimate import Estimate, Interval
from reviewer.core.number_text import (
    all_digits,
    fixed,
    percent,
    points,
    short_number,
    short_seconds,
    significant,
    sum_text,
    whole,
    with_interval,
)
from tests.parsed import parsed

FOLDER = Path(reviewer.__file__).parent
WITH_ROUNDING_OF_THEIR_OWN = {
    "core/number_text.py",
    "protocols/templates/expressions.py",  # a template's own round(), which is content
}


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (19 / 40, 2, ".48"),
        (-19 / 40, 2, "-.48"),
        (0.925, 2, ".93"),
        (1.005, 2, "1.01"),
        (-0.001, 2, ".00"),
        (2 / 3, 3, ".667"),
        (0.5, 0, "1"),
        (1e-31, 2, ".00"),
        (12345678901234567890.0, 2, "12345678901234567000.00"),
    ],
)
def test_people_see_values_rounded_half_up_on_the_shortest_form(
    value: float, digits: int, shown: str
) -> None:
    assert short_number(value, digits) == shown


def test_number_of_ten_or_more_keeps_all_its_digits() -> None:
    assert [short_number(value) for value in (10.5, -20.31, 100.2, 1.02)] == [
        "10.50",
        "-20.31",
        "100.20",
        "1.02",
    ]


def test_percent_sums_and_significant_digits_round_alike() -> None:
    assert (percent(0.125), percent(0.285), percent(19 / 400, 1)) == ("13%", "29%", "4.8%")
    assert (points(0.2855), points(-0.0004), fixed(2.345)) == ("28.6", "0.0", "2.35")
    assert (sum_text(3.0), sum_text(1234.565), whole(1234.5)) == ("3", "1,234.57", "1,235")
    assert (significant(0.0125, 2), significant(1.25e-7, 2), significant(123.0, 4)) == (
        "0.013",
        "1.3e-07",
        "123",
    )


@pytest.mark.parametrize(("level", "shown"), [(0.95, "95%"), (0.975, "97.5%"), (0.6, "60%"), (1.0, "100%")])
def test_level_is_shown_as_it_was_set(level: float, shown: str) -> None:
    assert percent(level, None) == shown


def test_programs_get_fifteen_significant_digits() -> None:
    assert all_digits(1.7e-31) == 1.7e-31
    assert all_digits(1 / 3) == 0.333333333333333
    assert all_digits(0.1 + 0.2) == 0.3
    assert math.copysign(1, all_digits(-0.0) or 1.0) == 1
    assert all_digits(None) is None


def test_value_of_one_case_is_marked_although_it_has_no_interval() -> None:
    alone, two = (
        Estimate(1.0, 1).resting_on(1),
        Estimate(1.0, 2, interval=Interval(0, 1, 0.95, "t")).resting_on(2),
    )
    assert with_interval(alone) == with_interval(two) == "1.00°"
    assert with_interval(Estimate.undefined("one category", 1).resting_on(1)) is None
    assert with_interval(Estimate(0.5, 12).resting_on(4, "questions")) == ".50°"


def test_no_other_module_rounds_numbers() -> None:
    rounding = {
        str(path.relative_to(FOLDER)): sorted(set(_roundings(path)))
        for path in sorted(FOLDER.rglob("*.py"))
        if str(path.relative_to(FOLDER)) not in WITH_ROUNDING_OF_THEIR_OWN
    }
    assert {path: lines for path, lines in rounding.items() if lines} == {}


_MAYBE = re.compile(r"\bround\(|:[^\"'\n]*\.[\d{]")
"""What stands in every file that rounds. Parsing all files would take seconds."""


def _roundings(path: Path) -> Iterator[int]:
    """Lines with a format such as .2f in an f-string, or with ``round`` to some decimals."""
    if not _MAYBE.search(path.read_text(encoding="utf-8")):
        return
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FormattedValue) and re.search(r"\.(\d+|\{)", _format(node)):
            yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
            yield from [node.lineno] * (node.func.id == "round")


def _format(node: ast.FormattedValue) -> str:
    """The format of a value in an f-string, with a brace for each value inside it."""
    parts = getattr(node.format_spec, "values", ())
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{" for part in parts)


def test_short_seconds_keep_a_decimal_below_ten() -> None:
    assert [*map(short_seconds, (0.0, 0.04, 0.2, 1.94, 9.96, 10.4))] == [
        "0.0",
        "<0.1",
        "0.2",
        "1.9",
        "10.0",
        "10",
    ]
