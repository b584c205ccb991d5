"""The audit screen: who may see it, walking through findings, dismissing, and a study of them."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Event

import pytest
from textual.widgets import Input

from reviewer.core.personal_settings import Settings
from reviewer.oracle import pool
from reviewer.oracle.program_runner import LocalRunner, ProgramRunner
from reviewer.protocols.base import Protocol
from reviewer.runs.audit import dataset_audit as auditing
from reviewer.runs.audit.dataset_audit import Progress, audit
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.text_dialog import ReasonDialog
from reviewer.tui.screens.audit_screen import AuditScreen
from reviewer.tui.screens.audit_words import progress_words
from reviewer.tui.screens.finding import FindingScreen
from reviewer.tui.widgets.finding_content import finding_items
from reviewer.tui.widgets.text_pane import TextPane
from reviewer.tui.workbench.editor import Editor
from store.database import Database
from store.findings import PlacedFinding, cases_in, count_marked, failed_findings
from store.records import Case, Finding, Membership
from tests.new_stores import made_once
from tests.prolog import need_prolog
from tests.studies import a_case, fill
from tests.tui.conftest import NARROW, WIDE, Opener, press, press_in_turn, seen, settle
from tests.tui.quick_apps import threads_go_on

BOTH = a_case(1).payload["unbiased_prolog"] + "\ntested(option_B)."


@pytest.fixture
def cases(database: Database) -> None:
    _fill(database)


def _fill(database: Database) -> None:
    """Three cases; in the second and third both options can be derived."""
    made = [a_case(0), *(a_case(n, unbiased_prolog=BOTH, biased_prolog=BOTH) for n in (1, 2))]
    fill(database, "one", made)


@pytest.fixture
def audited(database: Database) -> None:
    need_prolog()
    made_once(database, _audited)


def _audited(database: Database) -> None:
    _fill(database)
    with database.read() as session:
        found = cases_in(session, "one")
    with pool.open_executor(1) as executor:
        audit(database, [found], LocalRunner(executor))


def open_findings(database: Database) -> list[str]:
    with database.read() as session:
        return [f"{each.finding.check} {each.place.key}" for each in failed_findings(session, "one")]


@pytest.mark.usefixtures("audited")
async def test_findings_are_walked_by_check_over_their_case(opened: Opener) -> None:
    async with opened(None, NARROW) as pilot:
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, AuditScreen)
        assert "one · audit of 3 cases" in seen(pilot)
        assert "2 serious · both" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, FindingScreen)
        assert "finding 1 of" in seen(pilot)
        assert "Both options are solutions" in seen(pilot)
        assert "tested(option_B)" in seen(pilot)
        await press(pilot, "n", "q")
        assert isinstance(pilot.app.screen, AuditScreen)
        assert "bias/2" in seen(pilot)


@pytest.mark.usefixtures("audited")
async def test_a_finding_is_dismissed_with_a_reason_and_comes_back(
    opened: Opener, database: Database
) -> None:
    before = open_findings(database)
    async with opened(None, rater="dora") as pilot:
        await press(pilot, "v", "x", "enter")
        assert "A reason is needed" in seen(pilot)
        await press(pilot, *"[b]meant", "enter")
        assert (
            open_findings(database) == [each for each in before if each != before[0]]
            or len(open_findings(database)) == len(before) - 1
        )
        assert "1 serious · both derivable" in seen(pilot)
        await press(pilot, "i", "end", "up", "up", "enter")  # dismissed, open, not tested
        assert "dismissed by dora: [b]meant" in seen(pilot)
        await press(pilot, "enter", "x")
        assert "it is open again" in seen(pilot)
        await press(pilot, "x", *"no", "enter", "q", "x")
    assert open_findings(database) == before


@pytest.mark.usefixtures("audited")
async def test_a_repair_opens_at_the_finding_and_the_list_knows_what_was_saved(
    opened: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with opened(None, WIDE, rater="dora") as pilot:
        await press(pilot, "v", "E")
        assert "serious · both derivable: Both options" in seen(pilot)
        editor = pilot.app.focused
        assert isinstance(editor, Editor)
        assert (editor.key, editor.cursor_location) == ("unbiased_prolog", (2, 0))
        for each in pilot.app.screen.query(Editor):
            each.put(each.text.replace("tested(option_B).", ""))
        await settle(pilot)
        await press_in_turn(pilot, "ctrl+s", "x")
        held = Event()
        for _ in range(100):  # more than there are threads: the audit of the saved text has to wait
            asyncio.get_running_loop().run_in_executor(None, held.wait)
        with threads_go_on():
            await pilot.press("enter", "escape", "escape")
        held.set()
        await settle(pilot)
        assert isinstance(pilot.app.screen, AuditScreen)
        assert "1 serious · both" in seen(pilot)
        await press(pilot, "H", "w", "x", "enter", "q")
        assert "on 2 cases" in seen(pilot)


@pytest.mark.usefixtures("audited")
async def test_a_study_is_drawn_from_the_cases_in_the_list(opened: Opener, database: Database) -> None:
    async with opened(None) as pilot:
        await press(pilot, "v", "i", "down", "enter")
        await press(pilot, "s", *"doubts")
        pilot.app.screen.query_one("#others", Input).value = "1"
        await press(pilot, "ctrl+s")
        assert "study doubts is drawn" in seen(pilot)
    bundle = load_study(database, "doubts")
    numbers = [place.key.partition("/")[2] for place in bundle.sample]
    assert (numbers == sorted(numbers), len(numbers)) == (True, 3), "the order tells which case was picked"
    assert {*numbers} > {"1", "2"}
    assert bundle.design.picked
    assert bundle.design.others == 1
    assert bundle.leads == ("anna",)


@pytest.mark.usefixtures("audited")
async def test_whoever_still_judges_its_cases_is_asked_to_finish_first(
    opened: Opener, database: Database
) -> None:
    create_study(database, "pilot", Design(("one",), None, 1, raters=("anna",)))
    async with opened(None) as pilot:
        await press(pilot, "v")
        assert "You still have cases of one to answer in study pilot" in seen(pilot)
        assert not isinstance(pilot.app.screen, AuditScreen)
    async with opened(None, rater="dora") as pilot:
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, AuditScreen)


@pytest.mark.usefixtures("audited")
async def test_adjudicator_is_asked_to_decide_first(opened: Opener, database: Database) -> None:
    create_study(database, "pilot", Design(("one",), None, 1, raters=("anna", "ben")))
    for rater, answer in (("anna", "True"), ("ben", "False")):
        session = ReviewSession(database, "pilot", rater)
        for _ in session.slots:
            session.answer(answer)
    adjudication = AdjudicationSession(database, "pilot", "zoe")
    async with opened(None, rater="zoe") as pilot:
        await press(pilot, "v")
        assert "You still have cases of one to adjudicate in study pilot" in seen(pilot)
        await press(pilot, "e")
        assert "You still have cases of study pilot to adjudicate" in seen(pilot)
    for index in range(len(adjudication.disputes)):
        adjudication.go_to(index)
        adjudication.decide("True", "it is so")
    async with opened(None, rater="zoe") as pilot:
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, AuditScreen)


@pytest.mark.usefixtures("cases")
async def test_a_dataset_is_audited_from_the_screen(opened: Opener, database: Database) -> None:
    need_prolog()
    async with opened(None) as pilot:
        await press(pilot, "v")
        assert "was not audited yet" in seen(pilot)
        await press(pilot, "v")
        assert "both derivable" in seen(pilot)
        await press(pilot, "v")
        assert "Every case is audited." in seen(pilot)
    assert open_findings(database)


def test_a_running_audit_says_how_far_it_is_how_long_it_takes_and_what_it_found() -> None:
    worst = {"serious": 3, "doubtful": 4, "untidy": 2, "": 1}
    found = "3 with serious findings, 4 doubtful at worst, 3 untidy or none"
    assert progress_words(0, 806, 0.0, {}) == "0 of 806 cases audited"
    assert progress_words(10, 40, 50.0, worst) == f"10 of 40 cases audited · about 2.5 min left · {found}"
    assert progress_words(10, 10, 50.0, worst) == f"10 of 10 cases audited · {found}"


@pytest.mark.usefixtures("cases")
async def test_leaving_stops_the_audit_and_keeps_what_is_done(
    opened: Opener, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_prolog()
    told: list[str] = []
    ended, real = Event(), auditing.audit

    def long(
        database: Database,
        pages: Iterable[Sequence[Case]],
        runner: ProgramRunner,
        progress: Progress,
        found: Callable[[Sequence[Finding]], None],
        protocol: Protocol,
        expected: int,
    ) -> None:
        """Audits one case, and is then at work for as long as nobody stops it, up to some seconds."""
        told.append("began")
        assert expected == 3
        real(database, [next(iter(pages))[:1]], runner, found=found, protocol=protocol)
        try:
            for done in range(1, 500):
                progress(done, 500)
                time.sleep(0.01)
            told.append("nobody stopped it")
        finally:
            ended.set()

    monkeypatch.setattr(auditing, "audit", long)
    async with opened(None) as pilot:
        await press(pilot, "v")
        with threads_go_on():
            await pilot.press("v", "v")
            while "cases audited" not in (shown := seen(pilot)):
                await pilot.pause()
            await pilot.press("q")
    assert "left · 0 with serious findings, 1 doubtful at worst, 0 untidy or none" in shown
    assert ended.wait(30)
    assert told == ["began"]
    with database.read() as session:
        assert count_marked(session, auditing.MARK) == {"one": (3, 1)}


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize("size", [WIDE, (120, 36), NARROW])
async def test_both_derivations_and_both_texts_stand_beside_the_list(
    opened: Opener, size: tuple[int, int]
) -> None:
    async with opened(None, size) as pilot:
        await press(pilot, "v")
        screen = pilot.app.screen
        assert 3 * screen.query_one("#left").size.width <= size[0]
        shown = seen(pilot)
        assert shown.replace("\n", " ").count("Both options are") == 1
        assert "I plan release 1." in shown
        if size != NARROW:
            assert "option_A · unbiased" in shown
            assert "option_B · unbiased" in shown
        if size == (120, 36):
            await press(pilot, "p")
        marked = [
            line.content.plain.lstrip(" 0123456789")
            for text_pane in screen.query(TextPane)
            if text_pane.display and text_pane.pane_text
            for line in text_pane.pane_text.lines(60)
            if line.sign == "◆"
        ]
        assert {"tested(option_A).", "tested(option_B)."} <= set(marked)


@pytest.mark.usefixtures("audited")
async def test_a_key_that_settings_give_to_the_screen_does_not_zoom(database: Database) -> None:
    app = ReviewerApp(database, "dora", settings=Settings(keys={"audit.dismiss": "z"}))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "v", "enter", "z")
        assert isinstance(pilot.app.screen, ReasonDialog)


@pytest.fixture
def refused(database: Database) -> None:
    """A case whose biased program is refused, and one of which nothing but the untidy can be said."""
    need_prolog()
    program = a_case(3).payload["biased_prolog"] + "\nlist :- shell(ls)."
    fill(database, "one", [a_case(0), a_case(3, biased_prolog=program)])
    with database.read() as session:
        found = cases_in(session, "one")
    with pool.open_executor(1) as executor:
        audit(database, [found], LocalRunner(executor))


@pytest.mark.usefixtures("refused")
async def test_what_was_not_tested_is_told_and_cannot_be_dismissed(
    opened: Opener, database: Database
) -> None:
    async with opened(None, rater="dora") as pilot:
        assert "1 with serious findings, 1 doubtful at worst, 0 untidy or none; 1 without" in seen(pilot)
        await press(pilot, "v")
        assert "1 serious · not run" in seen(pilot)
        assert "The biased program was refused" in seen(pilot)
        assert "1 case not fully tested" in seen(pilot)
        assert "not tested ·" not in seen(pilot)
        await press(pilot, "i", "end", "enter")
        assert "1 not tested · no option" in seen(pilot)
        assert "checks of 1 case" in seen(pilot)
        await press(pilot, "x")
        assert "nothing to dismiss" in seen(pilot)
        await press(pilot, "enter", "x")
        assert "nothing to dismiss" in seen(pilot)
    with database.read() as session:
        assert not [p for p in failed_findings(session, "one", dismissed=True) if p.dismissal]


def placed(check: str, severity: str, number: int, why: str = "Because.") -> PlacedFinding:
    """A finding of a check on the case of a number."""
    place = Membership(
        dataset="one", key=f"bias/{number}", case="0" * 64, position=number, generator="g", origin="seed"
    )
    said = {"case": "0" * 64, "check_version": 1, "passed": False, "severity": severity, "why": why}
    return PlacedFinding(place, "bias", Finding.model_validate({**said, "check": check}))


def test_each_head_counts_the_findings_below_it() -> None:
    found = [
        *(placed("swap_keeps", "serious", number) for number in range(2)),
        *(placed("swap_keeps", "doubtful", number) for number in range(3)),
    ]
    drawn = [item._content().plain for item in finding_items(found)]
    assert drawn[0].startswith("2 serious · swap keeps\n")
    assert drawn[2].startswith("\n3 doubtful · swap keeps\n")
