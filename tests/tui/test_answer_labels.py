"""Labels and their keys on screen: digits, the list of all labels, several labels, free text."""

from itertools import combinations
from pathlib import Path

import pytest
from rich.console import RenderableType
from textual.app import App
from textual.screen import Screen
from textual.widgets import TextArea

from reviewer.core.answer_keys import beside_key
from reviewer.core.personal_settings import Settings
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.verdicts import State
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.label_list import LabelListDialog
from reviewer.tui.keys.case_keys import CASE_KEYS, REVIEW_KEYS
from reviewer.tui.keys.label_keys import answer_id, keyed_labels, taken_keys
from reviewer.tui.rendering.view_state import BLOCK_ROWS, BlockRow
from reviewer.tui.screens.review import ReviewScreen
from reviewer.tui.widgets.key_hints import keys_by_id
from reviewer.tui.widgets.narrow_lines import block_line
from reviewer.tui.widgets.question_panel import block_lines
from reviewer.tui.widgets.text_pane import PANE_KEYS
from store.database import Database
from tests.core.test_answer_keys import ALL_SETS, SCALE
from tests.detected_texts import a_bias_text
from tests.rounds import mostly_slow
from tests.staged_cases import fill
from tests.studies import FREE, SEVERAL, a_study, with_questions
from tests.tui.conftest import NARROW, WIDE, Opened, Opener, press, put_card_away, saved, seen, settle, until
from tests.tui.test_layout import layouts
from tests.tui.test_typed_ahead import typed

MANY = tuple(f"{head} {tail}" for head in ("anchoring", "framing") for tail in "abcdefghijklmnopqrst")
MANY += ("reactance", "overreacting", "sunk cost", "a label that is much too long for a line " + "x" * 40)
KEYS = ("same_task", "bias_presence", "reconstruction", "axioms")
ONE = {"passing": (), "sides": None}
CHANGED: list[dict[str, str]] = [
    {},
    {"review.answer-1": "k", "review.answer-2": "y"},
    {"review.answer-1": "4", "review.answer-4": "-", "pane.fold": "f2"},
    {"review.answer-5": "v", "review.skip": "5", "review.answer-more": "f6", "review.flag": "a"},
    {"review.answer-none": "f7", "review.answer-save": "f8"},
]


@pytest.mark.parametrize("changed", CHANGED)
def test_no_key_of_an_answer_does_anything_else(changed: dict[str, str], database: Database) -> None:
    a_study(database, cases=1)
    asked = load_study(database, "pilot").questions[0].model_copy(update={"sides": None})
    taken = taken_keys((*REVIEW_KEYS, *CASE_KEYS, *PANE_KEYS), changed)
    for labels in ALL_SETS:
        for kind in ("label", "labels"):
            question = asked.model_copy(update={"labels": labels, "kind": kind})
            keyed = keyed_labels(question, labels, taken, changed)
            answers = {name: {*keys.split(",")} for name, keys in keyed.keys.items() if name != "pane.fold"}
            assert not any(one & other for one, other in combinations(answers.values(), 2)), labels
            assert not any(keys & taken for keys in answers.values()), labels
            has_ten = any("minus" in keys for keys in answers.values())
            assert has_ten == ("pane.fold" in keyed.keys) or "pane.fold" in changed, labels


def asking(database: Database, *questions: dict[str, object], cases: int = 4) -> None:
    """A study that asks these questions in turn about each case."""
    a_study(database, cases=cases, questions=KEYS[: len(questions)], asking="case")
    with_questions(database, dict(zip(KEYS, questions, strict=False)))


@mostly_slow(2)
@pytest.mark.parametrize(("size", "changed"), [(NARROW, CHANGED[0]), (WIDE, CHANGED[2])])
async def test_every_key_saves_the_label_that_it_is_shown_beside(
    database: Database, size: tuple[int, int], changed: dict[str, str]
) -> None:
    sets = (SCALE, ("2 best", "1 middle", "10 worst"), ("10%", "20%", "30%", "40%", "50%"), MANY)
    asking(database, *({**ONE, "labels": labels} for labels in sets), cases=3)
    app = ReviewerApp(database, "anna", "pilot", Settings(keys=changed))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        for number in range(12):
            screen = app.screen
            assert isinstance(screen, ReviewScreen)
            if screen.session.question.labels == MANY and number < 9:
                await press(pilot, "a", *"fra", *["down"] * number, "enter")
                continue
            shown, keys = screen._answering.labels, keys_by_id(screen)
            index = (number * 5) % len(shown)
            key, label = keys.get(answer_id(index), ""), shown[index]
            assert key, (label, keys)
            assert f" {key}  {beside_key(label, key)}" in seen(pilot), (key, label)
            await press(pilot, "minus" if key == "-" else key)
            assert saved(database)[-1] == ("label", label)
    assert len(saved(database)) == 12


