"""Marking spans on screen: keys of a review, drafts, and the spans of raters side by side for a decision."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.widgets import TextArea

from reviewer.study.design.closing import close_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.screens.adjudication import DisputeScreen
from reviewer.tui.screens.review import ReviewScreen
from store.database import Database
from tests.marked_texts import answer, marked_study
from tests.rounds import mostly_slow
from tests.tui.conftest import NARROW, WIDE, Opener, press, saved, seen, settle

FOOL = ("absolute fool", "insult")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(marked_study(tmp_path, ("anna", "ben"))) as opened_store:
        yield opened_store


def at(screen: object) -> ReviewSession:
    assert isinstance(screen, ReviewScreen)
    return screen.session


def go_to(session: ReviewSession, key: str) -> None:
    keys = [session.bundle.places[slot.case].key for slot in session.slots]
    session.go_to(keys.index(key))


@mostly_slow(3)
@pytest.mark.parametrize("size", [NARROW, WIDE, (60, 20)])
async def test_keys_mark_spans_and_enter_saves_them(
    opened: Opener, database: Database, size: tuple[int, int]
) -> None:
    async with opened("toxic", size=size) as pilot:
        session = at(pilot.app.screen)
        go_to(session, "c1")
        await press(pilot, "x", "full_stop", "space", "full_stop", "full_stop")
        assert "Selected: “absolute fool” 4–17" in seen(pilot)
        await press(pilot, "1")
        assert "Marked: insult “absolute fool” 4:17." in seen(pilot)
        assert "‹1·absolute fool·1›" in seen(pilot).replace("\n", " ")
        assert "✎ not saved" in seen(pilot) or "✎" in seen(pilot)
        await press(pilot, "enter")
        assert saved(database, "toxic")[-1] == ("label", answer("c1", FOOL))


async def test_a_word_is_marked_without_a_selection_and_taken_away_again(
    opened: Opener, database: Database
) -> None:
    async with opened("toxic", size=NARROW) as pilot:
        go_to(at(pilot.app.screen), "c2")
        await press(pilot, "x", "full_stop", "1")
        assert "Marked: insult “मूर्ख” 4:9." in seen(pilot)
        await press(pilot, "backspace")
        assert "No longer marked: insult “मूर्ख” 4:9." in seen(pilot)
        await press(pilot, "backspace")
        assert "There is no span at the cursor." in seen(pilot)
        await press(pilot, "enter")
        assert "Mark spans, or say that there is nothing to mark; then save." in seen(pilot)
        await press(pilot, "0", "enter")
        assert saved(database, "toxic")[-1] == ("label", answer("c2"))


async def test_arrows_move_the_cursor_here_and_go_to_the_next_case_elsewhere(
    opened: Opener, database: Database
) -> None:
    async with opened("toxic", size=WIDE) as pilot:
        session = at(pilot.app.screen)
        position = session.position
        await press(pilot, "right", "right", "left", "down", "up", "end", "home")
        assert session.position == position
        await press(pilot, "n")
        assert session.position == position + 1


async def test_selecting_a_word_at_once_takes_that_word(opened: Opener, database: Database) -> None:
    async with opened("toxic", size=WIDE) as pilot:
        go_to(at(pilot.app.screen), "c1")
        await press(pilot, "x", "full_stop", "greater_than_sign")
        assert "Selected: “absolute” 4–12" in seen(pilot)
        await press(pilot, "greater_than_sign")
        assert "Selected: “absolute fool” 4–17" in seen(pilot)


async def test_undo_takes_back_marks_that_are_not_saved_before_a_saved_answer(
    opened: Opener, database: Database
) -> None:
    async with opened("toxic", size=WIDE) as pilot:
        go_to(at(pilot.app.screen), "c2")
        await press(pilot, "x", "0", "enter")
        go_to(at(pilot.app.screen), "c1")
        await press(pilot, "x", "1", "full_stop", "2", "u")
        assert "‹1·You·1›" in seen(pilot)
        assert "‹2·" not in seen(pilot).partition("your question")[0].partition("insult")[0]
        await press(pilot, "u")
        assert "✎" not in seen(pilot)
        assert "undo" not in [kind for kind, _ in saved(database, "toxic")]
        await press(pilot, "u")
        assert "undo" in [kind for kind, _ in saved(database, "toxic")]


async def test_the_legend_has_the_keys_that_move_the_cursor(opened: Opener, database: Database) -> None:
    async with opened("toxic", size=WIDE) as pilot:
        assert "next word" in seen(pilot)
        assert "next letter" in seen(pilot)


async def test_marks_that_are_not_saved_outlast_the_app(opened: Opener, database: Database) -> None:
    for expected in ("", "‹1·You·1›"):
        async with opened("toxic", size=NARROW) as pilot:
            go_to(at(pilot.app.screen), "c1")
            await press(pilot, "x")
            assert expected in seen(pilot)
            if not expected:
                await press(pilot, "1")
    async with opened("toxic", size=NARROW) as pilot:
        go_to(at(pilot.app.screen), "c1")
        await press(pilot, "x", "enter")
        assert saved(database, "toxic")[-1] == ("label", answer("c1", ("You", "insult")))


async def test_an_adjudicator_sees_spans_side_by_side_and_begins_with_those_of_a_rater(
    opened: Opener, database: Database
) -> None:
    given = {
        "anna": answer("c1", FOOL),
        "ben": answer("c1", ("fool", "insult"), ("I will find you", "threat")),
    }
    for rater, said in given.items():
        session = ReviewSession(database, "toxic", rater)
        go_to(session, "c1")
        session.answer(said)
    close_study(database, "toxic", "kim", anyway=True)
    app = ReviewerApp(database, "zoe", "toxic", adjudicating=True)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DisputeScreen)
        shown = seen(pilot)
        assert "‹1·absolute fool·1›" in shown
        assert "absolute ‹1·fool·1›, ‹2·I will find you·2›" in shown
        await press(pilot, "a")
        await settle(pilot)
        assert "These are the spans of answer 1 of 2" in seen(pilot)
        assert seen(pilot).count("‹1·") > shown.count("‹1·")
        await press(pilot, "enter")
        app.screen.query_one(TextArea).text = "the shortest"
        await press(pilot, "enter")
        assert "dispute 1 = " in seen(pilot)
    assert [kind for kind, _ in saved(database, "toxic")].count("adjudication") == 1
