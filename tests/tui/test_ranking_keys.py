"""Outputs are ranked by their digits, the best first; one key ties, one says that all are equal."""

import json
from pathlib import Path

import pytest

from reviewer.results.labels.study_statistics import StudyStatistics
from reviewer.study.design.closing import close_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.rendering.agreement_grid import grid_of, views_of
from store.database import Database
from store.ledger import Ledger
from tests.rankings import a_ranked_study
from tests.studies import open_store
from tests.tui.conftest import NARROW, WIDE, Opener, press, press_in_turn, seen, settle


@pytest.fixture
def database(tmp_path: Path) -> Database:
    made = open_store(tmp_path)
    a_ranked_study(made, tmp_path)
    return made


def sizes(database: Database) -> list[list[int]]:
    """How many outputs each group of each ranking holds."""
    return [
        [len(group) for group in json.loads(event.value or "")]
        for event in Ledger(database).events("pilot")
        if event.kind == "label"
    ]


async def test_digits_rank_and_equals_ties(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "3", "1", "equals_sign", "4")
        shown = seen(pilot)
        assert "A 1=" in shown
        assert "C 1=" in shown
        assert "D 3" in shown
        assert "C = A > D, not saved" in shown
        await press(pilot, "enter")
        assert "Rank B too; then save." in seen(pilot)
        assert not sizes(database)
        await press(pilot, "2", "enter")
        assert sizes(database) == [[2, 1, 1]]
        assert "ranking = A = C > D > B (case 1)" in seen(pilot)


async def test_a_second_press_takes_an_output_out_and_a_second_equals_parts(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        await press(pilot, "1", "2", "equals_sign", "equals_sign", "1", "3", "4", "1", "enter")
        assert sizes(database) == [[1, 1, 1, 1]]
        assert "ranking = B > C > D > A (case 1)" in seen(pilot)
        await press(pilot, "0", "enter")
        assert sizes(database)[-1] == [4]
        await press(pilot, "u")
        assert "is open again" in seen(pilot)


async def test_a_narrow_screen_shows_the_ranks_too(opened: Opener, database: Database) -> None:
    async with opened(size=NARROW) as pilot:
        await press(pilot, "2", "1")
        assert "B 1" in seen(pilot)
        assert "A 2" in seen(pilot)
        await press(pilot, "enter")
        assert "Rank C and D too; then save." in seen(pilot)


async def test_a_cell_of_the_heat_map_says_w_and_tau_b(opened: Opener, database: Database) -> None:
    for rater in ("anna", "ben"):
        session = ReviewSession(database, "pilot", rater)
        for _ in session.slots:
            session.answer('[["A"],["B"],["C"],["D"]]')
    numbers = StudyStatistics.read(database, "pilot", "anna")
    (row,) = grid_of(numbers, "heat map", ("generator",)).rows
    assert "W " in row[1].sentence
    assert "answers are rankings" not in row[1].sentence
    assert "ranked outputs" in views_of(numbers)
    assert len(grid_of(numbers, "ranked outputs", ("generator",)).rows) == 4


async def test_an_adjudicator_reads_ranks_next_to_keys(database: Database) -> None:
    for rater, ranking in (("anna", '[["A"],["B"],["C"],["D"]]'), ("ben", '[["D"],["C"],["B"],["A"]]')):
        session = ReviewSession(database, "pilot", rater)
        for _ in session.slots:
            session.answer(ranking)
    close_study(database, "pilot", "kim")
    async with ReviewerApp(database, "zoe", "pilot", adjudicating=True).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press_in_turn(pilot, "enter", "2", "1")
        shown = " ".join(seen(pilot).split())
        assert "1 Atlas (rank 2) 2 Boreal (rank 1) 3 Cumulus" in shown
