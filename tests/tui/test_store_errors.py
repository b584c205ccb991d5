"""When the store does not take a verdict, the screen says so and stays where it is."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from textual.events import Key

from reviewer.core.errors import RequestError
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.studies import a_study
from tests.tui.conftest import NARROW, WIDE, Opener, press, saved, seen, settle


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A store that does not wait long for a lock."""
    monkeypatch.setattr("store.sqlite.BUSY_TIMEOUT_MS", 20)
    opened = Database.open(str(tmp_path / "store.db"))
    a_study(opened)
    yield opened
    opened.close()


@contextmanager
def locked(database: Database) -> Iterator[None]:
    with closing(sqlite3.connect(database.location, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_locked_store_is_named_and_nothing_moves(
    opened: Opener, database: Database, size: tuple[int, int]
) -> None:
    async with opened(size=size) as pilot:
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
