"""F1: the manual at the page that belongs to the screen."""

import pytest
from textual.screen import ModalScreen, Screen
from textual.widgets import OptionList

from reviewer.manual.manual_pages import NAMES
from reviewer.tui.dialogs.new_study import NewStudyDialog
from reviewer.tui.keys.actions import nodes
from reviewer.tui.screens.manual import PAGES, ManualScreen, page_of
from reviewer.tui.screens.review import ReviewScreen
from store.database import Database
from tests.studies import a_case, fill
from tests.tui.conftest import NARROW, WIDE, Opener, press, seen


def test_every_whole_screen_has_a_page_of_the_manual() -> None:
    screens = {node for node in nodes() if issubclass(node, Screen) and not issubclass(node, ModalScreen)}
    bases = {base for screen in screens for base in screen.__mro__[1:]}
    assert {screen for screen in screens - bases if page_of(screen) is None} == {ManualScreen}


def test_the_table_of_pages_names_only_screens_and_pages_that_exist() -> None:
    assert PAGES.keys() <= {node.__name__ for node in nodes()}
    assert set(PAGES.values()) <= set(NAMES)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_f1_opens_the_page_of_the_screen_and_escape_goes_back(
    opened: Opener, study: str, size: tuple[int, int]
) -> None:
    async with opened(study, size) as pilot:
        await press(pilot, "f1")
        assert "Reviewing: a page for experts" in seen(pilot)
        await press(pilot, "f1", "escape")
        assert isinstance(pilot.app.screen, ReviewScreen)


async def test_pages_are_turned_and_chosen_from_the_list(opened: Opener, study: str) -> None:
    async with opened(study) as pilot:
        await press(pilot, "f1", "n")
        reviewing = NAMES.index("reviewing")
        assert f"page {reviewing + 2} of" in seen(pilot)
        await press(pilot, *["b"] * (reviewing + 1))
        assert "page 1 of" in seen(pilot)
        pilot.app.screen.query_one(OptionList).focus()
        await press(pilot, "end", "enter")
        assert "What the store check proves" in seen(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, ManualScreen)
        assert screen.page == NAMES[-1]


async def test_a_dialog_opens_its_own_page_or_that_of_the_screen_below(
    opened: Opener, database: Database
) -> None:
    fill(database, "pairs", [a_case(0), a_case(1)])
    async with opened(None) as pilot:
        await press(pilot, "n")
        assert isinstance(pilot.app.screen, NewStudyDialog)
        await press(pilot, "f1")
        assert "Designing a study" in seen(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, NewStudyDialog)
        await press(pilot, "escape", "question_mark", "f1")
        assert "Your first study in ten minutes" in seen(pilot)
