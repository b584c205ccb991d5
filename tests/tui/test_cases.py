"""Looking cases up, and exporting, from the home screen."""

from contextlib import closing
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList

from reviewer.protocols.registry import PROTOCOLS
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.filter import FilterDialog
from reviewer.tui.screens.case_list import CasesScreen
from reviewer.tui.widgets.case_content import case_item
from reviewer.tui.widgets.text_pane import TextPane
from store.case_import import import_entries
from store.database import Database
from store.records import Dataset
from tests.blinded_study import State, blinded_study
from tests.studies import AT, a_case, a_study, entries_for, fill
from tests.tui.conftest import NARROW, WIDE, Opened, Opener, press, seen, settle


def text_pane(pilot: Opened) -> str:
    return "\n".join(line.content.plain for line in pilot.app.screen.query_one(TextPane).lines)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_cases_are_searched_and_read(
    study: str, opened: Opener, database: Database, size: tuple[int, int]
) -> None:
    fill(database, "hostile", [a_case(5, unbiased="[red] g([/a]) \x1b[31m zebra")])
    async with opened(None, size) as pilot:
        await press(pilot, "l")
        assert isinstance(pilot.app.screen, CasesScreen)
        options = pilot.app.screen.query_one(OptionList)
        assert options.option_count == 4
        await press(pilot, *"zebra")
        await settle(pilot)
        assert options.option_count == 1
        assert "[red] g([/a]) ␛[31m zebra" in text_pane(pilot)
        await press(pilot, "enter", "enter")
        assert pilot.app.focused is pilot.app.screen.query_one(TextPane)
        await press(pilot, "slash", *"qqq")
        assert "No case has all these words." in text_pane(pilot)
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, CasesScreen)


@pytest.mark.parametrize(("rater", "whole"), [("anna", False), ("zoe", True)])
async def test_a_rater_sees_the_panes_of_their_questions_until_they_have_answered(
    opened: Opener, database: Database, rater: str, whole: bool
) -> None:
    a_study(database, view="paper", raters=["anna"])
    async with opened(None, rater=rater) as pilot:
        await press(pilot, "l", "down")
        assert "── texts" in text_pane(pilot)
        assert ("── programs" in text_pane(pilot), "── proof" in text_pane(pilot)) == (whole, whole)


async def test_the_list_shows_no_opinion_about_a_question(study: str, opened: Opener) -> None:
    async with opened(None) as pilot:
        await press(pilot, "l")
        await settle(pilot)
        assert pilot.app.screen.query_one(Input).has_focus
        assert "inference steps" in text_pane(pilot)
        assert "0.9" not in text_pane(pilot)


async def test_cases_are_narrowed_by_what_tells_them_apart(
    study: str, opened: Opener, database: Database
) -> None:
    fill(database, "other", [a_case(7, "framing effect"), a_case(8, "framing effect")], "model-2")
    async with opened(None) as pilot:
        await press(pilot, "l", "down", "i")
        offers = seen(pilot)
        assert "framing effect" in offers
        assert "model-2" in offers
        assert "generated" not in offers  # all of them are
        await press(pilot, "end", "enter")  # the last offer: model-2
        items = pilot.app.screen.query_one(OptionList)
        assert items.option_count == 2
        assert items.has_focus
        assert "only model-2" in seen(pilot)
        assert "2 cases" in seen(pilot)
        await press(pilot, "slash", *"release 8")
        assert items.option_count == 1
        await press(pilot, "down", "I")
        assert items.option_count == 1
        await press(pilot, "slash", *["backspace"] * 9)
        assert items.option_count == 5


async def test_letters_that_are_searched_for_narrow_nothing(study: str, opened: Opener) -> None:
    async with opened(None) as pilot:
        await press(pilot, "l", "i", "I")
        assert isinstance(pilot.app.screen, CasesScreen)
        assert pilot.app.screen.query_one(Input).value == "iI"
        assert "filter …" not in seen(pilot)
        await press(pilot, "tab")
        assert "filter …" in seen(pilot)


async def test_export_waits_until_the_rater_has_finished(
    study: str, opened: Opener, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(None) as pilot:
        await press(pilot, "e")
        assert "Raters judge alone" in str(pilot.app.screen.query_one("#status").render())
        assert not (tmp_path / "exports").exists()
        session = ReviewSession(database, study, "anna")
        while not session.finished:
            session.answer("True")
        pilot.app.screen.on_screen_resume()
        await settle(pilot)
        await press(pilot, "e")
        await settle(pilot)
        assert "labels.csv" in str(pilot.app.screen.query_one("#status").render())
        assert (tmp_path / "exports" / study / "labels.csv").exists()


async def test_the_end_of_a_list_that_is_not_whole_says_so(
    study: str, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.tui.screens.case_list._MOST", 2)
    async with opened(None) as pilot:
        await press(pilot, "l")
        await settle(pilot)
        assert "Only the first 2 of 3 cases are listed." in seen(pilot)
        await press(pilot, "down", "end", "enter")
        assert "I plan release" in text_pane(pilot)
        await press(pilot, "slash", *"release 1")
        await settle(pilot)
        assert "Only the first" not in seen(pilot)


async def test_words_that_were_searched_for_are_marked_in_the_list_and_in_the_case(
    study: str, opened: Opener
) -> None:
    async with opened(None) as pilot:
        await press(pilot, "l", *"rele plan")
        await settle(pilot)
        lines = pilot.app.screen.query_one(TextPane).lines
        marked = {
            line.content.plain[span.start : span.end].casefold()
            for line in lines
            for span in line.content.spans
            if span.style == "match"
        }
        assert marked == {"rele", "plan"}
        screen = pilot.app.screen
        assert isinstance(screen, CasesScreen)
        assert screen.found is not None
        item = case_item(PROTOCOLS, "rele plan", *screen.found.places[0])
        spans = [span for span in item.spans if span.style == "bold reverse"]
        assert [item.plain[span.start : span.end] for span in spans] == ["rele", "plan"]


@pytest.mark.parametrize(("state", "offered"), [("owed", False), ("finished", True)])
async def test_filters_name_no_generators_and_origins_while_answers_are_owed(
    tmp_path: Path, state: State, offered: bool
) -> None:
    with closing(Database.open(str(blinded_study(tmp_path, state, lead="tom")))) as database:
        header = Dataset(name="own", protocol="probe-swe", source="a test", imported_at=AT)
        import_entries(database, header, entries_for("own", [a_case(5)], "hand-written", "seed"))
        async with ReviewerApp(database, "anna", None).run_test(size=WIDE) as pilot:
            await settle(pilot)
            await press(pilot, "l", "down", "i")
            assert isinstance(pilot.app.screen, FilterDialog)
            assert ("origin" in seen(pilot), "generator" in seen(pilot)) == (offered, offered)
