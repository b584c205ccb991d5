"""A rater looks up what they answered so far, from the case that they are on."""

from collections.abc import AsyncIterator

import pytest
from textual.command import Hit

from reviewer.tui.command_palette import CasesFinder, OwnAnswersFinder
from reviewer.tui.screens.own_labels import OwnAnswersScreen
from reviewer.tui.screens.review import ReviewScreen
from store.database import Database
from tests.studies import a_study
from tests.tui.conftest import NARROW, Opened, Opener, press, seen, until

pytestmark = pytest.mark.usefixtures("study")


def position(pilot: Opened) -> int:
    assert isinstance(pilot.app.screen, ReviewScreen)
    return pilot.app.screen.session.position


@pytest.mark.draws
async def test_the_list_is_searched_and_leads_back_to_a_case(opened: Opener) -> None:
    async with opened() as pilot:
        await press(pilot, "enter", "t", "f", "A")
        assert isinstance(pilot.app.screen, OwnAnswersScreen)
        assert "pilot · anna · 2 answers" in seen(pilot)
        assert seen(pilot).index("same task = False") < seen(pilot).index("same task = True")
        await press(pilot, "slash", *"true")
        await until(pilot, "1 answer with “true”")  # on the screen below the dialog, which is drawn later
        await press(pilot, "enter", "enter")
        assert position(pilot) == 0


async def test_enter_does_nothing_where_no_answer_has_the_words(opened: Opener) -> None:
    async with opened() as pilot:
        await press(pilot, "enter", "t", "A", "slash", *"zebra")
        await press(pilot, "enter", "enter")
        assert isinstance(pilot.app.screen, OwnAnswersScreen)
        await press(pilot, "slash", *["backspace"] * 5, "enter", "enter")
        assert position(pilot) == 0


async def test_the_search_in_the_case_goes_on_in_the_answers(opened: Opener) -> None:
    async with opened(size=NARROW) as pilot:
        await press(pilot, "enter", "t", "f", "slash", *"zebra")
        assert "in my answers" in seen(pilot)
        await press(pilot, "tab")
        assert isinstance(pilot.app.screen, OwnAnswersScreen)
        assert "None of your answers has “zebra”" in " ".join(seen(pilot).split())
        await press(pilot, "q")
        assert position(pilot) == 2


async def test_the_palette_finds_answers(opened: Opener) -> None:
    async with opened() as pilot:
        await press(pilot, "enter", "f", "t")
        finder = OwnAnswersFinder(pilot.app.screen)
        hits = {hit.text or "": hit async for hit in finder.search("same false") if isinstance(hit, Hit)}
        (words,) = hits
        assert words.startswith("my answer: same task = False: ")
        hits[words].command()
        assert position(pilot) == 0


async def test_nothing_in_the_list_or_the_palette_tells_that_cases_are_shown_twice(
    opened: Opener, database: Database
) -> None:
    a_study(database, "twice", cases=6, repeats=0.5, questions=("same_task",))
    async with opened("twice") as pilot:
        await press(pilot, "enter", "t", "t", "t", "A")
        assert "twice · anna · your answers" in seen(pilot)
        assert "case 1 of" not in seen(pilot)
        await press(pilot, "q")
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        cases = [words async for words in _hits(CasesFinder(screen), "release")]
        assert len(cases) == len(set(cases)) == 6


async def _hits(finder: CasesFinder, words: str) -> AsyncIterator[str]:
    async for hit in finder.search(words):
        if isinstance(hit, Hit):
            yield hit.text or ""
