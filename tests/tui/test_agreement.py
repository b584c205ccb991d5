"""The agreement screen: who may see it, what stands on it, and the way to a case."""

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from itertools import pairwise

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES
from textual.widgets import OptionList

from reviewer.core.errors import RequestError
from reviewer.results.labels.coefficient_choice import first_coefficients
from reviewer.results.labels.study_statistics import StudyStatistics
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.blinding import without_draw
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.rendering.agreement_grid import divisions_of, grid_of
from reviewer.tui.screens.agreement_screen import AgreementScreen
from reviewer.tui.screens.disagreements_screen import DisagreementsScreen, VerdictsScreen
from reviewer.tui.screens.home import HomeScreen
from reviewer.tui.styles import OWN_THEMES
from reviewer.tui.widgets.number_grid import NumberGrid, shaded
from store.database import Database
from tests.judged import judge, judged_study
from tests.studies import BIASES, a_case, a_study, fill, with_questions
from tests.tui.conftest import NARROW, Opener, press, press_in_turn, seen

HOSTILE = "x([red]) \x1b[31m [/a] \u202eevil"


@pytest.fixture
def judged(database: Database) -> Database:
    judged_study(database, per_generator=16, comment=HOSTILE)
    return database


async def test_who_has_not_finished_is_told_why_not(opened: Opener, database: Database) -> None:
    a_study(database)
    ReviewSession(database, "pilot", "anna").answer("True")
    async with opened(None) as pilot:
        await press(pilot, "a")
        assert isinstance(pilot.app.screen, HomeScreen)
        assert "Raters judge alone" in seen(pilot)
        assert "you have answered 1 of 12" in seen(pilot)


async def test_without_a_study_there_is_a_sentence(opened: Opener) -> None:
    async with opened(None) as pilot:
        await press(pilot, "a")
        assert "no study yet whose agreement" in seen(pilot)


async def test_the_heat_map_says_percent_kappa_and_ac1_and_scrolls(opened: Opener, judged: Database) -> None:
    async with opened(None, NARROW) as pilot:
        await press(pilot, "a")
        assert isinstance(pilot.app.screen, AgreementScreen)
        shown = seen(pilot)
        for word in (
            "heat map",
            "gpt-4o-mini",
            "same task",
            "κ",
            "AC1",
            "%",
            "~",
            "enter disagreements",
        ):
            assert word in shown, word
        await press(pilot, "right")
        assert "labels are True" in " ".join(seen(pilot).split())
        await press_in_turn(pilot, *["left"] * 6, "enter")
        assert isinstance(pilot.app.screen, AgreementScreen)
        assert "This cell has no list" in seen(pilot)
        await press_in_turn(pilot, "v", *["right"] * 9)
        assert pilot.app.screen.query_one(NumberGrid).fixed_columns == 1
        assert "reconstruction" in seen(pilot), "what a row is about stays while the numbers scroll"


def test_subtotals_of_the_heat_map_have_a_value_for_each_question(judged: Database) -> None:
    numbers = StudyStatistics.read(judged, "pilot", "tom")
    by_generator = grid_of(numbers, "heat map", ("generator",)).rows
    subtotals = [
        row for row in grid_of(numbers, "heat map", ("generator", "group")).rows if "· all" in row[0].lines[0]
    ]
    assert [row[0].lines[0] for row in subtotals] == [f"{row[0].lines[0]} · all" for row in by_generator[:-1]]
    assert [[cell.lines for cell in row[1:]] for row in subtotals] == [
        [cell.lines for cell in row[1:]] for row in by_generator[:-1]
    ]


