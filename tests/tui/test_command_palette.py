"""The command palette: what it finds, that choosing does it, and that text from outside stays literal."""

import re

import pytest
from textual.command import Command, CommandList, CommandPalette, Hit, Provider

from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.command_palette import ActionsFinder, CasesFinder, QuestionsFinder, StudiesFinder
from reviewer.tui.screens.case_list import CasesScreen
from reviewer.tui.screens.review import ReviewScreen
from store.database import Database
from tests.studies import a_case, a_study, fill
from tests.tui.conftest import WIDE, Opened, Opener, press, put_card_away, saved, seen, settle

QUESTIONS = ("same task", "bias presence", "reconstruction", "axioms")

pytestmark = pytest.mark.usefixtures("study")


async def hits(pilot: Opened, provider: type[Provider], query: str) -> dict[str, Hit]:
    finder = provider(pilot.app.screen)
    await finder.startup()
    return {hit.text or "": hit async for hit in finder.search(query) if isinstance(hit, Hit)}


def session_of(pilot: Opened) -> ReviewSession:
    screen = pilot.app.screen
    assert isinstance(screen, ReviewScreen)
    return screen.session


async def test_an_action_is_found_by_its_label_or_what_it_does_and_done(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        await press(pilot, "ctrl+p")
        assert isinstance(pilot.app.screen, CommandPalette)
        await press(pilot, *"flag")
        await pilot.pause(0.2)
        assert re.search("flag +x +Flag for a second look, or unflag", seen(pilot))
        await press(pilot, "enter")
        await settle(pilot)
        assert saved(database) == [("flag", "flagged")]
        assert "skip" in await hits(pilot, ActionsFinder, "put the case off")


async def test_questions_lead_to_their_first_open_case(opened: Opener) -> None:
    async with opened() as pilot:
        found = await hits(pilot, QuestionsFinder, "axioms")
        found["question 4: axioms"].command()
        assert session_of(pilot).question.key == "axioms"
        assert session_of(pilot).position == 9


async def test_cases_of_the_study_are_found_by_their_words(opened: Opener, database: Database) -> None:
    fill(database, "other", [a_case(77, unbiased="a zebra that is in no study")])
    async with opened() as pilot:
        found = await hits(pilot, CasesFinder, "release 2")
        (hit,) = found.values()
        hit.command()
        assert "I plan release 2." in seen(pilot)
        assert session_of(pilot).question.key == "same_task"
        assert await hits(pilot, CasesFinder, "zebra") == {}
        assert await hits(pilot, CasesFinder, "r") == {}


@pytest.mark.draws
async def test_home_finds_studies_and_cases_of_the_store(opened: Opener, database: Database) -> None:
    a_study(database, "second")
    fill(database, "hostile", [a_case(5, unbiased="[red] g([/a]) \x1b[31m zebra")])
    async with opened(None) as pilot:
        (hit,) = (await hits(pilot, CasesFinder, "zebra")).values()
        assert "[red] g([/a]) ␛[31m" in str(hit.match_display)
        hit.command()
        await settle(pilot)
        assert isinstance(pilot.app.screen, CasesScreen)
        assert "1 case " in seen(pilot)
        await press(pilot, "escape", "r", *["backspace"] * 4, *"ben", "enter")
        (await hits(pilot, StudiesFinder, "second"))["study second"].command()
        await settle(pilot)
        assert "second · ben" in seen(pilot)


async def test_where_there_is_one_study_only_no_other_and_no_store_is_found(
    study: str, database: Database
) -> None:
    a_study(database, "second")
    app = ReviewerApp(database, "anna", study, alone=True)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        assert await hits(pilot, StudiesFinder, "second") == {}
        assert len(await hits(pilot, CasesFinder, "release")) == 3


async def test_a_page_of_cases_is_enough(opened: Opener, database: Database) -> None:
    fill(database, "many", [a_case(number) for number in range(100, 140)])
    async with opened(None) as pilot:
        assert len(await hits(pilot, CasesFinder, "release")) <= 12


async def test_what_answers_is_offered_first_and_what_the_app_offers_after_the_keys(opened: Opener) -> None:
    async with opened() as pilot:
        await press(pilot, "ctrl+p")
        options = pilot.app.screen.query_one(CommandList).options
        found = [option.hit.text for option in options if isinstance(option, Command)]
        assert found[:2] == ["True", "False"]
        assert found.index("comment") < found.index("end") < found.index("theme")
        assert found[-4:] == [f"question {n}: {t}" for n, t in enumerate(QUESTIONS, 1)]
