"""From a clause to its words, and back."""

import pytest
from textual.geometry import Region

from reviewer.tui.rendering.line import links_on
from reviewer.tui.widgets.pane_grid import PaneGrid
from reviewer.tui.widgets.text_pane import TextPane
from store.database import Database
from tests.tui.conftest import NARROW, Opened, Opener, press, saved, seen, settle

pytestmark = pytest.mark.usefixtures("study")


def text_pane(pilot: Opened, pane: str, part: int = 0) -> TextPane:
    text_panes = pilot.app.screen.query_one(PaneGrid).visible_panes()
    return next(each for each in text_panes if each.pane_text and each.pane_text.key == (pane, part))


def linked(pilot: Opened, pane: str, part: int = 0) -> list[str]:
    """What is marked in a pane."""
    shown = pilot.app.screen.query_one(PaneGrid).link
    lines = text_pane(pilot, pane, part).lines
    return [
        line.content.plain[start:end]
        for line in lines
        for start, end, name in links_on(line)
        if name == shown
    ]


async def test_l_goes_from_clause_to_clause_and_marks_its_words(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        text_pane(pilot, "programs", 1).focus()
        await press(pilot, "l")
        assert linked(pilot, "programs", 1)[0].startswith("release(")
        assert linked(pilot, "texts", 1) == ["release"]
        assert linked(pilot, "texts", 0) == []
        assert "lines that belong together: 1 in biased, 1 in program · biased" in seen(pilot)
        await press(pilot, "l")
        assert linked(pilot, "programs", 1) == ["ship(ten)."]
        assert linked(pilot, "texts", 1) == ["Ten", "ship", "ship"]
        await press(pilot, "L")
        assert linked(pilot, "programs", 1)[0].startswith("release(")
        await press(pilot, "L")
        assert pilot.app.screen.query_one(PaneGrid).link is None
        assert saved(database) == []


async def test_a_link_that_is_not_marked_cuts_no_line_into_pieces(opened: Opener) -> None:
    async with opened() as pilot:
        pane = text_pane(pilot, "texts", 0)
        number, name = next(
            (n, names[0][2]) for n, line in enumerate(pane.lines) if (names := [*links_on(line)])
        )

        def pieces() -> list[str]:
            (row,) = pane.render_lines(Region(0, number + 1, pane.outer_size.width, 1))
            return [segment.text for segment in row if segment.text.strip(" ▌▶│")]

        assert pieces() == [pane.lines[number].content.plain]
        pane.show_link(name)
        assert len(pieces()) > 1
        assert "".join(pieces()) == pane.lines[number].content.plain


async def test_from_the_words_back_to_the_clause_by_key_and_by_click(opened: Opener) -> None:
    async with opened() as pilot:
        text_pane(pilot, "texts", 0).focus()
        await press(pilot, "l")
        assert linked(pilot, "programs", 0)[0].startswith("release(")
        await press(pilot, "t")
        text = text_pane(pilot, "texts", 1)
        at = text.lines[0].content.plain.index("release")
        await pilot.click(text, offset=(at + 4, 1))
        await settle(pilot)
        assert linked(pilot, "programs", 1)[0].startswith("release(")


async def test_a_clause_without_words_in_the_text_is_marked_and_says_so(opened: Opener) -> None:
    async with opened() as pilot:
        row = next(line for line in text_pane(pilot, "programs").lines if "tested" in line.content.plain)
        assert row.remark == "?"
        assert "?tested(option_A)." in seen(pilot)
        assert "? not in text" in seen(pilot)
        text_pane(pilot, "programs").focus()
        await press(pilot, "l", "l")
        assert "the other panes have nothing" in seen(pilot)


async def test_a_link_stays_when_the_tab_is_turned_and_goes_with_the_case(opened: Opener) -> None:
    async with opened(size=NARROW) as pilot:
        await press(pilot, "tab", "tab", "l")
        assert linked(pilot, "programs")[0].startswith("release(")
        assert "lines that belong together: 1 in texts" in seen(pilot)
        await press(pilot, "shift+tab", "shift+tab")
        assert "release" in linked(pilot, "texts")
        await press(pilot, "t")
        assert pilot.app.screen.query_one(PaneGrid).link is None


async def test_where_a_pair_is_one_text_both_sides_keep_their_links(opened: Opener) -> None:
    async with opened(size=NARROW) as pilot:
        await press(pilot, "tab", "tab")
        row = next(line for line in text_pane(pilot, "programs").lines if "tested" in line.content.plain)
        names = {name for _, _, name in links_on(row)}
        assert {name.split()[0] for name in names} == {"unbiased", "biased"}
