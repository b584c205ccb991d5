"""Findings of rules: listed, counted, dismissed, revealed and drawn as studies, without Prolog."""

import json

import pytest

from reviewer.oracle.program_runner import local_runner
from reviewer.protocols.registry import Protocols
from reviewer.runs.audit.audit_findings import audits_in_words, read_findings
from reviewer.runs.audit.dataset_audit import audit
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.blinded_panes import sheet_for
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.screens.audit_screen import AuditScreen
from reviewer.tui.screens.finding import FindingScreen
from store.database import Database
from store.findings import cases_in, failed_findings
from store.ledger import Ledger
from tests.cli.conftest import Run
from tests.rounds import mostly_slow
from tests.second_protocol.material import a_dialogue, fill_tiny
from tests.tiny_protocol.protocol import FIT, Tiny
from tests.tui.conftest import NARROW, WIDE, Opener, press, seen


class Unchecked(Tiny):
    """The same without any checks."""

    title = "UNCHECKED"
    machine_checks = {}

    def check_plan(self, case: object) -> None:  # type: ignore[override]
        return None


UNCHECKED = Protocols(Unchecked())


@pytest.fixture
def unchecked(database: Database) -> None:
    database.protocols = UNCHECKED


def rows(run: Run, *words: object) -> list[dict[str, object]]:
    done = run(*words, "--format", "json")
    assert done.code == 0, done.err
    return json.loads(done.out)  # type: ignore[no-any-return]


@pytest.mark.usefixtures("database")
def test_an_audit_asks_the_rules_and_passes_over_what_it_asked(run: Run) -> None:
    done = run("audit", "talks", "--format", "json")
    assert done.code == 0, done.err
    found = {(row["severity"], row["check"], row["key"]) for row in json.loads(done.out)}
    assert found == {("serious", "same_reply", "trains/0"), ("doubtful", "short_reply", "tea/3")}
    assert "6 audited, 0 audited before" in done.err
    assert "0 audited, 6 audited before" in run("audit", "talks").err
    assert "6 audited, 0 audited before" in run("audit", "talks", "--again").err
    counted = rows(run, "audit", "talks", "--summary", "check,group")
    assert [(row["check"], row["group"], row["findings"]) for row in counted] == [
        ("same_reply", "trains", 1),
        ("short_reply", "tea", 1),
    ]
    assert [row["check"] for row in rows(run, "audit", "talks", "--check", "short_reply")] == ["short_reply"]
    assert "'nope' is not one of" in run("audit", "talks", "--check", "nope").err


@pytest.mark.usefixtures("unchecked")
def test_where_there_are_no_checks_the_audit_says_so(run: Run, database: Database) -> None:
    done = run("audit", "talks", protocols=UNCHECKED)
    assert done.code == 0, done.err
    assert "Checked: the texts of 6 cases, and the dataset as a whole" in done.err
    assert "has no programs and no checks of single cases" in done.err
    assert "0 audited" not in done.err
    assert audits_in_words(database) == {"talks": "nothing to audit"}


@pytest.mark.usefixtures("database")
def test_a_check_needs_nothing_where_rules_are_all(run: Run) -> None:
    done = run("check", "talks", "--format", "json")
    assert done.code == 0, done.err
    assert {row["check"] for row in json.loads(done.out)} == {"same_reply", "short_reply"}
    assert "6 checked, 0 checked before." in done.err
    assert "0 checked, 6 checked before." in run("check", "talks").err
    assert run("check", "talks", "--published").code == 0
    assert "6 audited, 0 audited before" in run("audit", "talks").err
    assert "0 checked, 6 checked before." in run("check", "talks").err
    assert "0 audited, 6 audited before" in run("audit", "talks").err


@pytest.mark.usefixtures("unchecked")
def test_a_check_of_nothing_says_so(run: Run) -> None:
    done = run("check", "talks", protocols=UNCHECKED)
    assert done.code == 0, done.err
    assert "6 with nothing to check" in done.err


@pytest.mark.usefixtures("database")
def test_there_is_no_decision_to_ask_models_for(run: Run) -> None:
    done = run("check", "talks", "--decisions", "m", "--base-url", "http://127.0.0.1:9")
    assert done.code == 2
    assert "no program decides the cases" in done.err


@pytest.mark.usefixtures("database")
def test_datasets_are_joined_without_a_sentence_model(run: Run, database: Database) -> None:
    fill_tiny(database, "more", [a_dialogue(3, "tea"), a_dialogue(4, "tea")])
    joined = run("datasets", "merge", "talks", "more", "--into", "all", "--format", "json")
    assert joined.code == 0, joined.err
    assert [row["left out"] for row in json.loads(joined.out)] == ["tea/0"]
    compared = run("diversity", "talks", "more")
    assert compared.code == 2
    assert "nothing to compare" in compared.err


