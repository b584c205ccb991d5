"""When the store does not take a verdict, the screen says so and stays where it is."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from textual.events import Key

from reviewer.core.errors import RequestError
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.studies import a_study
from tests.tui.conftest import NARROW, WIDE, Opener, press, saved, seen, settle


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A store that does not wait long for a lock."""
    monkeypatch.setattr("store.lock_timeout.USUAL_MS", 20)
    monkeypatch.setattr("reviewer.tui.screens.store_retry.WAITS_SECONDS", 0)
    opened = Database.open(str(tmp_path / "store.db"))
    a_study(opened)
    yield opened
    opened.close()


@contextmanager
def locked(database: Database) -> Iterator[None]:
    with closing(sqlite3.connect(database.location, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


async def test_a_locked_store_is_named_and_nothing_moves(opened: Opener, database: Database) -> None:
    async with opened(size=NARROW) as pilot:
        with locked(database):
            await press(pilot, "t")
            assert "✗ not saved – store" in seen(pilot)
            assert "locked by another program" in " ".join(seen(pilot).split())
            assert "case 1" in seen(pilot)
            assert "● open" in seen(pilot)
            for key in ("s", "x"):
                await press(pilot, key)
                assert "✗ not saved" in seen(pilot)
        assert saved(database) == []
        await press(pilot, "t")
        assert "✓ saved  same task = True (case 1)" in seen(pilot)
        assert saved(database) == [("label", "True")]
        with locked(database):
            await press(pilot, "u")
            assert "✗ not saved" in seen(pilot)
        await press(pilot, "u")
        assert saved(database)[-1] == ("undo", None)


async def test_a_locked_store_is_not_named_in_a_browser(database: Database) -> None:
    app = ReviewerApp(database, "anna", "pilot", alone=True)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        with locked(database):
            await press(pilot, "enter", "t")
            words = " ".join(seen(pilot).split())
            assert "✗ not saved – the server cannot read or write its answers just now" in words
            assert "store" not in words
        assert saved(database) == []


async def test_a_comment_that_is_not_saved_can_be_saved_again(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        with locked(database):
            await press(pilot, "c", *"hm", "enter")
            assert "✗ not saved" in seen(pilot)
        assert saved(database) == []
        await press(pilot, *"m", "enter")
        assert saved(database) == [("comment", "hmm")]


async def test_keys_pressed_while_a_save_hung_are_dropped(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        with locked(database):
            await press(pilot, "t")
        early = Key("t", "t")
        early.time -= 60
        pilot.app.post_message(early)
        await settle(pilot)
        assert saved(database) == []
        await press(pilot, "t")
        assert len(saved(database)) == 1


async def test_while_the_store_is_busy_the_screen_says_so_and_the_key_is_saved_in_the_end(
    opened: Opener, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.tui.screens.store_retry.WAITS_SECONDS", 60)
    async with opened() as pilot:
        with locked(database):
            await press(pilot, "t")
            assert "… waiting for the store" in seen(pilot)
            assert "● open" in seen(pilot)
            await press(pilot, "f", "x")
            assert saved(database) == []
        while not saved(database):
            await pilot.pause(0.02)
        await settle(pilot)
        assert saved(database)[0] == ("label", "True")
        shown = " ".join(seen(pilot).split())
        assert len(saved(database)) == 1
        assert "2 keys pressed meanwhile did nothing" in shown or "nor did 1 key after it" in shown
        await press(pilot, "t")
        assert saved(database)[-1] == ("label", "True")


@pytest.mark.parametrize("slow", [0.0, 60.0])
async def test_keys_held_while_waiting_are_used_after_a_short_wait_and_named_after_a_long_one(
    opened: Opener, database: Database, monkeypatch: pytest.MonkeyPatch, slow: float
) -> None:
    monkeypatch.setattr("reviewer.tui.screens.store_retry.WAITS_SECONDS", 60)
    monkeypatch.setattr("reviewer.tui.screens.store_retry.SLOW_SECONDS", slow)
    async with opened() as pilot:
        with locked(database):
            await press(pilot, "t", "x")
        while not saved(database):
            await pilot.pause(0.02)
        await settle(pilot)
        if slow:
            assert saved(database) == [("label", "True"), ("flag", "flagged")]
        else:
            assert saved(database) == [("label", "True")]
            assert "1 key pressed meanwhile did nothing" in seen(pilot)


@pytest.mark.draws
async def test_home_waits_for_a_busy_store_too(
    opened: Opener, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.tui.screens.store_retry.WAITS_SECONDS", 60)
    async with opened(None, rater="ben") as pilot:
        with locked(database):
            await press(pilot, "enter")
            assert "… waiting for the store" in seen(pilot)
        while "case 1 of 3" not in seen(pilot):
            await pilot.pause(0.02)


async def test_home_names_what_is_wrong_with_the_store(opened: Opener, database: Database) -> None:
    async with opened(None, rater="ben") as pilot:
        with locked(database):
            await press(pilot, "enter")
            assert "locked by another program" in seen(pilot)
        await press(pilot, "enter")
        assert "case 1 of 3" in seen(pilot)


def test_an_unknown_study_is_an_error_before_the_terminal_is_taken(database: Database) -> None:
    with pytest.raises(RequestError, match="not in the store"):
        ReviewerApp(database, "anna", "nowhere")


async def test_an_undo_that_waits_for_the_store_goes_no_further_back_than_what_was_in_view(
    opened: Opener, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.tui.screens.store_retry.WAITS_SECONDS", 60)
    async with opened() as pilot:
        await press(pilot, "t", "t", "t")
        other = ReviewSession(database, "pilot", "anna")
        with locked(database):
            await press(pilot, "u")
            assert "… waiting for the store" in seen(pilot)
        other.undo()
        while "waiting for the store" in seen(pilot):
            await pilot.pause(0.02)
        assert saved(database) == [("label", "True")] * 3 + [("undo", None)]
        assert "already taken that back" in " ".join(seen(pilot).split())
        await press(pilot, "u")
        assert saved(database)[-2:] == [("undo", None)] * 2
