"""Comments tied to a passage, notes on the work: written, seen again, exported."""

import csv
import io
import json
from dataclasses import replace

import pytest
from textual.content import Content
from textual.events import Key
from textual.geometry import Offset
from textual.selection import Selection
from textual.widgets import TextArea

from reviewer.core.pane import Pane, Text
from reviewer.exchange.exports.study_export import BOOTSTRAP, study_tables
from reviewer.exchange.exports.study_source import StudySource
from reviewer.study.design.study_bundle import load_study
from reviewer.tui.rendering.line import plain_lines
from reviewer.tui.rendering.pane_text import pane_texts_of
from reviewer.tui.rendering.passages import Passage, lines_of
from reviewer.tui.widgets.pane_grid import PaneGrid
from reviewer.tui.widgets.text_pane import MARGIN, TextPane
from store.database import Database
from store.ledger import Ledger
from tests.tui.conftest import NARROW, Opened, Opener, events, press, saved, seen, settle

pytestmark = pytest.mark.usefixtures("study")


def text_panes(pilot: Opened) -> dict[str, TextPane]:
    grid = pilot.app.screen.query_one(PaneGrid)
    return {
        f"{text_pane.pane_text.pane}:{text_pane.pane_text.part}": text_pane
        for text_pane in grid.visible_panes()
        if text_pane.pane_text
    }


def exported(database: Database, name: str) -> list[dict[str, str]]:
    bundle, ledger = load_study(database, "pilot"), Ledger(database).events("pilot")
    text = study_tables(StudySource.of(bundle, ledger), ("question",), BOOTSTRAP)[name].to_csv()
    return list(csv.DictReader(io.StringIO(text)))


async def test_a_comment_is_tied_to_the_difference_that_is_pointed_at(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        pilot.app.post_message(Key("d", "d"))
        pilot.app.post_message(Key("c", "c"))
        await settle(pilot)
        assert "○ about the whole case" in seen(pilot)
        assert "● about this in biased: “I plan release" in seen(pilot)
        await press(pilot, *"why", "enter")
        passage = events(database)[0].passage
        assert passage is not None
        assert (passage["pane"], passage["side"]) == ("texts", "right")
        assert "Ten ship." in passage["quote"]
        marked = text_panes(pilot)["texts:1"]._commented
        assert {"Ten ship." in marked_line for marked_line in _lines(pilot, "texts:1", marked)} == {True}
        assert not text_panes(pilot)["texts:0"]._commented
        assert "▌✎" in seen(pilot)
        (row,) = exported(database, "labels.csv")
        assert json.loads(row["passage"]) == passage


def _lines(pilot: Opened, pane_text: str, numbers: frozenset[int]) -> list[str]:
    return [text_panes(pilot)[pane_text].lines[number].content.plain for number in numbers]


async def test_untied_it_is_about_the_whole_case_and_tying_alone_is_a_change(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        await press(pilot, "d", "c", "ctrl+t", *"hm", "enter")
        assert events(database)[0].passage is None
        await press(pilot, "c", "ctrl+t", "enter")
        assert [event.value for event in events(database)] == ["hm", "hm"]
        assert events(database)[1].passage is not None
        await press(pilot, "c", "enter")
        assert len(events(database)) == 2
        await press(pilot, "c")
        pilot.app.screen.query_one(TextArea).text = ""
        await press(pilot, "enter")
        assert (events(database)[2].value, events(database)[2].passage) == (None, None)
        assert "✎" not in seen(pilot)


async def test_without_a_choice_the_top_line_is_offered_and_not_tied(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        await press(pilot, "c")
        assert "● about the whole case" in seen(pilot)
        assert "○ about this in unbiased: “I plan release" in seen(pilot)
        await press(pilot, *"hm", "enter")
        assert events(database)[0].passage is None


async def test_what_is_selected_is_what_a_comment_is_about(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        text_pane = text_panes(pilot)["programs:1"]
        text_pane.focus()
        pilot.app.screen.selections = {text_pane: Selection(Offset(0, 2), Offset(4, 3))}
        await press(pilot, "c", *"odd", "enter")
        passage = events(database)[0].passage
        assert passage is not None
        assert passage["pane"] == "programs"
        assert passage["quote"] == "ship(ten).\ntested(option_A)."


async def test_a_line_at_the_mouse_says_which_place_in_the_text_is_there(opened: Opener) -> None:
    async with opened() as pilot:
        text_pane = text_panes(pilot)["programs:1"]
        left, top = text_pane.content_region.offset
        for number, line in enumerate(text_pane.lines[:3]):
            for place in (0, 5, line.content.cell_length - 1):
                at = pilot.app.screen.get_widget_and_offset_at(left + MARGIN + place, top + number)
                assert at == (text_pane, Offset(place, number))


async def test_one_text_for_both_sides_ties_to_the_side_that_says_it(
    opened: Opener, database: Database
) -> None:
    async with opened(size=NARROW) as pilot:
        await press(pilot, "d", "c", *"hm", "enter")
        passage = events(database)[0].passage
        assert passage is not None
        assert passage["pane"] == "texts"


async def test_notes_stand_side_by_side_are_read_again_and_exported(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        await press(pilot, "N")
        assert "No notes yet" in seen(pilot)
        await press(pilot, *"first", "enter")
        assert "✓ saved  your note" in seen(pilot)
        await press(pilot, "t", "N", *"second", "ctrl+j", *"[red]", "enter", "N")
        assert "first" in seen(pilot)
        assert "second [red]" in seen(pilot)
        await press(pilot, "enter")
        assert saved(database) == [("note", "first"), ("label", "True"), ("note", "second\n[red]")]
    rows = exported(database, "notes.csv")
    assert [row["note"] for row in rows] == ["first", "second\n[red]"]
    assert rows[0]["case"] != rows[1]["case"]
    assert len({row["rater"] for row in rows}) == 1


def test_a_comment_on_axioms_in_words_keeps_its_passage_without_the_leftover_sign() -> None:
    words = "Release what was tested."
    pane, lines = Pane("axioms_description", "axioms in words", Text(words)), plain_lines(Content(words), 60)
    kept = Passage(pane.key, None, 0, 25, f"{words}`")
    (shown,) = pane_texts_of(pane, "columns")
    assert lines_of(kept, pane, shown, lines) == frozenset({0})
    assert not lines_of(replace(kept, quote="Release what was meant.`"), pane, shown, lines)
