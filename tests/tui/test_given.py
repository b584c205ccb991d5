"""What the app keeps of how an answer was given: where, and with which panes in sight."""

from pathlib import Path

import pytest

from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.studies import a_study
from tests.tui.conftest import NARROW, WIDE, Opener, events, press, put_card_away, settle
from tests.tui.test_trees import audited

FULL = ["axioms", "programs", "proof", "texts"]


@pytest.mark.usefixtures("study")
async def test_the_wide_layout_shows_programs_beside_the_texts(opened: Opener, database: Database) -> None:
    async with opened(size=WIDE) as pilot:
        await press(pilot, "t")
    assert (events(database)[0].given, events(database)[0].panes) == ("app", FULL)


@pytest.mark.usefixtures("study")
async def test_in_the_narrow_layout_only_what_was_looked_at_counts(
    opened: Opener, database: Database
) -> None:
    async with opened(size=NARROW) as pilot:
        await press(pilot, "t")
        await press(pilot, "tab", "t")
    first, second = events(database)
    assert first.panes == ["texts"]
    assert second.panes is not None
    assert len(second.panes) == 2


async def test_the_paper_view_shows_what_is_asked_about(opened: Opener, database: Database) -> None:
    a_study(database, view="paper")
    async with opened(size=WIDE) as pilot:
        await press(pilot, "t")
        await press(pilot, "b", "R", "R")
        await press(pilot, "f")
    first, *_, changed = (event for event in events(database) if event.kind == "label")
    assert first.panes == ["texts"]
    assert set(changed.panes or ()) > {"texts", "programs"}, "the answer was given: programs are shown"


@pytest.mark.usefixtures("study")
async def test_panes_that_were_folded_away_were_not_in_sight(opened: Opener, database: Database) -> None:
    async with opened(size=WIDE) as pilot:
        await press(pilot, "p")
        await press(pilot, "t")
        await press(pilot, "t")
    first, second = events(database)
    assert first.panes == FULL, "they stood there before they were folded"
    assert second.panes == ["texts"]


@pytest.mark.usefixtures("study")
async def test_a_window_of_a_browser_says_so(database: Database) -> None:
    app = ReviewerApp(database, "anna", "pilot", alone=True)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        await press(pilot, "t")
    assert events(database)[0].given == "browser"


async def test_the_app_on_a_pack_says_so(database: Database, tmp_path: Path) -> None:
    a_study(database, raters=("anna",))
    write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    pack, seal = opened_pack(tmp_path / "anna.review")
    async with ReviewerApp(pack, seal.rater, seal.study).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        await press(pilot, "t")
    assert events(pack)[0].given == "pack"
    pack.close()


async def test_a_pane_that_only_says_what_comes_later_was_not_in_sight(database: Database) -> None:
    a_study(database)
    audited(database)
    app = ReviewerApp(database, "anna", "pilot")
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        for _ in range(4):
            await press(pilot, "t")
    last = events(database)[-1]
    assert last.question == "bias_presence"
    assert "derivation" not in (last.panes or ()), "it only said why it is hidden"
    assert "programs" in (last.panes or ())
