"""Looking through some cases only: the keys that move honour it, the heading says it, one key ends it."""

from pathlib import Path

import pytest

from reviewer.core.personal_settings import Settings, load_settings
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.filter import FilterDialog
from reviewer.tui.screens.review import ReviewScreen
from store.database import Database
from tests.studies import a_case, fill
from tests.tui.conftest import NARROW, WIDE, Opened, Opener, press, put_card_away, saved, seen, settle

pytestmark = pytest.mark.usefixtures("study")


def session_of(pilot: Opened) -> ReviewSession:
    screen = pilot.app.screen
    assert isinstance(screen, ReviewScreen)
    return screen.session


async def choose(pilot: Opened, words: str) -> None:
    await press(pilot, "i")
    dialog = pilot.app.screen
    assert isinstance(dialog, FilterDialog)
    steps = [offer.words for _, offer in dialog._lines if offer].index(words)
    await press(pilot, *["down"] * steps, "enter")


async def test_next_and_previous_go_through_the_flagged_ones(opened: Opener) -> None:
    async with opened(size=NARROW) as pilot:
        await press(pilot, "n", "x", "n", "n", "x", "b", "b", "b")
        await choose(pilot, "flagged")
        assert "▽ only flagged" in seen(pilot)
        assert session_of(pilot).position == 1
        await press(pilot, "n")
        assert session_of(pilot).position == 3
        await press(pilot, "n")
        assert "This is the last case among those that are flagged." in seen(pilot)
        await press(pilot, "b")
        assert session_of(pilot).position == 1
        await press(pilot, "I", "n")
        assert "▽" not in seen(pilot)
        assert session_of(pilot).position == 2


async def test_an_answer_stays_among_what_is_looked_through(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "n", "x", "n", "n", "x")
        await choose(pilot, "flagged")
        await press(pilot, "b", "t")
        assert session_of(pilot).position == 3
        await press(pilot, "f")
        assert "▽" not in seen(pilot)
        assert session_of(pilot).position == 4
        assert [value for kind, value in saved(database) if kind == "label"] == ["True", "False"]


async def test_next_open_and_undo_work_within_a_filter(opened: Opener) -> None:
    async with opened() as pilot:
        await choose(pilot, "open")
        await press(pilot, "t", "t")
        assert session_of(pilot).position == 2
        await press(pilot, "u")
        assert session_of(pilot).position == 1
        await press(pilot, "o")
        assert session_of(pilot).position == 2


async def test_what_leaves_nothing_is_not_kept(opened: Opener, database: Database) -> None:
    fill(database, "two", [a_case(0), a_case(1, "framing effect")])
    create_study(database, "two", Design(("two",), None, 1))
    async with opened("two") as pilot:
        await choose(pilot, "framing effect")
        await press(pilot, "x", "I")
        await choose(pilot, "flagged")
        assert session_of(pilot).case.group == "framing effect"
        await choose(pilot, "anchoring bias")
        assert "No case is flagged, anchoring bias; all cases are shown again." in seen(pilot)
        assert "▽" not in seen(pilot)


async def test_choosing_again_takes_away_and_escape_changes_nothing(opened: Opener) -> None:
    async with opened() as pilot:
        await choose(pilot, "open")
        assert "▽ only open" in seen(pilot)
        await press(pilot, "i", "escape")
        assert "▽ only open" in seen(pilot)
        await choose(pilot, "open")
        assert "▽" not in seen(pilot)


async def test_the_pace_is_shown_hidden_and_that_is_kept(database: Database, tmp_path: Path) -> None:
    for _ in range(6):
        ReviewSession(database, "pilot", "anna").answer("True")
    file = tmp_path / "settings.toml"
    app = ReviewerApp(database, "anna", "pilot", Settings(), file)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        assert "6 of 12 done · 6 left · about 1 min" in seen(pilot)
        await press(pilot, "h")
        assert "6 of 12 done" in seen(pilot)
        assert "left" not in seen(pilot).splitlines()[0]
    assert load_settings(file).pace is False
