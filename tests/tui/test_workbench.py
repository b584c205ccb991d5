"""The workbench: what a change changes, saving with a reason, drafts, and faults while somebody types."""

import json
import os
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path

import pytest
from textual.widgets import TextArea

from reviewer.core.prose_diff import diff_prose
from reviewer.oracle import pool
from reviewer.protocols.repairs import EditorPane
from reviewer.runs.repair.proposals import ProposalSource
from reviewer.runs.repair.revise import read_place, revise
from reviewer.runs.repair.trial import PaneDifference
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.proposed_contents import CandidatesDialog
from reviewer.tui.dialogs.text_dialog import SaveRepairDialog
from reviewer.tui.screens import workbench
from reviewer.tui.screens.case_list import CasesScreen
from reviewer.tui.screens.workbench import WorkbenchScreen
from reviewer.tui.workbench import background
from reviewer.tui.workbench.editor import MOST_CHARACTERS, Editor
from reviewer.tui.workbench.trial_lines import difference_lines
from store.database import Database
from store.records import Case, Finding
from store.revisions import PlaceNow
from tests.encoders import WordCounts
from tests.prolog import need_prolog
from tests.studies import a_case, fill
from tests.tui.conftest import NARROW, WIDE, Opened, seen, settle

KEY = "anchoring bias/0"
AtWork = Callable[..., AbstractAsyncContextManager[Opened]]