def test_a_cell_of_few_cases_has_no_colour_but_its_number(database: Database) -> None:
    judged_study(database, per_generator=4)
    numbers = StudyStatistics.read(database, "pilot", "tom")
    first, *_, pooled = grid_of(numbers, "heat map", ("generator",)).rows
    assert (first[1].lines, first[1].shade, first[1].hatched) == (("░ 4 cases",), None, True)
    assert first[-1].lines == ("░ 4 cases",), "all questions about four cases are still four cases"
    assert pooled[1].shade is not None
    assert not pooled[1].hatched
    assert "too few cases for intervals" in first[1].sentence


def test_colours_go_from_none_to_all_in_both_themes() -> None:
    for theme in OWN_THEMES:
        grounds = [
            Color.parse(str(shaded(theme.to_color_system().generate(), share).bgcolor.name))  # type: ignore[union-attr]
            for share in (0.0, 0.5, 1.0)
        ]
        steps = [abs(one.brightness - other.brightness) for one, other in pairwise(grounds)]
        assert min(steps) > 0.1, (theme.name, steps)


def test_every_theme_has_a_heat_map() -> None:
    for theme in BUILTIN_THEMES.values():
        shaded(theme.to_color_system().generate(), 0.5)


async def test_the_head_names_the_table_that_is_seen_while_another_is_computed(
    opened: Opener, judged: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(None) as pilot:
        await press(pilot, "a")
        screen = pilot.app.screen
        assert isinstance(screen, AgreementScreen)
        monkeypatch.setattr(screen, "compute", lambda wanted: None)
        await press(pilot, "b")
        shown = seen(pilot)
        assert "heat map · rows by generator" in shown
        assert "Computing heat map by group" in shown


async def test_every_table_can_be_reached_and_sorted(opened: Opener, judged: Database) -> None:
    async with opened(None) as pilot:
        await press_in_turn(pilot, "a", "p")
        assert "unanimity" in seen(pilot), "pass rates are two keys from home"
        await press_in_turn(pilot, "q", "a")
        await press(pilot, "v")
        assert "coefficients" in seen(pilot)
        assert "AC1" in seen(pilot)
        assert " mean " in seen(pilot)
        await press_in_turn(pilot, *["right"] * 9)
        assert pilot.app.screen.query_one(NumberGrid).fixed_columns == 3
        assert "reconstruction" in seen(pilot), "what a row is about stays while the numbers scroll"
        await press(pilot, "v")
        assert "unanimity" in seen(pilot)
        await press(pilot, "v")
        assert "others" in seen(pilot)
        assert "cara" in seen(pilot)
        await press_in_turn(pilot, *["left"] * 10, *["right"] * 2)
        assert "passing: share of the rater's labels that are the passing label." in seen(pilot)
        await press_in_turn(pilot, "left", "v", "b")
        assert "anchoring bias" in seen(pilot)
        grid = pilot.app.screen.query_one(NumberGrid)

        def column() -> list[float | str]:
            assert grid.grid is not None
            return [row[1].order for row in grid.grid.rows]

        before = column()
        await press(pilot, "s")
        assert column() == sorted(column(), key=float)
        assert "▲" in seen(pilot)
        await press(pilot, "s")
        assert column() == sorted(column(), key=float, reverse=True)
        await press(pilot, "s")
        assert column() == before


async def test_from_a_cell_to_its_disagreements_to_a_case_and_back(opened: Opener, judged: Database) -> None:
    async with opened(None) as pilot:
        await press_in_turn(pilot, "a", "right", "right", "enter")
        assert isinstance(pilot.app.screen, DisagreementsScreen)
        shown = seen(pilot)
        assert "disagreements · reconstruction · gpt-4o-mini" in shown
        assert "anna: " in shown
        assert "x([red]) ␛[31m [/a]" in shown
        count = pilot.app.screen.query_one(OptionList).option_count
        assert f"{count} disagreements" in shown
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, VerdictsScreen)
        shown = seen(pilot)
        assert f"1 of {count}" in shown
        for word in ("anna", "ben", "cara", "True", "False", "original", "rebuilt", "mean the same"):
            assert word in shown, word
        assert "\x1b" not in shown
        await press(pilot, "n")
        assert f"2 of {count}" in seen(pilot)
        await press_in_turn(pilot, "b", "q", "q", "q")
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_pass_rates_lead_to_the_items_that_do_not_pass(opened: Opener, database: Database) -> None:
    a_study(database)
    for rater in ("anna", "ben"):
        session = ReviewSession(database, "pilot", rater)
        for _ in range(12):
            session.answer("False")
    async with opened(None) as pilot:
        await press_in_turn(pilot, "a", "p")
        assert "enter items that do not pass" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DisagreementsScreen)
        assert " without a passing final label · " in seen(pilot)
        assert "anna: False   ben: False   unanimous: False" in seen(pilot)


