"""What the audits of all datasets come to."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.oracle.checks import EDITION
from reviewer.runs.audit.audit_summary import audits_in_words
from reviewer.runs.audit.dataset_audit import MARK
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.records import Case, Finding, Measurement
from tests.studies import a_case, fill, open_store

Found = tuple[str, str, bool | None]


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
        ([()], "audit of 1: clean"),
        ([(), (), [("no_option", "serious", True)]], "audit: clean"),
        (
            [[("no_option", "serious", False), ("gate", "untidy", False)], [("gate", "untidy", False)], ()],
            "audit: 1 serious, 1 untidy, 2 audit-clean",
        ),
        ([(), (), [("collision", "serious", False)]], "audit: 1 serious, 2 audit-clean"),
        (
            [(), (), [("gate", "untidy", None), ("no_option", "untidy", None)]],
            "audit: 1 not fully tested, 2 audit-clean",
        ),
        ([(), (), [("collision", "serious", None)]], "audit: 1 not fully tested, 3 audit-clean"),
        (
            [[("gate", "serious", False)], [("gate", "serious", False), ("no_option", "untidy", None)], ()],
            "audit: 2 serious, 1 not fully tested, 1 audit-clean",
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
        "one": "audit of 2: 1 serious, 1 untidy, 1 not fully tested, 0 audit-clean"
    }


def told_of(database: Database, audited: list[list[Found]]) -> dict[str, str]:
    """What is said of three cases, of which the first ones were audited with these findings."""
    cases = [a_case(number) for number in range(3)]
    fill(database, "one", cases)
    keep_case_findings(database, [outcome(case, *found) for case, found in zip(cases, audited, strict=False)])
    return audits_in_words(database)
