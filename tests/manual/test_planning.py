"""The manual's page on planning has the estimates, figures and assumptions of this release."""

from dataclasses import fields

from reviewer.cli.machines import SIZES, WORKERS
from reviewer.manual.manual_pages import manual_page
from reviewer.planning.estimates import (
    ASSUMED,
    MEASURED,
    MeasuredFigures,
    Planner,
    WorkEstimate,
    assumption_words,
    dollars,
    duration,
    size,
)

PAGE = manual_page("planning").text


def cell(estimate: WorkEstimate) -> str:
    """Time and cost, and storage where there is some."""
    parts = [duration(estimate.seconds), dollars(estimate.dollars)]
    return ", ".join([*parts, size(estimate.stored)] if estimate.stored else parts)


def plain(value: float) -> str:
    """A number without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.10f}".rstrip("0")


def estimates() -> str:
    """The page's table: a row for each kind of work, a column for each number of cases."""
    columns = [list(Planner().all_work(number, WORKERS)) for number in SIZES]
    heads = ["work", *(f"{number:,} cases" for number in SIZES)]
    rows = [[row[0].work, *map(cell, row)] for row in zip(*columns, strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *rows])


def test_the_table_of_estimates_is_current() -> None:
    assert estimates() in PAGE, f"the page needs this table:\n{estimates()}"


def test_every_figure_stands_with_its_value() -> None:
    missing = [
        row
        for field in fields(MeasuredFigures)
        if (row := f"| `{field.name}` | {plain(getattr(MEASURED, field.name))} |") not in PAGE
    ]
    assert missing == []


def test_every_assumption_stands_there() -> None:
    assert [words for words in assumption_words(ASSUMED) if words not in PAGE] == []
