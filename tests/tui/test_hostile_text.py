"""Text from outside is shown as it is: no markup, no escapes, no crash."""

import pytest
from textual.widgets import TextArea

from reviewer.core.sanitize import visible
from reviewer.study.design.study_creation import Design, create_study
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.home import HomeScreen
from reviewer.tui.screens.review import ReviewScreen
from reviewer.tui.widgets.saved_line import SavedLine
from store.database import Database
from tests.studies import a_case, fill
from tests.tui.conftest import NARROW, Opener, press, saved, seen, settle

pytestmark = pytest.mark.draws

MARKUP = "x([red]) :- [bold]. g([/a]) [@click=app.exit]go[/] [link='x'] $accent {0}"
CONTROLS = "esc\x1b[31mred\x1b]0;title\x07 bell\x07 back\x08 nel\x85 rtl\u202eabc\u202c end\u2028line"


@pytest.mark.parametrize("text", [MARKUP, CONTROLS, "[", "]", "\\[", "[[a]]", "[/]", "g([/a])"])
def test_literal_keeps_every_character(text: str) -> None:
    assert literal(text).plain == visible(text)
    assert literal(text, "bold").plain == visible(text)
    assert len(literal_line(text, 10)) <= 10


@pytest.fixture
def hostile(database: Database) -> str:
    fields = {
        name: f"{name}\n{MARKUP}\n{CONTROLS}"
        for name in (
            "unbiased",
            "axioms",
            "axioms_description",
            "unbiased_prolog",
            "biased_prolog",
            "reconstructed_unbiased_prompt",
        )
    }
    case = a_case(**fields, biased=f"biased [/b]\n{MARKUP} more\n{CONTROLS}")
    fill(database, "g+a@b", [case], generator="[red]gpt[/] \x1b[31m")
    return create_study(database, "a@b + c", Design(("g+a@b",), None, 1)).name


def harmless(shown: str) -> bool:
    return not any(code in shown for code in "\x1b\x07\x08\x85\u202e\u202c\u2028")


async def test_every_pane_of_every_question_is_literal(
    opened: Opener, database: Database, hostile: str
) -> None:
    async with opened(hostile, NARROW) as pilot:
        for key in "tfts":
            for _ in range(6):  # the panes, each in turn
                assert harmless(seen(pilot))
                await press(pilot, "tab")
            await press(pilot, "g")
            await press(pilot, "z", "d", "z", key)
        assert [value for _, value in saved(database, hostile)] == ["True", "False", "True", None]


async def test_texts_show_their_brackets(opened: Opener, hostile: str) -> None:
    async with opened(hostile, (200, 60)) as pilot:
        shown = seen(pilot)
        assert "x([red]) :- [bold]. g([/a])" in shown
        assert "␛[31mred" in shown
        assert "biased [/b]" in shown
        assert harmless(shown)


async def test_comments_are_literal(opened: Opener, database: Database, hostile: str) -> None:
    async with opened(hostile) as pilot:
        await press(pilot, "c")
        comment = "esc\x1b[31mred\x07 rtl\u202eabc g([/a])[red]"
        pilot.app.screen.query_one(TextArea).text = comment
        await press(pilot, "enter")
        assert saved(database, hostile) == [("comment", comment)]
        assert "“esc␛[31mred" in seen(pilot)
        await press(pilot, "c")
        assert pilot.app.screen.query_one(TextArea).text == comment


async def test_names_and_generators_on_home_are_literal(opened: Opener, hostile: str) -> None:
    async with opened(None, rater="r+a@x") as pilot:
        shown = seen(pilot)
        assert "a@b + c" in shown
        assert "you are r+a@x" in shown
        assert "[red]gpt[/] ␛[31m" in shown
        assert harmless(shown)
        screen = pilot.app.screen
        assert isinstance(screen, HomeScreen)
        screen.say(f"no file {MARKUP} {CONTROLS}", failed=True)
        await settle(pilot)
        assert "g([/a])" in seen(pilot)
        assert harmless(seen(pilot))


async def test_errors_are_literal(opened: Opener, hostile: str) -> None:
    from reviewer.tui.rendering import notices

    async with opened(hostile) as pilot:
        assert isinstance(pilot.app.screen, ReviewScreen)
        pilot.app.screen.query_one(SavedLine).say(notices.failed(f"store '[/a]{CONTROLS}' is locked"))
        await settle(pilot)
        assert "store '[/a]esc␛[31m" in seen(pilot)


async def test_dialogs_are_literal(opened: Opener, hostile: str) -> None:
    async with opened(None) as pilot:
        await press(pilot, "n")
        assert "g+a@b   1 case" in seen(pilot)
        await press(pilot, *"[/a]", "ctrl+s")
        assert "study name '[/a]' is not valid" in seen(pilot)
        await press(pilot, "escape", "escape", "i", *"[red]/[b]", "ctrl+s")
        assert "there is no file or folder '[red]/[b]'" in seen(pilot)
        await press(pilot, "escape", "escape", "r", *"[/a]", "ctrl+s")
        assert "rater name" in seen(pilot)
        assert "[/a]' is not valid" in seen(pilot)
