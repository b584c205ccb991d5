"""Pictures of a staged dialogue: its rules, what one speaker could know, and a comment on a turn."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from reviewer.study.design.study_creation import Design, create_study
from reviewer.tui.app import ReviewerApp
from reviewer.tui.rendering.tree import dialogue_lines
from reviewer.tui.widgets.pane_grid import PaneGrid
from store.database import Database
from store.ledger import Ledger
from tests.rounds import mostly_slow
from tests.staged_cases import a_transcript, fill
from tests.tui.conftest import NARROW, WIDE, Opener, press, seen
from tests.tui.picturing import Compare, after, each_pictured

KEYS: dict[str, tuple[str, ...]] = {
    "rules": ("j", "j", "minus"),
    "list": ("e",),
    "view": ("O",),
    "comment": ("j", "j", "c", *"no", "enter", "c"),
}


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steady_cursor: None) -> Iterator[Database]:
    monkeypatch.chdir(tmp_path)
    with closing(Database.open("reviewer.db")) as database:
        fill(database, "staged", [a_transcript(0)])
        create_study(database, "pilot", Design(("staged",), None, 1, raters=("anna",)))
        yield database


@each_pictured("keys", KEYS, wide_only=("comment",))
def test_transcripts(
    database: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    app = ReviewerApp(database, "anna", "pilot")
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))


async def comment_after(opened: Opener, database: Database, *keys: str) -> Mapping[str, Any] | None:
    """The passage that a comment is about which is begun after these keys."""
    fill(database, "two", [a_transcript(2), a_transcript(3)])
    create_study(database, "pointed", Design(("two",), None, 1, raters=("anna",)))
    async with opened("pointed", NARROW) as pilot:
        await press(pilot, *keys, "c", *"Here", "enter")
        (event,) = (each for each in Ledger(database).events("pointed", "anna") if each.kind == "comment")
        return event.passage


async def test_a_new_case_has_no_pointer_of_the_case_before(database: Database, opened: Opener) -> None:
    assert await comment_after(opened, database, "j", "j", "1") is None


async def test_the_pointer_stays_at_its_turn_where_other_turns_are_shown(
    database: Database, opened: Opener
) -> None:
    passage = await comment_after(opened, database, *"jjj", "O", "O", "O")
    assert passage is not None
    assert passage["quote"].startswith("3  Cleo (to all)")


@mostly_slow(2)
@pytest.mark.parametrize(
    ("keys", "quote"),
    [
        ("jjj", "3  Cleo (to all)"),
        ("jjjk", "2  Ben → Ada"),
        ("k", "1  system → Ada"),
        ("jj--", "2  Ben → Ada"),
        ("jj-j", "3  Cleo (to all)"),
    ],
)
async def test_j_and_k_go_from_turn_to_turn(
    database: Database, opened: Opener, keys: str, quote: str
) -> None:
    passage = await comment_after(opened, database, *("minus" if key == "-" else key for key in keys))
    assert passage is not None
    assert passage["quote"].startswith(quote)


async def test_a_small_screen_shows_the_whole_wording(database: Database, opened: Opener) -> None:
    fill(database, "anchored", [a_transcript(4, "Anchoring effect")])
    create_study(database, "wordy", Design(("anchored",), None, 1, raters=("anna",)))
    async with opened("wordy", NARROW) as pilot:
        assert "\n about it." in seen(pilot)


async def test_arrows_go_from_turn_to_turn_and_leave_out_no_line(
    database: Database, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(database, "long", [a_transcript(1, turns=40)])
    create_study(database, "other", Design(("long",), None, 1, raters=("anna",)))
    async with opened("other", NARROW) as pilot:
        pane = pilot.app.screen.query_one(PaneGrid).visible_panes()[0]
        height, tops = pane.scrollable_content_region.height, [0]
        for _ in range(30):
            await press(pilot, "j")
            tops.append(round(pane.scroll_y))
        assert tops[-1] > 0
        assert all(then - before < height for before, then in pairwise(tops))
        await press(pilot, "home", "j", "j", "c", *"Here", "enter")
        (event,) = Ledger(database).events("other", "anna")
        assert event.passage is not None
        assert event.passage["quote"] == "2  Ben → Ada (to one)\nGo on, you have paid so much already."
        assert "✎" in seen(pilot)


async def test_a_transcript_of_200_turns_is_laid_out_at_few_widths(
    opened: Opener, database: Database
) -> None:
    """It takes longer than all else that opens a case; beside other panes, thirty widths are tried."""
    fill(database, "long", [a_transcript(number, turns=200) for number in (7, 8)])
    create_study(database, "long", Design(("long",), None, 1, raters=("anna",)))
    async with opened("long", WIDE) as pilot:
        before = dialogue_lines.cache_info().misses
        await press(pilot, "n")
        assert "street" in seen(pilot)
        assert dialogue_lines.cache_info().misses - before < 5, "questions that come may have other widths"
