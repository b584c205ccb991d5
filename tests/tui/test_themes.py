"""Our own themes can be read, and colours with different meanings differ, whatever colours somebody sees."""

import re
from itertools import combinations
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

import reviewer.tui
from reviewer.core.personal_settings import Settings
from reviewer.tui.app import ReviewerApp
from reviewer.tui.styles import OWN_THEMES, PANE_TEXT_CLASSES
from reviewer.tui.widgets.text_pane import TextPane
from store.database import Database
from tests.tui.colour_vision import VISIONS, contrast, distance
from tests.tui.conftest import WIDE, press

READABLE = 4.5
"""WCAG 2.2, criterion 1.4.3, for text."""
APART = 20.0
"""Far more than noticeable (2.3): two words on a page, not two patches side by side."""
MEANINGS = ("foreground", "warning", "text-error", "text-primary")
"""Text, what differs, what failed, variables in programs."""
APART_BY_PLACE = ("text-error", "text-primary")
"""The line that failed is no program."""

_COLOUR = r"\$(foreground|warning|text-error|text-primary)(?: (\d+)%)?"
_TEXT = re.compile(r"(?:[^-\w]|border-title-|border-subtitle-)color: " + _COLOUR)
_STYLED = re.compile(r"(?<!on )" + _COLOUR + '"')
_DRAWN = {"bar.py"}
"""Strokes that also differ in their form, and hold no words."""


def colours(theme: Theme) -> dict[str, Color]:
    known = theme.to_color_system().generate()
    return {name: Color.parse(known[name]) for name in ("background", "error", *MEANINGS)}


def texts_in_use() -> set[tuple[str, int]]:
    """Every colour that our screens give to text: name and strength in percent."""
    folder = Path(reviewer.tui.__path__[0])
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py") if path.name not in _DRAWN]
    found = {match for source in sources for match in (*_TEXT.findall(source), *_STYLED.findall(source))}
    return {(name, int(strength or 100)) for name, strength in found}


def test_the_texts_in_use_are_found() -> None:
    assert {("foreground", 60), ("warning", 100), ("text-error", 100)} <= texts_in_use()


@pytest.mark.parametrize("theme", OWN_THEMES, ids=lambda theme: theme.name)
def test_every_text_can_be_read(theme: Theme) -> None:
    known = colours(theme)
    ground = known["background"]
    for name, strength in texts_in_use():
        shown = ground.blend(known[name], strength / 100)
        assert contrast(shown, ground) >= READABLE, (name, strength, round(contrast(shown, ground), 2))


@pytest.mark.parametrize("theme", OWN_THEMES, ids=lambda theme: theme.name)
def test_what_failed_can_be_read_on_its_own_ground(theme: Theme) -> None:
    known = colours(theme)
    ground = known["background"].blend(known["error"], 0.2)
    assert contrast(known["text-error"], ground) >= READABLE


@pytest.mark.parametrize("theme", OWN_THEMES, ids=lambda theme: theme.name)
async def test_every_word_on_the_screen_can_be_read(theme: Theme, database: Database, study: str) -> None:
    app = ReviewerApp(database, "anna", study, Settings(theme=theme.name))
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "enter", "f", "l", "c")
        for screen in (app.screen, app.screen_stack[0]):
            drawn = [segment for strip in screen._compositor.render_strips() for segment in strip]
            words = [segment for segment in drawn if re.search(r"\w", segment.text)]
            assert len(words) > 5
            for word in words:
                assert word.style is not None
                text, ground = map(Color.from_rich_color, (word.style.color, word.style.bgcolor))
                assert contrast(text, ground) >= READABLE, word


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", OWN_THEMES, ids=lambda theme: theme.name)
def test_what_must_be_told_apart_is(theme: Theme, vision: str) -> None:
    known = colours(theme)
    for pair in set(combinations(MEANINGS, 2)) - {APART_BY_PLACE}:
        assert distance(vision, known[pair[0]], known[pair[1]]) >= APART, pair


def test_the_measure_would_find_a_theme_that_fails() -> None:
    found = [
        theme.name
        for theme in BUILTIN_THEMES.values()
        if not theme.ansi
        and distance("tritanopia", colours(theme)["warning"], colours(theme)["text-error"]) < APART
    ]
    assert len(found) > 5


def test_simulated_visions_are_what_is_published() -> None:
    """Red and green come near each other for a deuteranope; white stays white for everybody."""
    red, green, white = Color(200, 60, 60), Color(90, 130, 60), Color(255, 255, 255)
    assert distance("deuteranopia", red, green) < distance("all colours", red, green) / 3
    for vision in VISIONS:
        assert distance(vision, white, Color(255, 255, 254)) < 2.3
    assert contrast(white, Color(0, 0, 0)) == pytest.approx(21)


@pytest.mark.usefixtures("study")
async def test_texts_have_no_style_that_their_pane_leaves_as_it_is(database: Database) -> None:
    app = ReviewerApp(database, "anna", "pilot")
    async with app.run_test(size=WIDE) as pilot:
        await press(pilot, "enter")
        for theme in (theme for theme in app.available_themes.values() if not theme.ansi):
            app.theme = theme.name
            await pilot.pause()
            pane = app.screen.query(TextPane).first()
            for name in ("", *sorted(PANE_TEXT_CLASSES)):
                style = (pane.get_visual_style(name) if name else pane.visual_style).rich_style
                assert not style.dim, (theme.name, name)
                used = [colour for colour in (style.color, style.bgcolor) if colour is not None]
                assert all(colour.triplet for colour in used), (theme.name, name)