def test_closest_votes_come_first_then_cases_with_most_disputes(judged: Database) -> None:
    found = StudyStatistics.read(judged, "pilot", "zoe").disagreements({})
    disputes = Counter(item.place.case for item in found)
    order = [(item.lead, -disputes[item.place.case]) for item in found]
    assert order == sorted(order)
    assert len(set(order)) > 1


async def test_a_closed_study_is_open_to_everybody(opened: Opener, database: Database) -> None:
    judged_study(database, per_generator=2)
    from store.study_tables import StudyRow

    with database.write() as session:
        row = session.get(StudyRow, "pilot")
        assert row is not None
        row.closed_at = "2026-02-01T00:00:00.000Z"
    async with opened(None, rater="zoe") as pilot:
        await press(pilot, "a")
        assert isinstance(pilot.app.screen, AgreementScreen)


async def test_a_grid_that_comes_late_is_not_drawn(opened: Opener, judged: Database) -> None:
    async with opened(None) as pilot:
        await press(pilot, "a")
        screen = pilot.app.screen
        assert isinstance(screen, AgreementScreen)
        numbers = StudyStatistics.read(judged, "pilot", "tom")
        await press(pilot, "v")
        before = seen(pilot)
        wanted = ("raters", ("generator",), 1)
        screen.show_computed((numbers, grid_of(numbers, "raters", ("generator",)), wanted))
        await press(pilot)
        assert seen(pilot) == before


async def test_the_head_says_that_planted_events_are_left_out(opened: Opener, judged: Database) -> None:
    with closing(sqlite3.connect(judged.location)) as connection, connection:
        connection.execute(
            "INSERT INTO events SELECT 'zzzz', study, rater, \"case\", question, question_digest, showing, "
            "phase, kind, value, target, supersedes, at, active_ms, swapped, passage, given, panes, follows, "
            "digest FROM events LIMIT 1"
        )
    async with opened(None) as pilot:
        await press(pilot, "a")
        assert "1 event left out, see store check" in seen(pilot)


async def test_a_lead_puts_the_coefficient_under_the_cursor_first(opened: Opener, judged: Database) -> None:
    async with opened(None) as pilot:
        await press(pilot, "a")
        await press(pilot, "f")
        assert "Choose the column of a coefficient" in seen(pilot)
        await press(pilot, "v")
        grid = pilot.app.screen.query_one(NumberGrid)
        assert grid.grid is not None
        at = grid.grid.fields.index("gwet_ac1")
        await press_in_turn(pilot, *["right"] * (at - 1), "f")
        assert grid.grid.fields[at - 4] == "gwet_ac1", "before the four others"
    numbers = StudyStatistics.read(judged, "pilot", "tom")
    assert first_coefficients(numbers.bundle) == ("gwet_ac1",)


