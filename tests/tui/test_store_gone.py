"""The store goes away: home and deciding offer a new file for saved work, as reviewing does."""

from contextlib import closing
from pathlib import Path

from textual.widgets import Input

from reviewer.exchange.packs.store_files import merge_file
from reviewer.study.design.closing import close_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.rescue import RescueDialog
from reviewer.tui.screens.home import HomeScreen
from store.backup import back_up
from store.database import Database
from store.ledger import Ledger
from tests.tui.conftest import WIDE, Opened, Opener, press, saved, seen, settle


def take_away(tmp_path: Path) -> None:
    """Delete the store and the files next to it."""
    for file in tmp_path.glob("store.db*"):
        file.unlink()


async def write_to(pilot: Opened, path: Path) -> None:
    assert isinstance(pilot.app.screen, RescueDialog)
    pilot.app.screen.query_one(Input).value = str(path)
    await press(pilot, "enter")


def words(pilot: Opened) -> str:
    return " ".join("".join(" " if sign in "│┃▌▐█▎▊" else sign for sign in seen(pilot)).split())


async def test_an_adjudicators_decisions_are_written_to_a_new_file(
    study: str, database: Database, tmp_path: Path
) -> None:
    for rater in ("anna", "ben"):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer("True" if rater == "anna" else "False")
    close_study(database, "pilot", "lead")
    backup, rescued = tmp_path / "backup.db", tmp_path / "rescued.db"
    back_up(tmp_path / "store.db", backup)
    app = ReviewerApp(database, "zoe", "pilot", adjudicating=True)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        # Keys that still waited for a decision to be saved would come when the store has gone.
        for keys in (["enter", "t", *"because", "enter"], ["s"], ["t", *"again", "enter"], ["u"]):
            await press(pilot, *keys)
        before = saved(database)
        take_away(tmp_path)
        await press(pilot, "t", *"lost", "enter")
        assert "All decisions that zoe in study pilot has" in words(pilot)
        await write_to(pilot, rescued)
        await press(pilot, "escape")
        assert f"{rescued} holds 4 decisions of zoe" in words(pilot)
        assert "reviewer merge" in words(pilot)
    with closing(Database.open(str(backup))) as lead:
        merge_file(lead, rescued, trusted=True)
        assert sorted(map(str, saved(lead))) == sorted(map(str, before))
        assert {event.rater for event in Ledger(lead).events("pilot") if event.kind == "adjudication"} == {
            "zoe"
        }


async def test_home_offers_a_file_for_each_study_that_was_worked_in(
    opened: Opener, study: str, database: Database, tmp_path: Path
) -> None:
    rescued = tmp_path / "rescued.db"
    async with opened(None) as pilot:
        await press(pilot, "enter", "t", "f", "q")
        assert isinstance(pilot.app.screen, HomeScreen)
        take_away(tmp_path)
        await press(pilot, "enter")
        assert "All answers that anna in study pilot has" in words(pilot)
        await write_to(pilot, rescued)
        assert isinstance(pilot.app.screen, HomeScreen)
        assert f"{rescued} holds 2 of 12 answers" in words(pilot)
        await press(pilot, "c")
        await press(pilot, "escape")
    with closing(Database.open(str(rescued))) as again:
        assert ReviewSession(again, "pilot", "anna").done_count == 2


async def test_home_says_that_the_store_is_gone_where_nothing_was_worked_in(
    opened: Opener, study: str, tmp_path: Path
) -> None:
    async with opened(None) as pilot:
        take_away(tmp_path)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, HomeScreen)
        assert "was moved or deleted" in words(pilot)
