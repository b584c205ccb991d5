"""Estimates drawn as bars: on one axis, with the place of guessing, and back to the table with a key."""

import pytest

from reviewer.core.estimate import Estimate, Interval
from reviewer.tui.rendering.grid import DrawnEstimate, Grid, GridCell, bars, legend_of_bars
from reviewer.tui.screens.agreement_screen import AgreementScreen
from reviewer.tui.widgets.number_grid import NumberGrid
from store.database import Database
from tests.judged import judged_study
from tests.tui.conftest import Opener, press, seen


def a_grid(*spans: DrawnEstimate | None, percent: bool = True) -> Grid:
    rows = [
        (
            GridCell((f"row {at}",)),
            GridCell(("1.0 [0, 2]", "below"), at, {"group": str(at)}, "told", span=span),
        )
        for at, span in enumerate(spans)
    ]
    return Grid(("group", "model"), tuple(rows), height=3, percent=percent)


def drawn(grid: Grid, width: int = 80) -> list[str]:
    return [row[1].lines[0] for row in bars(grid, 1, width).rows]


def test_an_interval_and_its_value_stand_at_their_places_on_the_axis() -> None:
    line, axis = drawn(a_grid(DrawnEstimate(0.5, 0.25, 0.75, 1.0)))
    last = len(axis) - 1
    assert [line.index(sign) for sign in "├●┤┊"] == [round(last * at) for at in (0.25, 0.5, 0.75, 1)]
    assert axis.startswith("0")
    assert axis.endswith("100")
    assert line[0] == "│", "where nothing is"


def test_what_guessing_gives_is_seen_within_an_interval() -> None:
    line, _ = drawn(a_grid(DrawnEstimate(0.6, 0.2, 1.0, 0.4)))
    assert line.index("├") < line.index("┊") < line.index("●")
    grid = a_grid(DrawnEstimate(0.6, 0.2, 1.0))
    assert "┊" not in drawn(grid)[0] + legend_of_bars(grid, 1)
    assert "guessing" in legend_of_bars(a_grid(DrawnEstimate(0.6, 0.2, 1.0, 0.4)), 1)


@pytest.mark.parametrize(
    ("spans", "words"),
    [
        ((DrawnEstimate(0.6, 0.2, 1.0),), "├─●─┤ interval and value"),
        ((DrawnEstimate(0.6),), "○ value"),
        ((DrawnEstimate(0.6, 0.2, 1.0), DrawnEstimate(0.6)), "├─●─┤ interval and value, ○ value without one"),
        ((DrawnEstimate(0.6, reference=0.5), None), "○ value, ┊ what guessing gives"),
        ((None,), ""),
    ],
)
def test_the_legend_of_bars_names_only_signs_that_are_drawn(
    spans: tuple[DrawnEstimate | None, ...], words: str
) -> None:
    assert legend_of_bars(a_grid(*spans), 1) == words


def test_values_below_zero_and_few_points_have_an_axis_of_round_numbers() -> None:
    *lines, axis = drawn(a_grid(DrawnEstimate(-0.013, -0.021, -0.004), DrawnEstimate(0.006, 0.001, 0.012)))
    assert axis.replace("─", " ").split() == ["-3", "-2", "-1", "0", "1", "2"]
    assert lines[0].index("●") < lines[0].index("│") < lines[1].index("●")


def test_a_value_without_an_interval_and_a_cell_without_a_value() -> None:
    few = DrawnEstimate.of(Estimate(0.4, 3, interval=Interval(0.1, 0.7, 0.95, "t")).resting_on(3))
    assert few is not None
    assert (few.low, few.high) == (None, None)
    first, second, _ = drawn(a_grid(few, None))
    assert "○" in first
    assert "├" not in first
    assert second == ""
    assert DrawnEstimate.of(Estimate.undefined("one category", 4)) is None


@pytest.mark.parametrize("width", [40, 80, 160])
def test_bars_fit_beside_names_and_numbers(width: int) -> None:
    grid = bars(a_grid(DrawnEstimate(0.5, 0.25, 0.75)), 1, width)
    row = grid.rows[0]
    assert sum(len(cell.lines[0]) for cell in row[:3]) <= width
    assert [cell.where for cell in row[1:]] == [{"group": "0"}] * 3, "enter lists the same items"
    assert row[2].lines == ("1.0 [0, 2]",)
    assert row[3].lines == ("below" if width > 40 else "",)


async def test_a_key_draws_a_column_and_arrows_draw_the_next(opened: Opener, database: Database) -> None:
    judged_study(database, per_generator=10)
    async with opened(None, rater="anna") as pilot:
        await press(pilot, "a")
        screen = pilot.app.screen
        assert isinstance(screen, AgreementScreen)
        assert "├" not in seen(pilot)
        await press(pilot, "t")
        assert seen(pilot).count("┤") == 5, "the legend, three generators, all"
        assert "same task" in seen(pilot)
        assert "bias presence" not in seen(pilot)
        assert "→ next column" in seen(pilot)
        await press(pilot, "right")
        assert "bias presence" in seen(pilot)
        await press(pilot, "down")
        await pilot.resize_terminal(80, 24)
        assert seen(pilot).rstrip().endswith("q back"), "the hints fit"
        assert screen.query_one(NumberGrid).cursor_row == 1
        await press(pilot, "t")
        assert "┤" not in seen(pilot)
        assert screen.drawn_column is None