@mostly_slow(2)
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_the_audit_screen_asks_the_rules(
    database: Database, opened: Opener, size: tuple[int, int]
) -> None:
    async with opened(None, size) as pilot:
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, AuditScreen)
        assert "not audited yet" in seen(pilot)
        assert "Prolog" not in seen(pilot)
        await press(pilot, "v")
        assert "talks · audit of 6 cases · 2 findings on 2 cases" in seen(pilot)
        if size == WIDE:
            assert "1 serious · same reply" in seen(pilot)
            assert "Twice: Take the early one." in seen(pilot)
        await press(pilot, "v")
        assert "Every case is audited." in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, FindingScreen)
        for words in ("finding 1 of 2", "Twice:", "Is a reply there twice?"):
            assert words in seen(pilot)


async def test_where_there_are_no_checks_the_screen_is_no_dead_end(
    database: Database, unchecked: None, opened: Opener
) -> None:
    async with opened(None) as pilot:
        assert "nothing to audit" in seen(pilot)
        await press(pilot, "v")
        assert "UNCHECKED has no checks, so there is nothing to audit." in seen(pilot)
        assert "not audited" not in seen(pilot)
        assert "run the audit" not in seen(pilot)
        await press(pilot, "v")
        assert "UNCHECKED has no checks" in seen(pilot)


async def test_a_finding_of_a_rule_is_dismissed_and_comes_back(
    database: Database, run: Run, opened: Opener
) -> None:
    assert run("audit", "talks").code == 0
    async with opened(None) as pilot:
        await press(pilot, "v", "x", *"meant", "enter")
        assert found(database) == ["short_reply"]
        await press(pilot, "q")
        assert "audit: 0 with serious findings, 1 doubtful" in seen(pilot)
        await press(pilot, "v", "i", "end", "enter")
        assert "dismissed by anna: meant" in seen(pilot)
        await press(pilot, "x")
        assert found(database) == ["same_reply", "short_reply"]
        await press(pilot, "q")
        assert "audit: 1 with serious findings, 1 doubtful" in seen(pilot)


def found(database: Database) -> list[str]:
    with database.read() as session:
        return [each.finding.check for each in failed_findings(session, "talks")]


async def test_a_study_is_drawn_from_findings_of_a_rule(database: Database, run: Run, opened: Opener) -> None:
    assert run("audit", "talks").code == 0
    async with opened(None) as pilot:
        await press(pilot, "v", "s", *"found", "ctrl+s")
        assert "study found is drawn" in seen(pilot)
    cases = {placed.place.case for placed in read_findings(database, "talks").found}
    assert {place.case for place in load_study(database, "found").sample} == cases


def test_a_finding_is_revealed_after_the_answer_it_bears_on(database: Database, run: Run) -> None:
    assert run("audit", "talks").code == 0
    assert run("study", "new", "pilot", "--dataset", "talks", "--seed", "1").code == 0
    bundle = load_study(database, "pilot")
    (short,) = [place.case for place in bundle.sample if place.key == "tea/3"]
    case, findings = bundle.cases[short], bundle.findings[short]

    def panes(answered: set[str]) -> set[str]:
        return {pane.key for pane in sheet_for(bundle.protocol, FIT, case, [], answered, "full", findings)}

    assert panes(set()) == panes({"preference"}) == {"dialogue", "replies"}
    assert panes({"fit"}) == {"dialogue", "replies", "findings"}


def test_a_finding_is_revealed_at_once_and_asks_for_a_second_verdict(database: Database, run: Run) -> None:
    assert run("audit", "talks").code == 0
    words = ("--dataset", "talks", "--finding", "short_reply", "--reveal", "findings")
    assert run("study", "new", "pilot", *words).code == 0
    session = ReviewSession(database, "pilot", "anna")
    session.answer("tie")
    assert "findings" not in {pane.key for pane in session.sheet()}
    session.answer("first")
    session.answer("2")
    assert session.waiting
    assert "findings" in {pane.key for pane in session.sheet()}
    session.answer("1")
    labels = [event.value for event in Ledger(database).events("pilot") if event.kind == "label"]
    assert labels == ["tie", "first", "2", "1"]


def test_an_audit_by_rules_tells_the_findings_of_each_case_once(database: Database) -> None:
    fill_tiny(database, "many", [a_dialogue(number) for number in range(14)])
    with database.read() as session:
        cases = cases_in(session, "many")
    told: list[str] = []
    with local_runner() as runner:
        audit(database, [cases[:12], cases[12:]], runner, found=lambda found: told.append(found[0].case))
    assert told == [case.digest for case in cases]