async def test_raters_disputes_and_failed_items_are_two_keys_from_home(
    opened: Opener, judged: Database
) -> None:
    async with opened(None) as pilot:
        await press_in_turn(pilot, "a", "r")
        shown = " ".join(seen(pilot).split())
        assert "pilot · agreement · raters · intervals" in shown, "raters are not divided by generator"
        assert "others: mean share of the other raters" in shown
        assert "With a star: agreement of the other raters without this one" in shown
        assert "b divide rows" not in shown
        await press(pilot, "b")
        assert "no rows to divide" in seen(pilot)
        await press_in_turn(pilot, "q", "a", "d")
        numbers = StudyStatistics.read(judged, "pilot", "zoe")
        assert f"{len(numbers.disagreements({}))} disagreements · all" in seen(pilot)
        await press_in_turn(pilot, "q", "i")
        failed = numbers.not_passing({})
        assert f"{len(failed)} items without a passing final label · all" in seen(pilot)
        assert failed[0].place.key in seen(pilot)


def test_strata_can_be_compared_and_single_generators_divide_nothing(database: Database) -> None:
    cases = [a_case(number, BIASES[number % 2]) for number in range(30)]
    fill(database, "one", cases)
    picked = frozenset(case.digest for case in cases[:10])
    create_study(database, "drawn", Design(("one",), None, 4, only=picked, others=6))
    for rater in ("anna", "ben"):
        judge(database, "drawn", rater)
    numbers = StudyStatistics.read(database, "drawn", "zoe")
    assert divisions_of(numbers) == (("group",), ("stratum",))
    rows = grid_of(numbers, "heat map", ("stratum",)).rows
    assert {row[0].lines[0] for row in rows} == {*numbers.strata.values(), "all"}
    weighted = numbers.weighted(("question", "stratum"))
    assert {result.where["stratum"] for result in weighted} == {"all"}, "within a stratum nothing is weighted"
    stratum = rows[0][0].lines[0]
    listed = numbers.disagreements(rows[0][-1].where or {})
    assert listed
    assert {numbers.strata[item.place.case] for item in listed} == {stratum}
    hidden = StudyStatistics(replace(numbers.bundle, study=without_draw(numbers.bundle.study)), ())
    assert divisions_of(hidden) == (("group",),)
    with pytest.raises(RequestError, match="no strata that you may see"):
        hidden.results(("stratum",))


async def test_groups_of_too_few_cases_are_shown_after_the_whole_sample(
    opened: Opener, database: Database
) -> None:
    fill(database, "one", [a_case(number, BIASES[number % 2]) for number in range(12)])
    create_study(database, "small", Design(("one",), 4, 4))
    for rater in ("anna", "ben"):
        judge(database, "small", rater)
    assert divisions_of(StudyStatistics.read(database, "small", "zoe")) == (("generator",), ("group",))
    async with opened(None) as pilot:
        await press_in_turn(pilot, "a")
        assert "rows by generator · each group has fewer than 5 cases" in seen(pilot)
        assert "8 cases" not in seen(pilot), "the whole sample is large enough for a share"
        await press(pilot, "b")
        assert "rows by group · intervals" in seen(pilot)
        assert "░ 4 cases" in seen(pilot)


@pytest.mark.slow
async def test_names_of_rows_are_whole_where_there_is_room(opened: Opener, judged: Database) -> None:
    async with opened(None) as pilot:
        await press_in_turn(pilot, "a", "b", "b")
        assert "gpt-4o-mini · hyperbolic discounting" in seen(pilot)


def test_raters_are_shown_by_question_where_no_number_is_for_all(database: Database) -> None:
    a_study(database, raters=("anna", "ben"), questions=("same_task", "bias_presence"), copied=False)
    with_questions(database, {"bias_presence": {"labels": ("True", "False", "Unsure")}})
    for rater, label in (("anna", "True"), ("ben", "False")):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer(label)
    grid = grid_of(StudyStatistics.read(database, "pilot", "anna"), "raters", ("group",))
    assert grid.keys == 2
    assert [tuple(cell.lines[0] for cell in row[:2]) for row in grid.rows] == [
        ("same task", "anna"),
        ("same task", "ben"),
        ("bias presence", "anna"),
        ("bias presence", "ben"),
    ]
