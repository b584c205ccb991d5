"""Uncompared sides, variants and a dialogue as a rater meets them: keys, clicks, comments, plain mode."""

import io
import re

import pytest

from reviewer.cli.plain_speech import pane_lines
from reviewer.core.pane import Pane, Text, Variants
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.dialogs.key_sheet import KeySheet
from reviewer.tui.rendering.comparison import column_lines
from reviewer.tui.screens.review import ReviewScreen
from reviewer.tui.widgets.narrow_lines import PartLine
from store.database import Database
from store.ledger import Ledger
from tests.cli.conftest import Run
from tests.tui.conftest import NARROW, WIDE, Opener, press, seen, settle


@pytest.fixture
def study(database: Database) -> str:
    options = Options.model_validate({"swap": True})
    create_study(database, "pilot", Design(("talks",), None, 3, raters=("anna",), options=options))
    return "pilot"


def said(database: Database) -> list[tuple[str | None, bool | None]]:
    return [(event.value, event.swapped) for event in Ledger(database).events("pilot", "anna")]


async def test_uncompared_sides_take_no_difference_and_are_exchanged(
    study: str, database: Database, opened: Opener
) -> None:
    async with opened(study) as pilot:
        assert "replies · reply 1" in seen(pilot)
        assert "next difference" not in seen(pilot)
        await press(pilot, "d")
        assert "No difference is marked in the panes in sight." in seen(pilot)
        assert "▌" not in seen(pilot)
        for _ in range(6):
            await press(pilot, "1")
    answers = said(database)
    assert {swapped for _, swapped in answers} == {True, False}, "the seed exchanges some sides"
    assert {(swapped, label) for label, swapped in answers} == {(False, "first"), (True, "second")}


async def test_a_dialogue_shows_one_speaker_and_comments_go_to_the_turn(
    study: str, database: Database, opened: Opener
) -> None:
    async with opened(study) as pilot:
        assert "dialogue   ■ user 2  ▲ assistant 1   O one speaker" in seen(pilot)
        await press(pilot, "O")
        assert "dialogue  ▸■ user 2  ▲ assistant 1   O next speaker" in seen(pilot)
        assert "What of it?" not in seen(pilot)
        await press(pilot, "slash", *"Tell me", "enter", "c", *"why", "enter")
        passage = Ledger(database).events("pilot", "anna")[0].passage
        assert passage is not None
        assert (passage["pane"], passage["quote"]) == ("dialogue", "3  user\nTell me.")
        await press(pilot, "O", "O")
        assert re.search(r"✎ +3  user|✎ +Tell me\.", seen(pilot))
        assert "What of it?" in seen(pilot)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_search_moves_along_to_variants_that_are_not_in_sight(
    study: str, database: Database, opened: Opener, size: tuple[int, int]
) -> None:
    session = ReviewSession(database, "pilot", "anna")
    while session.question.key == "preference":
        session.answer("tie")
    async with opened(study, size) as pilot:
        await press(pilot, "slash", *"about", "enter")
        assert "; more in all replies · reply 3, reply 4, reply 5" in " ".join(seen(pilot).split())
        await press(pilot, "slash", *"reply 5", "enter")
        assert "3 reply 3 ▸4 reply 4 ▸5 reply 5" in seen(pilot)
        assert "“reply 5”: 1 of 1 found – 1 in all replies" in seen(pilot)


async def test_moving_along_after_a_pause_compares_nothing(
    study: str, database: Database, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ReviewSession(database, "pilot", "anna")
    while session.question.key == "preference":
        session.answer("tie")
    async with opened(study) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        column_lines.cache_clear()
        screen.prefetch.look_ahead()
        await settle(pilot)
        prepared = column_lines.cache_info().misses
        monkeypatch.setattr(screen.prefetch, "look_ahead", lambda: None)  # what comes after the key
        await pilot.press("right_square_bracket")
        assert "▸2 reply 2 ▸3 reply 3" in seen(pilot)
        assert column_lines.cache_info().misses == prepared


async def test_variants_move_along_by_keys_and_clicks(study: str, database: Database, opened: Opener) -> None:
    session = ReviewSession(database, "pilot", "anna")
    while session.question.key == "preference":
        session.answer("tie")
    async with opened(study, NARROW) as pilot:
        assert "▸1 reply 1 ▸2 reply 2  3 reply 3  4 reply 4  5 reply 5" in seen(pilot)
        await press(pilot, "left_square_bracket")
        assert "This is the first of 5 texts." in seen(pilot)
        await press(pilot, *["right_square_bracket"] * 3)
        assert "3 reply 3 ▸4 reply 4 ▸5 reply 5" in seen(pilot)
        await press(pilot, "right_square_bracket")
        assert "This is the last of 5 texts." in seen(pilot)
        lines, top = seen(pilot).splitlines(), pilot.app.screen.query_one(PartLine).region.y
        row = next(row for row, line in enumerate(lines) if "2 reply 2" in line)
        await pilot.click(PartLine, offset=(lines[row].index("2 reply 2"), row - top))
        await press(pilot)
        assert "▸2 reply 2 ▸3 reply 3" in seen(pilot)
        await press(pilot, "question_mark")
        sheet = pilot.app.screen
        assert isinstance(sheet, KeySheet)
        assert {"]", "[", "O"} <= {row.keys for row in sheet.rows}


def test_plain_mode_reads_no_difference_of_uncompared_texts(
    study: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("tie\n" * 6))
    done = run("review", "pilot", "--rater", "anna", "--plain")
    assert done.code == 0, done.err
    first, found, _ = done.out.partition(" in “all replies · reply 1”, ")
    assert found
    assert "replies · reply 1:" in first
    assert "Differs" not in first.rpartition("\n")[0]
    assert re.search("Differs: .* in “all replies · reply 4”, .* in “all replies · reply 5”", done.out)
    apart = Variants((("a", Text("One.")), ("b", Text("Two."))), compared=False)
    marked = Text("I am a baker in Rome.", marks=((7, 12), (16, 20)))
    assert [*pane_lines(Pane("made", "made", marked))][1:] == ["Filled in: 'baker', 'Rome'."]
    assert [*pane_lines(Pane("apart", "apart", apart))] == ["apart · a:\n  One.", "apart · b:\n  Two."]
