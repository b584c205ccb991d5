"""Audit-clean and strictly clean cases, and audits by earlier checks."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.oracle.version_checks import EDITION
from reviewer.runs.audit.audit_findings import (
    DISMISSED_EARLIER,
    Wanted,
    audits_in_words,
    narrowed_by,
    read_findings,
)
from reviewer.runs.audit.audit_state import AuditState, audit_state
from reviewer.runs.audit.dataset_audit import MARK
from reviewer.runs.repair.revise import read_place, withdraw
from store.database import Database
from store.dismissals import dismiss, dismiss_each, restore
from store.findings import CaseFindings, PlacedFinding, failed_findings, keep_case_findings
from store.records import Case, Finding, Measurement
from tests.studies import PROBE_SWE, a_case, fill, open_store

CASES = [a_case(number) for number in range(5)]
FOUND = (
    ("both_derivable", "serious"),
    ("not_run", "serious"),
    ("by_default", "doubtful"),
    ("gate", "untidy"),
)


def audited(case: Case, check: str = "", severity: str = "untidy", version: int = 1) -> CaseFindings:
    mark = {"edition": EDITION if version else "another"}
    known = {"case": case.digest, "check": check, "check_version": version, "severity": severity}
    findings = [Finding.model_validate(known | {"passed": False, "why": "Because."})] if check else []
    measured = Measurement(case=case.digest, name=MARK, source="measured", engine="swipl", value=mark)
    return CaseFindings(measured, (), tuple(findings))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Five audited cases: one without findings, the others with one of each kind."""
    database = open_store(tmp_path)
    fill(database, "one", CASES)
    whole = [audited(case, *found) for case, found in zip(CASES[1:], FOUND, strict=True)]
    keep_case_findings(database, [audited(CASES[0]), *whole])
    return database


def state(database: Database) -> AuditState:
    return audit_state(database, "one", PROBE_SWE)


def numbers(found: frozenset[str]) -> list[int]:
    return [number for number, case in enumerate(CASES) if case.digest in found]


def listed(database: Database) -> dict[str, PlacedFinding]:
    with database.read() as session:
        return {each.finding.check: each for each in failed_findings(session, "one", dismissed=True)}


def test_clean_is_what_has_no_standing_finding_and_was_run(database: Database) -> None:
    assert numbers(state(database).audit_clean) == [0, 3, 4]
    assert numbers(state(database).strictly_clean) == [0, 4]
    for placed in listed(database).values():
        dismiss(database, placed.finding, "dora", "meant so")
    # A dismissal does not run a program.
    assert numbers(state(database).audit_clean) == [0, 1, 3, 4]
    assert numbers(state(database).strictly_clean) == [0, 1, 3, 4]
    assert state(database).clean_words == (
        "0 with serious findings, 0 doubtful at worst, 4 untidy or none, 1 not fully tested; "
        "4 tested and without serious"
    )


def test_a_case_with_a_check_that_could_not_run_is_counted_apart(database: Database) -> None:
    kept = audited(CASES[0], "gate", "untidy")
    (finding,) = kept.findings
    untested = finding.model_copy(update={"tested": False})
    keep_case_findings(database, [replace(kept, findings=(untested,))])
    now = state(database)
    assert [numbers(cases) for cases in (now.untested, now.audit_clean, now.strictly_clean)] == [
        [0],
        [3, 4],
        [4],
    ]
    assert len(now.current) == len(CASES)


def test_what_earlier_checks_audited_says_so_until_it_is_audited_again(database: Database) -> None:
    assert (state(database).earlier, read_findings(database, "one").due) == (frozenset(), 0)
    keep_case_findings(database, [audited(CASES[0], version=0), audited(CASES[4], version=0)])
    assert numbers(state(database).earlier) == [0, 4]
    assert numbers(state(database).audit_clean) == [3]
    assert state(database).earlier_words == "2 cases were audited by earlier checks"
    assert "2 cases were audited by earlier checks" in audits_in_words(database)["one"]
    assert read_findings(database, "one").due == 2
    keep_case_findings(database, [audited(CASES[0]), audited(CASES[4])])
    assert state(database).earlier == frozenset()


def test_a_dismissal_for_an_earlier_version_is_kept_listed_and_not_applied(database: Database) -> None:
    first = listed(database)["both_derivable"].finding
    dismiss(database, first, "dora", "one is named first")
    keep_case_findings(database, [audited(CASES[1], "both_derivable", "serious", version=2)])
    placed = listed(database)["both_derivable"]
    before = placed.earlier
    assert before is not None
    assert placed.dismissal is None
    assert (before.who, before.why, before.check_version) == ("dora", "one is named first", 1)
    assert 1 not in numbers(state(database).audit_clean)
    findings = read_findings(database, "one").found
    assert narrowed_by(findings)["state"][DISMISSED_EARLIER] == 1
    (again,) = [each for each in findings if Wanted(state=DISMISSED_EARLIER).takes(each)]
    assert Wanted().takes(again)
    dismiss_each(database, [(again.finding, before.why)], "eve")
    now = listed(database)["both_derivable"]
    assert now.dismissal is not None
    assert (now.dismissal.who, now.dismissal.why, now.earlier) == ("eve", "one is named first", None)
    restore(database, now.finding, "eve")
    assert listed(database)["both_derivable"] == placed


def test_a_change_of_severity_alone_keeps_the_dismissal(database: Database) -> None:
    dismiss(database, listed(database)["both_derivable"].finding, "dora", "meant so")
    keep_case_findings(database, [audited(CASES[1], "both_derivable", "doubtful")])
    placed = listed(database)["both_derivable"]
    assert (placed.finding.severity, placed.dismissal and placed.dismissal.why) == ("doubtful", "meant so")


def test_a_withdrawn_case_is_in_no_list_and_no_count(database: Database) -> None:
    key = listed(database)["both_derivable"].place.key
    before = audits_in_words(database)["one"]
    parent = read_place(database, "one", key).parent
    withdraw(database, "one", key, expected=parent, author="dora", reason="not worth a repair")
    assert "both_derivable" not in listed(database)
    assert numbers(state(database).cases) == [0, 2, 3, 4]
    serious = [
        int(words.removeprefix("audit: ").split()[0]) for words in (before, audits_in_words(database)["one"])
    ]
    assert serious[1] == serious[0] - 1, "home counts it no more"


def test_words_filter_by_what_a_finding_says(database: Database) -> None:
    found = read_findings(database, "one").found
    for text, checks in (
        ("BOTH because", {"both_derivable"}),
        ("because", {"both_derivable", "not_run", "by_default", "gate"}),
        ("derivable nothing", set()),
        (f"{CASES[4].group} gate", {"gate"}),
    ):
        assert {each.finding.check for each in found if Wanted(text=text).takes(each)} == checks
    assert Wanted(text="by default", severity="doubtful").words == 'doubtful, "by default"'