@mostly_slow(2)
@pytest.mark.parametrize("size", [WIDE, (60, 20)])
async def test_the_list_narrows_and_enter_saves_and_moves_on(
    opened: Opener, database: Database, size: tuple[int, int]
) -> None:
    asking(database, {**ONE, "labels": MANY, "definitions": {"reactance": "Doing the opposite."}})
    async with opened(size=size) as pilot:
        assert f"a  all {len(MANY)} labels" in seen(pilot)
        await press(pilot, "a", *"rea")
        assert "Doing the opposite." in seen(pilot), "the definition of the highlighted label"
        assert "overreacting" in seen(pilot), "the words stand anywhere in a label"
        await press(pilot, "enter")
        assert saved(database) == [("label", "reactance")]
        assert " 1  reactance" in seen(pilot), "the label used last has a digit at the next case"
        await press(pilot, "a", *"sun", "escape")
        await press(pilot, "a", *"nothing like it", "enter", "escape")
        assert len(saved(database)) == 1, "escape changes nothing, nor does enter where nothing is listed"
        await press(pilot, "a", "pagedown", "pageup", "down", "up", "up", *["pagedown"] * 9)
        assert "x" * 40 in "".join(line.strip("│ ") for line in seen(pilot).splitlines())
        await press(pilot, "enter")
        assert saved(database)[-1] == ("label", MANY[-1])
        await press(pilot, "a", *"sunk")
        row = next(y for y, line in enumerate(seen(pilot).splitlines()) if "sunk cost" in line)
        await pilot.click(offset=(seen(pilot).splitlines()[row].index("sunk"), row))
        await settle(pilot)
        assert saved(database)[-1] == ("label", "sunk cost")
        await press(pilot, "1")
        assert saved(database)[-1] == ("label", "reactance")


