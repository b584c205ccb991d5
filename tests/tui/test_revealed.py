"""After the answer: the texts as high as they need, the derivation below them, tables folded to a line."""

from dataclasses import replace

import pytest

from reviewer.core.pane import Pane
from reviewer.core.table import Table
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.rendering.arrangement import arrange
from reviewer.tui.rendering.pane_layout import Layout, ViewOptions
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.rendering.view_state import ViewState, view_state_of
from store.database import Database
from tests.studies import a_study
from tests.tui.conftest import Opener, press, seen
from tests.tui.test_trees import audited

SIZES = [(160, 48), (120, 36), (220, 60)]


def answered(database: Database) -> ViewState:
    """The first case right after its answer on the presence of the bias."""
    a_study(database, asking="case", reveal="findings")
    audited(database)
    session = ReviewSession(database, "pilot", "anna")
    for _ in range(2):
        session.answer("True")
        if session.question.key == "same_task":
            session.proceed()
    assert session.question.key == "bias_presence"
    return view_state_of(session)


def keys(pane_texts: tuple[PaneText, ...]) -> list[str]:
    return list(dict.fromkeys(pane_text.pane for pane_text in pane_texts))


def text_rows(layout: Layout, width: int) -> int:
    """The rows that the texts need, with their border."""
    return max(len(pane_text.lines((width - 42) // 2 - 6)) for pane_text in layout.first) + 2


@pytest.mark.parametrize("size", SIZES)
def test_the_texts_are_whole_and_the_derivation_has_the_room(
    database: Database, size: tuple[int, int]
) -> None:
    view = answered(database)
    layout = arrange(view, *size, ViewOptions())
    assert keys(layout.first) == ["texts"]
    assert [pane_text.key for pane_text in layout.below] == [("derivation", 0), ("derivation", 1)]
    assert layout.upper_height == max(17, text_rows(layout, size[0]))
    assert keys(layout.folded) == ["bias", "proof"]
    assert (layout.tables, layout.beside) == ((), ())


def with_findings(view: ViewState, count: int) -> ViewState:
    """The same view with an audit that found this much."""
    rows = [("untidy", f"check {number}: A fact is not in the proof.") for number in range(count)]
    audit = Pane("audit", "audit", Table.of(("severity", "finding"), rows), summary=f"{count} untidy")
    return replace(view, sheet=replace(view.sheet, beside=(*view.sheet.beside, audit)))


def folded_lines(view: ViewState, width: int, height: int, options: ViewOptions) -> dict[str, list[str]]:
    layout = arrange(view, width, height, options)
    return {text.pane: [line.content.plain for line in text.lines(width - 3)] for text in layout.folded}


def test_findings_unfold_into_empty_rows_before_anything_else(database: Database) -> None:
    view = with_findings(answered(database), 2)
    lines = folded_lines(view, 160, 48, ViewOptions())
    assert lines["audit"] == [
        "audit       untidy    check 0: A fact is not in the proof.",
        "            untidy    check 1: A fact is not in the proof.",
    ]
    assert len(folded_lines(view, 160, 60, ViewOptions(folded=True))["proof"]) > 1


def test_findings_leave_rows_to_programs(database: Database) -> None:
    view = with_findings(answered(database), 20)
    layout = arrange(view, 160, 48, ViewOptions())
    assert (keys(layout.last), layout.last_height >= 5) == (["axioms", "programs"], True)
    for size in ((160, 48), (120, 30)):
        assert folded_lines(view, *size, ViewOptions())["audit"] == ["audit       20 untidy"]


def test_before_the_answer_programs_stand_below_the_texts_and_shrink_first(database: Database) -> None:
    a_study(database)
    view = view_state_of(ReviewSession(database, "pilot", "anna"))
    usual = arrange(view, 160, 48, ViewOptions())
    assert (keys(usual.beside), usual.below, keys(usual.folded)) == (["axioms", "programs"], (), ["proof"])
    assert usual.first_height == 45 * 55 // 100
    flat = arrange(view, 120, 36, ViewOptions())
    assert (keys(flat.below), keys(flat.last)) == (["axioms", "programs"], ["guideline"]), "all in sight"
    low = arrange(view, 120, 30, ViewOptions())
    assert low.upper_height >= min(text_rows(low, 120), 30 - 2 - 5)


def test_programs_that_have_no_room_are_shown_in_place_of_the_derivation(database: Database) -> None:
    view = answered(database)
    roomy = arrange(view, 160, 60, ViewOptions())
    assert keys(roomy.last) == ["axioms", "programs"]
    assert keys(arrange(view, 160, 60, ViewOptions(folded=True)).last) == []
    scarce = arrange(view, 120, 30, ViewOptions())
    assert (keys(scarce.below), scarce.last) == (["derivation"], ())
    assert keys(arrange(view, 120, 30, ViewOptions(page=1)).below) == ["axioms", "programs"]
    assert "programs" not in scarce.panes


def test_a_zoom_stays_on_from_case_to_case_but_not_on_what_is_held_back(database: Database) -> None:
    view = answered(database)
    zoomed = ViewOptions(zoomed="derivation", in_words=True).for_next_case(None)
    assert (zoomed.zoomed, zoomed.in_words, zoomed.page, zoomed.toggled) == (
        "derivation",
        True,
        0,
        frozenset(),
    )
    assert keys(arrange(view, 160, 48, zoomed).first) == ["derivation"]
    session = ReviewSession(database, "pilot", "ben")
    assert keys(arrange(view_state_of(session), 160, 48, zoomed).first) == ["texts"]


async def test_asking_for_the_findings_ends_a_zoom_that_hid_them(opened: Opener, database: Database) -> None:
    a_study(database, asking="case")
    audited(database)
    async with opened("pilot") as pilot:
        await press(pilot, *"ttbz")
        assert "unbiased" in seen(pilot)
        await press(pilot, "R")
        assert "derivation ·" not in seen(pilot), "what becomes final is said first"
        await press(pilot, "R")
        assert "derivation · unbiased" in seen(pilot)
        assert "why option_A" in seen(pilot)


async def test_a_key_reads_the_derivation_in_words(opened: Opener, database: Database) -> None:
    answered(database)
    async with opened("pilot") as pilot:
        assert "Option A, because" not in seen(pilot)
        await press(pilot, "W")
        assert seen(pilot).count("Option A, because it counts as “tested”.") == 2
        await press(pilot, "W")
        assert "▾ best(option_A)" in seen(pilot)
    async with opened("pilot", rater="ben") as pilot:
        await press(pilot, "W")
        assert "No derivation is in sight." in seen(pilot)


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
def test_what_is_held_back_takes_one_line_and_has_no_legend(
    database: Database, size: tuple[int, int]
) -> None:
    a_study(database)
    audited(database)
    view = view_state_of(ReviewSession(database, "pilot", "anna"))
    layout = arrange(view, *size, ViewOptions(tab="derivation"))
    if layout.narrow:
        assert layout.first[0].legend == ""
    else:
        assert (keys(layout.folded), keys(layout.tables)) == (["proof", "derivation"], [])


async def test_on_a_small_screen_the_key_for_words_goes_to_the_derivation(
    opened: Opener, database: Database
) -> None:
    answered(database)
    async with opened("pilot", size=(80, 24)) as pilot:
        await press(pilot, "w", "s", "W")
        assert "▸derivation" in seen(pilot)
        assert "Option A, because it counts as “tested”." in seen(pilot)
