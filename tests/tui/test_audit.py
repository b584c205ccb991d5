"""The audit screen: who may see it, walking through findings, dismissing, and a study of them."""

import time
from collections.abc import Sequence
from concurrent.futures import Executor
from threading import Event

import pytest

from reviewer.oracle import pool
from reviewer.runs import audit as auditing
from reviewer.runs.audit import Progress, audit
from reviewer.study.bundle import load_study
from reviewer.study.sampling import Design, create_study
from reviewer.tui.screens.audit import AuditScreen
from reviewer.tui.screens.finding import FindingScreen
from store.database import Database
from store.findings import cases_in, count_marked, failed_findings
from store.records import Case
from tests.prolog import need_prolog
from tests.studies import a_case, fill
from tests.tui.conftest import NARROW, WIDE, Opener, press, seen

BOTH = a_case(1).payload["unbiased_prolog"] + "\ntested(option_B)."


@pytest.fixture
def cases(database: Database) -> None:
    """Three cases; in the second and third both options can be derived."""
    made = [a_case(0), *(a_case(n, unbiased_prolog=BOTH, biased_prolog=BOTH) for n in (1, 2))]
    fill(database, "one", made)


@pytest.fixture
def audited(database: Database, cases: None) -> None:
    need_prolog()
    with database.read() as session:
        found = cases_in(session, "one")
    with pool.open_executor(1) as executor:
        audit(database, found, executor)


def open_findings(database: Database) -> list[str]:
    with database.read() as session:
        return [f"{each.finding.check} {each.place.key}" for each in failed_findings(session, "one")]


@pytest.mark.usefixtures("audited")
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_findings_are_walked_by_check_over_their_case(opened: Opener, size: tuple[int, int]) -> None:
    async with opened(None, size) as pilot:
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, AuditScreen)
        assert "one · audit of 3 cases" in seen(pilot)
        assert "serious · both derivable · 2" in seen(pilot)
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
        assert "both derivable · 1" in seen(pilot)
        await press(pilot, "i", "end", "enter")
        assert "dismissed by dora: [b]meant" in seen(pilot)
        await press(pilot, "enter", "x")
        assert "it is open again" in seen(pilot)
        await press(pilot, "x", *"no", "enter", "q", "x")
    assert open_findings(database) == before


@pytest.mark.usefixtures("audited")
async def test_a_study_is_drawn_from_the_cases_in_the_list(opened: Opener, database: Database) -> None:
    async with opened(None) as pilot:
        await press(pilot, "v", "i", "down", "enter")
        await press(pilot, "s", *"doubts", "ctrl+s")
        assert "study doubts is drawn" in seen(pilot)
    bundle = load_study(database, "doubts")
    assert {place.key.partition("/")[2] for place in bundle.sample} == {"1", "2"}
    assert bundle.design.picked


@pytest.mark.usefixtures("audited")
async def test_whoever_still_judges_its_cases_is_asked_to_finish_first(
    opened: Opener, database: Database
) -> None:
    create_study(database, "pilot", Design(("one",), None, 1, raters=("anna",)))
    async with opened(None) as pilot:
        await press(pilot, "v")
        assert "You still judge cases of one in pilot" in seen(pilot)
        assert not isinstance(pilot.app.screen, AuditScreen)
    async with opened(None, rater="dora") as pilot:
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


@pytest.mark.usefixtures("cases")
async def test_leaving_stops_the_audit_and_keeps_what_is_done(
    opened: Opener, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_prolog()
    told: list[str] = []
    ended, real = Event(), auditing.audit

    def long(database: Database, cases: Sequence[Case], executor: Executor, progress: Progress) -> None:
        """Audits one case, and is then at work for as long as nobody stops it, up to some seconds."""
        told.append("began")
        real(database, cases[:1], executor)
        try:
            for done in range(500):
                progress(done, 500)
                time.sleep(0.01)
            told.append("nobody stopped it")
        finally:
            ended.set()

    monkeypatch.setattr(auditing, "audit", long)
    async with opened(None) as pilot:
        await press(pilot, "v")
        await pilot.press("v", "v", "q")
    assert ended.wait(30)
    assert told == ["began"]
    with database.read() as session:
        assert count_marked(session, auditing.MARK) == {"one": (3, 1)}