class Encoder(WordCounts):
    """A sentence model that is there at once."""

    def close(self) -> None:
        """Nothing to end."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_prolog()
    path = tmp_path_factory.mktemp("workbench") / "store.db"
    with closing(Database.open(str(path))) as database:
        fill(database, "one", [a_case(0)])
    return path


@pytest.fixture
def database(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    shutil.copy(built, tmp_path / "store.db")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(workbench, "AFTER_KEY_SECONDS", 0.001)
    monkeypatch.setattr(background, "EncoderProcess", Encoder)
    with closing(Database.open(str(tmp_path / "store.db"))) as opened:
        yield opened


@pytest.fixture
def at_work(database: Database) -> AtWork:
    """Opens the workbench on the only case, from the list of cases."""

    @asynccontextmanager
    async def open_workbench(size: tuple[int, int] = WIDE) -> AsyncIterator[Opened]:
        app = ReviewerApp(database, "dora")
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            app.push_screen(CasesScreen(database))
            await settled(pilot)
            await pilot.press("down", "E")
            await settled(pilot)
            yield pilot

    return open_workbench


async def settled(pilot: Opened) -> None:
    """Wait until what was typed was run and shown."""
    for _ in range(3):
        await settle(pilot)


async def put(pilot: Opened, key: str, text: str) -> None:
    """Put a text into an editor, as a paste would."""
    editor = next(each for each in pilot.app.screen.query(Editor) if each.key == key)
    editor.put(text)
    await settled(pilot)


async def typed(pilot: Opened, text: str) -> None:
    names = {
        " ": "space",
        "(": "left_parenthesis",
        ")": "right_parenthesis",
        ".": "full_stop",
        "_": "underscore",
    }
    await pilot.press(*(names.get(letter, letter) for letter in text))
    await settled(pilot)


def place(database: Database) -> PlaceNow:
    return read_place(database, "one", KEY)


def program(key: str = "unbiased_prolog") -> str:
    return str(a_case(0).payload[key])


async def test_letters_are_text_and_what_they_change_is_shown(at_work: AtWork, database: Database) -> None:
    async with at_work() as pilot:
        assert isinstance(pilot.app.screen, WorkbenchScreen)
        assert "findings    as before" in seen(pilot)
        await pilot.press("shift+tab", "shift+tab", "down", "end", "enter")
        await typed(pilot, "tested(option_B).")
        text = seen(pilot)
        assert "unbiased program ●" in text
        assert "new         ▲ serious · both derivable" in text
        assert "solutions   option_B, option_A ≠ option_A" in text or "option_B" in text
        assert "+ tested(option_B)." in text
        await pilot.press("ctrl+s")
        assert "now decide option_B and option_A. Before, they decided option_A." in seen(pilot)
        await pilot.press("escape")
        await typed(pilot, "XQZq( ")
        assert "cannot be read" in seen(pilot)
        await pilot.press("escape", "z")
        await settled(pilot)
        assert "findings    as before" in seen(pilot)
        await pilot.press("u")
        await settled(pilot)
        assert "XQZq(" in seen(pilot)
        assert place(database).history.revisions == ()


async def test_a_repair_is_saved_with_a_reason_and_audited(at_work: AtWork, database: Database) -> None:
    async with at_work(NARROW) as pilot:
        await pilot.press("ctrl+s")
        assert "nothing to save" in seen(pilot)
        await put(pilot, "biased_prolog", program("biased_prolog").replace("ship(ten).\n", ""))
        await pilot.press("ctrl+s", "ctrl+u", "enter")
        await settled(pilot)
        assert "A reason is needed" in seen(pilot)
        await typed(pilot, "as plain")
        await pilot.press("enter")
        await settled(pilot)
        assert "✓ saved  revision 1: as plain" in seen(pilot)
        await pilot.press("escape", "q")
        await settled(pilot)
        assert isinstance(pilot.app.screen, CasesScreen)
    (revision,) = place(database).history.revisions
    assert (revision.author, revision.reason, revision.kind) == ("dora", "as plain", "repair")
    assert "ship" not in str(place(database).case.payload["biased_prolog"])
    assert revision.after["versions"]["biased"]["choice"] == "option_A"


async def test_what_can_no_longer_be_decided_is_saved_only_if_told_so(
    at_work: AtWork, database: Database
) -> None:
    async with at_work() as pilot:
        await put(pilot, "unbiased_prolog", "decide_option(user, X) :- worse(X).")
        assert "new " in seen(pilot)
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert isinstance(pilot.app.screen, SaveRepairDialog)
        await typed(pilot, "for later")
        await pilot.press("enter")
        assert "speaks against" in seen(pilot)
        assert place(database).history.revisions == ()
        await pilot.press("ctrl+o")
        await settled(pilot)
        assert "✓ saved" in seen(pilot)
    assert len(place(database).history.revisions) == 1


async def test_a_draft_comes_back_and_a_case_that_changed_is_not_overwritten(
    at_work: AtWork, database: Database
) -> None:
    async with at_work() as pilot:
        await put(pilot, "axioms", "best(X) :- tested(X), true.")
    elsewhere = a_case(0, axioms="best(X) :- tested(X), X = X.")
    revise(database, "one", KEY, elsewhere, expected=place(database).parent, author="eva", reason="mine")
    async with at_work() as pilot:
        assert "Your draft of" in seen(pilot)
        assert "changed since then" in seen(pilot)
        assert "tested(X), true" in seen(pilot)
    async with at_work() as pilot:
        newer = a_case(0, axioms="best(X) :- tested(X), 1 = 1.")
        revise(database, "one", KEY, newer, expected=place(database).parent, author="eva", reason="again")
        await pilot.press("ctrl+s")
        await settled(pilot)
        await typed(pilot, "x")
        await pilot.press("enter")
        await settled(pilot)
        assert "not saved: case 'anchoring bias/0' of 'one' was changed by eva" in seen(pilot)
    assert place(database).case.digest == newer.digest
    async with at_work() as pilot:
        assert "Your draft of" in seen(pilot)
        await pilot.press("escape", "Z")
        await settled(pilot)
    async with at_work() as pilot:
        assert "Your draft" not in seen(pilot)


async def test_a_goal_is_asked_again_after_every_change(at_work: AtWork) -> None:
    async with at_work() as pilot:
        await pilot.press("f5")
        await typed(pilot, "tested(X)")
        await pilot.press("enter")
        await settled(pilot)
        assert "both        1 solution." in seen(pilot)
        assert "X=option_A" in seen(pilot)
        await put(pilot, "biased_prolog", f"{program('biased_prolog')}\ntested(c).")
        assert "X=c" in seen(pilot)
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, WorkbenchScreen)


async def test_repairs_by_rule_are_previewed_and_taken_into_the_editors(
    at_work: AtWork, database: Database
) -> None:
    async with at_work() as pilot:
        await pilot.press("f3")
        await settled(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, CandidatesDialog)
        assert "‹release(0).›" in seen(pilot), "the rule that settles a finding comes first"
        await pilot.press("enter")
        await settled(pilot)
        assert "ctrl+s saves them" in seen(pilot)
        await pilot.press("ctrl+s")
        await settled(pilot)
        await typed(pilot, "tidy")
        await pilot.press("enter")
        await settled(pilot)
    assert [revision.proposed_by for revision in place(database).history.revisions] == ["rule"]


async def test_a_text_that_a_check_refuses_is_said_before_it_is_saved(at_work: AtWork) -> None:
    async with at_work() as pilot:
        await put(pilot, "unbiased", "Whatever?")
        assert "template options: " in seen(pilot)
        await pilot.press("ctrl+s")
        assert "▲ new: " in seen(pilot)
        assert "template options" in str(pilot.app.screen.query_one("#above").render())


HARMFUL = {
    "decide_option(user, X) :- decide_option(user, X).": "did not end within the inference limit",
    "decide_option(user, X) :- fork(X).": "fork/1",
    "decide_option(user, X) :- open(f, write, X).": "open/3",
    "\x00decide_option(user, a).": "NUL",
}


async def test_harm_done_while_somebody_types_is_said_and_leaves_the_text_alone(at_work: AtWork) -> None:
    async with at_work() as pilot:
        for text, told in HARMFUL.items():
            await put(pilot, "unbiased_prolog", text)
            assert told in " ".join(seen(pilot).split()), text
        with pool._of(pool.FULL).lend() as lent:
            os.kill(lent.worker.pid, signal.SIGKILL)
        await put(pilot, "unbiased_prolog", f"{program()}\ntested(option_B).")
        assert "both derivable" in seen(pilot)
        editor = pilot.app.screen.query(Editor).first()
        before = editor.text
        pilot.app.copy_to_clipboard("x" * 5_000_000)
        await pilot.press("ctrl+v")
        await settled(pilot)
        assert (editor.text, f"one may have {MOST_CHARACTERS:,}" in seen(pilot)) == (before, True)


async def test_two_windows_on_one_case_are_said(at_work: AtWork) -> None:
    async with at_work() as first:
        await put(first, "axioms", "best(X) :- tested(X), true.")
        async with at_work() as second:
            assert "Another window is editing this case" in seen(second)
            assert isinstance(second.app.screen.query(TextArea).first(), Editor)
            assert "tested(X), true" not in seen(second), "the draft of a living window is its own"


async def test_a_model_proposes_and_a_person_takes_over_and_saves(database: Database) -> None:
    program = "release(0).\ntested(option_A).\ndecide_option(user, X) :- best(X)."
    reply = {"proposals": [{"why": "shorter", "texts": {"unbiased_prolog": program}}, {"accept": True}]}
    asked: list[str] = []

    def ask(_database: Database, now: PlaceNow, case: Case, finding: Finding) -> str:
        asked.append(f"{now.place.dataset} {finding.check} {case == now.case}")
        return json.dumps(reply)

    app = ReviewerApp(database, "dora", repairing=("one", KEY), proposals=ProposalSource("model-1", ask))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert isinstance(pilot.app.screen, WorkbenchScreen)
        await pilot.press("f8")
        await settled(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, CandidatesDialog)
        assert "instructs the tool" in seen(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert program in [editor.text for editor in pilot.app.screen.query(Editor)]
        await pilot.press("ctrl+s")
        await settled(pilot)
        pilot.app.screen.query_one(TextArea).text = ""
        await typed(pilot, "shorter")
        await pilot.press("enter")
        await settled(pilot)
        (step,) = read_place(database, "one", KEY).history.revisions
        assert (step.proposed_by, step.reason) == ("model", "shorter")
    assert asked == ["one differs_from_published True"]


async def test_without_a_model_the_key_says_how_to_name_one(at_work: AtWork) -> None:
    async with at_work() as pilot:
        await pilot.press("f8")
        assert "No model was named. Start with `reviewer repair one --model NAME`." in seen(pilot)


def test_lines_that_differ_are_counted_as_the_text_has_them() -> None:
    one = EditorPane("unbiased", "unbiased text", "prose", "All of us wait for the next release.\nYes.")
    difference = PaneDifference(one, diff_prose("We wait.\nYes.", one.text))
    narrow, wide = (difference_lines([difference], width)[0].content.plain for width in (12, 200))
    assert narrow == wide == "unbiased text · 1 line differs"
