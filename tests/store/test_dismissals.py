"""Findings that were dismissed: left out, kept, back again, and looked at anew when the check changes."""

from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from store.database import Database
from store.dismissals import dismiss, restore
from store.findings import CaseFindings, PlacedFinding, failed_findings, keep_case_findings
from store.records import Finding, Measurement
from tests.studies import a_case, fill, open_store

CASE = a_case(0)


def found(version: int = 1) -> CaseFindings:
    mark = Measurement(
        case=CASE.digest, name="audit", source="measured", engine="swipl", value={"v": version}
    )
    finding = Finding(
        case=CASE.digest,
        check="gate",
        check_version=version,
        passed=False,
        severity="serious",
        why="Because.",
    )
    return CaseFindings(mark, (), (finding,))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    fill(database, "one", [CASE])
    keep_case_findings(database, [found()])
    return database


def listed(database: Database, *, dismissed: bool = False) -> list[PlacedFinding]:
    with database.read() as session:
        return failed_findings(session, "one", dismissed=dismissed)


def test_what_is_dismissed_is_left_out_kept_and_comes_back(database: Database) -> None:
    (placed,) = listed(database)
    for nothing in ("  ", "\u200b\ufeff", "\u3164"):
        with pytest.raises(RequestError, match="you need a reason"):
            dismiss(database, placed.finding, "dora", nothing)
    with pytest.raises(RequestError, match="the reason has 10,001 characters"):
        dismiss(database, placed.finding, "dora", "x" * 10_001)
    dismiss(database, placed.finding, "dora", "first")
    dismiss(database, placed.finding, "eve", " second ")
    assert listed(database) == []
    (kept,) = listed(database, dismissed=True)
    assert kept.dismissal is not None
    assert (kept.dismissal.who, kept.dismissal.why) == ("eve", "second")
    restore(database, placed.finding, "eve")
    assert listed(database) == [placed]


def test_a_new_version_of_a_check_is_looked_at_again(database: Database) -> None:
    (placed,) = listed(database)
    dismiss(database, placed.finding, "dora", "nothing")
    keep_case_findings(database, [found(version=2)])
    assert [each.finding.check_version for each in listed(database)] == [2]
