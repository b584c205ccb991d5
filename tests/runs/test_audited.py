"""What the audits of all datasets come to."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.oracle.version_checks import EDITION
from reviewer.runs.audit.audit_findings import audits_in_words
from reviewer.runs.audit.dataset_audit import MARK
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.records import Case, Finding, Measurement
from tests.studies import a_case, fill, open_store

Found = tuple[str, str, bool | None]
ONE = "1 with serious findings, 0 doubtful at worst"
NONE = "0 with serious findings, 0 doubtful at worst"


def outcome(case: Case, *findings: Found) -> CaseFindings:
    """An audited case with its findings: check, severity, passed (None: not tested)."""
    mark = Measurement(
        case=case.digest, name=MARK, source="measured", engine="swipl", value={"edition": EDITION}
    )
    kept = [
        Finding.model_validate(
            {
                "case": case.digest,
                "check": check,
                "check_version": 1,
                "passed": bool(passed),
                "tested": passed is not None,
                "severity": severity,
                "why": "Because.",
            }
        )
        for check, severity, passed in findings
    ]
    return CaseFindings(mark, (), tuple(kept))


@pytest.mark.parametrize(
    ("audited", "told"),
    [
        ([], "not audited"),
        ([()], f"audit of 1: {NONE}, 1 untidy or none; 1 without serious"),
        ([(), (), [("no_option", "serious", True)]], f"audit: {NONE}, 3 untidy or none; 3 without serious"),
        (
            [[("no_option", "serious", False), ("gate", "untidy", False)], [("gate", "untidy", False)], ()],
            f"audit: {ONE}, 2 untidy or none; 2 without serious",
        ),
        (
            [(), (), [("collision", "serious", False)]],
            f"audit: {ONE}, 2 untidy or none; 2 without serious",
        ),
        (
            [(), (), [("gate", "untidy", None), ("no_option", "untidy", None)]],
            f"audit: {NONE}, 2 untidy or none, 1 not fully tested; 2 tested and without serious",
        ),
        ([(), (), [("collision", "serious", None)]], f"audit: {NONE}, 3 untidy or none; 3 without serious"),
        (
            [[("gate", "serious", False)], [("gate", "serious", False), ("no_option", "untidy", None)], ()],
            "audit: 2 with serious findings, 0 doubtful at worst, 1 untidy or none; 1 without serious",
        ),
    ],
    ids=[
        "none",
        "some",
        "passed",
        "worst-counts-once",
        "other-checks",
        "not-tested",
        "other-checks-not-tested",
        "both",
    ],
)
def test_cases_are_counted_by_their_worst_finding(
    tmp_path: Path, audited: list[list[Found]], told: str
) -> None:
    assert told_of(open_store(tmp_path), audited) == {"one": told}


def test_a_server_counts_alike(server_url: str, opened: Callable[[str], Database]) -> None:
    audited: list[list[Found]] = [
        [("no_option", "serious", False), ("gate", "untidy", False)],
        [("gate", "untidy", False), ("no_option", "untidy", None)],
    ]
    assert told_of(opened(server_url), audited) == {
        "one": f"audit of 2: {ONE}, 0 untidy or none, 1 not fully tested; 0 tested and without serious"
    }


def told_of(database: Database, audited: list[list[Found]]) -> dict[str, str]:
    """What is said of three cases, of which the first ones were audited with these findings."""
    cases = [a_case(number) for number in range(3)]
    fill(database, "one", cases)
    keep_case_findings(database, [outcome(case, *found) for case, found in zip(cases, audited, strict=False)])
    return audits_in_words(database)