@pytest.mark.draws
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_letter_narrows_the_list_of_73_biases_with_one_layout_and_one_paint(
    opened: Opener, database: Database, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    # On a busy machine a frame would be due while a key is still under way.
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", 60.0)
    fill(database, "texts", [a_bias_text()])
    create_study(database, "biases", Design(("texts",), None, 1))
    async with opened("biases", size) as pilot:
        await press(pilot, "a")
        assert "bias · 73 labels" in seen(pilot)
        painted, display = list[object](), App._display

        def counted(app: App[None], screen: Screen[object], frame: RenderableType | None) -> None:
            painted.extend([frame] if frame else [])
            display(app, screen, frame)

        monkeypatch.setattr(App, "_display", counted)
        for key in (*"cost", "backspace"):
            painted.clear()
            assert await layouts(pilot, key) == [1], key
            assert len(painted) == 1, key
        assert "Sunk cost fallacy" in seen(pilot)


async def test_a_list_typed_ahead_for_a_case_that_was_not_in_sight_is_dropped(
    opened: Opener, database: Database
) -> None:

    asking(database, {**ONE, "labels": MANY})
    async with opened() as pilot:
        typed(pilot, "a", *"rea", "\r", "a", *"sunk", "\r")
        await until(pilot, "was pressed before this case was in sight")
        assert saved(database) == [("label", "reactance")]
        assert not isinstance(pilot.app.screen, LabelListDialog)


async def test_several_labels_are_chosen_and_saved_by_enter(opened: Opener, database: Database) -> None:
    asking(database, SEVERAL)
    async with opened(size=NARROW) as pilot:
        await press(pilot, "enter")
        assert "Choose the labels that hold" in seen(pilot)
        await press(pilot, "3", "1", "2", "2")
        assert saved(database) == []
        assert "anger ✓" in seen(pilot)
        assert "fear ✓" not in seen(pilot)
        await press(pilot, "n", "b")
        assert "anger ✓" in seen(pilot), "a choice that is not saved stays"
        await press(pilot, "enter")
        assert saved(database) == [("label", '["anger","joy, calm"]')]
        assert "= anger, joy, calm (case 1)" in seen(pilot)
        await press(pilot, "1", "1", "enter")
        assert len(saved(database)) == 1, "a choice that was taken back says nothing"
        await press(pilot, "0", "enter")
        assert saved(database)[-1] == ("label", "[]")
        assert "= none of them (case 2)" in seen(pilot)
        await press(pilot, "u")
        assert "is open again" in seen(pilot)
        await press(pilot, "a", *"lef", "enter", "enter")
        assert saved(database)[-1] == ("label", '["left"]')
        for words in (" 2  fear", "save and go on"):
            await pilot.click(offset=place_of(pilot, words))
            await settle(pilot)
        assert saved(database)[-1] == ("label", '["fear"]')


def place_of(pilot: Opened, words: str) -> tuple[int, int]:
    lines = seen(pilot).splitlines()
    row = next(y for y, line in enumerate(lines) if words in line)
    return lines[row].index(words) + 2, row


async def test_a_text_is_written_and_its_draft_outlives_the_app(
    opened: Opener, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    asking(database, FREE)
    async with opened(size=NARROW) as pilot:
        await press(pilot, "t", "1")
        assert saved(database) == []
        await press(pilot, "a", "enter")
        assert "Nothing is written" in seen(pilot)
        await press(pilot, *"half", "escape")
        assert "✎" in seen(pilot)
        await press(pilot, "n", "b", "a")
        assert pilot.app.screen.query_one(TextArea).text == "half"
        await press(pilot, "s")  # and the app ends while somebody types
    async with opened(size=NARROW) as pilot:
        await press(pilot, "a")
        assert pilot.app.screen.query_one(TextArea).text == "halfs"
        await press(pilot, "ctrl+j", *"done", "enter")
        assert saved(database) == [("label", "halfs\ndone")]
        assert not list((tmp_path / "state").rglob("*.txt")), "a saved answer leaves no draft"
        await press(pilot, "b", "a", *"!", "enter")
        assert saved(database)[-1] == ("label", "halfs\ndone!")


async def test_a_lead_decides_a_set_and_a_text_on_screen(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reviewer.study.session.review_session import ReviewSession

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    asking(database, SEVERAL, FREE, cases=1)
    for rater, feelings in (("anna", '["anger"]'), ("ben", "[]")):
        session = ReviewSession(database, "pilot", rater)
        session.answer(feelings)
        session.answer(f"{rater} says so")
    async with ReviewerApp(database, "zoe", "pilot", adjudicating=True).run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert "none of them 1" in seen(pilot)
        await press(pilot, "enter")
        await press(pilot, "1", "4", "enter")
        assert "why anger, left?" in seen(pilot)
        await press(pilot, *"because", "enter")
        assert "anna says so" in seen(pilot)
        await press(pilot, "a", *"both", "enter", *"because", "enter")
    decided = [value for kind, value in saved(database) if kind == "adjudication"]
    assert '"label":"[\\"anger\\",\\"left\\"]"' in str(decided[0])
    assert '"label":"both"' in str(decided[1])


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_burst_of_keys_answers_the_questions_of_a_case_and_stops_at_the_next(
    database: Database, size: tuple[int, int]
) -> None:
    """Questions about the same panes are in sight together: the last is about another one."""
    same = {**ONE, "labels": SCALE, "shows": ("texts",), "beside": ()}
    asking(database, same, same, same, {**same, "shows": ("axioms",)})
    async with ReviewerApp(database, "anna", "pilot").run_test(size=size) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        assert "▸" in seen(pilot)
        typed(pilot, "4", "2", "5", "1", "3")
        shown = await until(pilot, "“1” was pressed before this case was in sight", "reconstruction 5")
        assert [value for _, value in saved(database)] == ["4", "2", "5"]
        assert ("bias presence 2" in shown, "case 1" in shown) == (True, True)
        await press(pilot, "1")
        typed(pilot, "b", "b")
        await until(pilot, "reconstruction", "axioms 1")


def test_of_many_questions_about_a_case_those_around_the_present_one_are_listed() -> None:
    rows = [BlockRow(f"question {number}", State.OPEN, "", number == 20) for number in range(45)]
    lines = [line.plain.strip() for line in block_lines(rows, 40)]
    assert len(lines) == BLOCK_ROWS
    assert (lines[0], lines[-1]) == ("↑ 15 more", "↓ 20 more")
    assert "▸ ● question 20" in lines
    line = block_line(rows, 78).plain
    assert line.startswith("… ")
    assert line.endswith(" …")
    assert len(line) <= 78
    assert "▸ question 20" in line
