"""Looking: jump, search, copy, and differences in both directions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content
from textual.events import Key

from reviewer.tui.dialogs.jump import JumpDialog
from reviewer.tui.rendering.line import Line, find_words
from reviewer.tui.widgets.narrow_lines import TabLine
from reviewer.tui.widgets.pane_grid import PaneGrid
from store.database import Database
from tests.tui.conftest import NARROW, WIDE, Opened, Opener, press, saved, seen

pytestmark = pytest.mark.usefixtures("study")


def grid(pilot: Opened) -> PaneGrid:
    return pilot.app.screen.query_one(PaneGrid)


def focused(pilot: Opened) -> tuple[str, int] | None:
    text_pane = grid(pilot).focused_pane
    return text_pane.pane_text.key if text_pane and text_pane.pane_text else None


def pointed(pilot: Opened) -> list[str]:
    return [line for line in seen(pilot).splitlines() if "▶" in line]


def lines(*texts: str) -> list[Line]:
    return [Line(Content(text)) for text in texts]


def test_words_are_found_in_any_case_and_over_line_ends() -> None:
    found = find_words(lines("The slow", "   RED fox", "", "the slow red"), "slow red")
    assert found == {0: [(4, 8)], 1: [(3, 6)], 3: [(4, 12)]}
    assert find_words(lines("a.b", "axb"), "a.b") == {0: [(0, 3)]}
    assert find_words(lines("a"), "  ") == {}


@given(st.lists(st.text("ab .[é", max_size=8), max_size=5), st.text("ab .[é", max_size=4))
def test_every_single_word_is_found_as_often_as_it_stands_there(texts: list[str], words: str) -> None:
    found = find_words(lines(*texts), words)
    if len(words.split()) == 1:
        word = words.split()[0]
        assert sum(map(len, found.values())) == sum(text.count(word) for text in texts)
    assert all(texts[number][start:end].strip() for number in found for start, end in found[number])


async def test_d_goes_forth_and_back(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "d")
        first = pointed(pilot)
        assert first
        await press(pilot, "d")
        assert pointed(pilot) != first
        assert "Difference 2 of 2." in seen(pilot)
        await press(pilot, "D")
        assert pointed(pilot) == first
        await press(pilot, "w", "f", "d")
        assert "This is the only difference." in seen(pilot)
        assert saved(database) == []


async def test_a_letter_jumps_to_a_pane_and_answers_nothing(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "w")
        assert " s  biased" in seen(pilot).replace("─", " ") or " s " in seen(pilot)
        await press(pilot, "d")
        assert focused(pilot) == ("axioms", 0)
        await press(pilot, "w", "escape")
        assert focused(pilot) == ("axioms", 0)
        await press(pilot, "w", "t")
        assert saved(database) == []


async def test_a_second_key_on_its_way_ends_nothing(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "w")
        dialog = pilot.app.screen
        assert isinstance(dialog, JumpDialog)
        for _ in range(3):
            dialog.on_key(Key("d", "d"))
        await press(pilot, "t")
        assert len(saved(database)) == 1


async def test_a_letter_chooses_a_tab_where_there_is_little_room(opened: Opener) -> None:
    async with opened(size=NARROW) as pilot:
        await press(pilot, "w", "d")
        assert "▸programs" in seen(pilot)


async def test_search_marks_as_you_type_and_m_walks_through_the_matches(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        await press(pilot, "slash", *"TESTED")
        assert "1 in axioms, 1 in program · unbiased, 1 in program · biased" in seen(pilot)
        await press(pilot, "enter")
        assert focused(pilot) == ("axioms", 0)
        assert len(pointed(pilot)) == 1
        assert "“TESTED”: 1 of 3 found" in seen(pilot)
        await press(pilot, "m")
        assert focused(pilot) == ("programs", 0)
        assert "“TESTED”: 2 of 3 found" in seen(pilot)
        await press(pilot, "m", "m")
        assert focused(pilot) == ("axioms", 0)
        await press(pilot, "M")
        assert focused(pilot) == ("programs", 1)
        assert saved(database) == []


async def test_search_says_where_nothing_is_found_and_escape_clears(opened: Opener) -> None:
    async with opened() as pilot:
        await press(pilot, "m")
        assert "You have not searched in this case yet" in seen(pilot)
        await press(pilot, "slash", *"[/red]", "enter")
        assert "“[/red]” is nowhere in this case." in seen(pilot)
        await press(pilot, "slash", "escape")
        assert grid(pilot).words == ""
        await press(pilot, "slash", *"tested", "enter", "t")
        assert grid(pilot).words == ""


async def test_matches_in_other_tabs_are_counted_and_reached(opened: Opener) -> None:
    async with opened(size=NARROW) as pilot:
        await press(pilot, "slash", *"tested")
        assert "1 in axioms" in seen(pilot)
        await press(pilot, "enter")
        assert "▸axioms" in seen(pilot)
        await press(pilot, "m")
        assert "▸programs" in seen(pilot)
        assert "“tested”: 2 of 2 found" in seen(pilot)
        await press(pilot, "M")
        assert "▸axioms" in seen(pilot)


async def test_a_copy_of_a_pane_is_its_text_without_controls(
    opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as pilot:
        copied: list[str] = []
        monkeypatch.setattr(pilot.app, "copy_to_clipboard", copied.append)
        await press(pilot, "w", "s", "C")
        assert copied[0].startswith("I plan release")
        assert "Ten ship" in copied[0]
        assert "copied: biased, 5 lines" in seen(pilot)


async def test_the_letters_of_a_jump_cover_no_title(opened: Opener) -> None:
    for size in (NARROW, WIDE):
        async with opened(size=size) as pilot:
            before = seen(pilot).splitlines()
            await press(pilot, "w")
            regions = [letter.region for letter in pilot.app.screen.query(".letter")]
            covered = [before[at.y][at.x : at.right] for at in regions]
            assert len(covered) >= 5
            assert [cells for cells in covered if any(map(str.isalnum, cells))] == []


async def test_the_legend_of_a_small_screen_takes_the_room_of_wide_gaps(opened: Opener) -> None:
    async with opened(size=NARROW) as pilot:
        assert "‹unbiased›  +biased" in seen(pilot)
        tabs = pilot.app.screen.query_one(TabLine)
        room = tabs.size.width
        names = sum(len(pane.title) + 1 for pane in tabs.tabs)
        tabs.legend = "x" * (room - names - (len(tabs.tabs) - 1) - 2)
        await pilot.pause()
        assert tabs.render().plain.endswith(f"  {tabs.legend}")
        tabs.legend += "x"
        await pilot.pause()
        assert "x" not in tabs.render().plain.replace("texts", "").replace("axioms", "")
