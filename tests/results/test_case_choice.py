"""Which cases of a run are audit-clean: findings that stand, dismissed ones, programs that were not run."""

from pathlib import Path

import pytest

from reviewer.exchange.rows.study_inputs import picked_cases
from reviewer.oracle.version_checks import EDITION
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.case_choice import CaseChoice, among, ladder, remarks_on
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from reviewer.runs.audit.dataset_audit import MARK
from store.database import Database
from store.dismissals import dismiss
from store.findings import CaseFindings, failed_findings, keep_case_findings
from store.records import Case, Finding, Measurement
from tests.evaluations import an_evaluation
from tests.studies import a_case, fill, open_store

CASES = [a_case(number) for number in range(6)]
FOUND = {1: ("both_derivable", "serious"), 2: ("not_run", "serious"), 3: ("by_default", "doubtful")}
"""The findings by the number of the case; the fifth case has none, and the sixth was never audited."""


def audited(case: Case, check: str = "", severity: str = "") -> CaseFindings:
    mark = Measurement(
        case=case.digest, name=MARK, source="measured", engine="swipl", value={"edition": EDITION}
    )
    known = {"case": case.digest, "check": check, "check_version": 1, "severity": severity}
    found = [Finding.model_validate(known | {"passed": False, "why": "Because."})] if check else []
    return CaseFindings(mark, (), tuple(found))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    fill(database, "own", CASES)
    keep_case_findings(
        database, [audited(case, *FOUND.get(number, ())) for number, case in enumerate(CASES[:5])]
    )
    an_evaluation(database, "first", "own", {"m": "AA" * len(CASES)})
    return database


def evaluation(database: Database) -> Evaluation:
    return read_evaluation(database, protocols_of(database), "first")


def numbers(database: Database, choice: CaseChoice) -> list[int]:
    return among(database, evaluation(database), choice).chosen.nonzero()[0].tolist()


def test_clean_cases_of_a_run_follow_the_findings_that_stand_now(database: Database, tmp_path: Path) -> None:
    clean, strict = CaseChoice(audit_clean=True), CaseChoice(strict=True)
    assert numbers(database, clean) == [0, 3, 4]
    assert numbers(database, strict) == [0, 4]
    note = "1 case without a present audit cannot be clean."
    assert among(database, evaluation(database), clean).note == note
    with database.read() as session:
        standing = [placed.finding for placed in failed_findings(session, "own")]
    for finding in standing:
        dismiss(database, finding, "dora", "meant so")
    assert numbers(database, clean) == [0, 1, 3, 4], "a dismissal does not run a program"
    assert numbers(database, strict) == [0, 1, 3, 4]
    file = tmp_path / "picked.csv"
    file.write_text("".join(f"own,{case.group}/{n}\n" for n, case in enumerate(CASES) if n in (1, 2)))
    file.write_text("dataset,key\n" + file.read_text())
    picked = picked_cases(file, print)
    assert numbers(database, CaseChoice(audit_clean=True, picked=picked)) == [1], "a case must meet all"
    rungs = ladder(database, evaluation(database), (), picked)
    assert [(rung.title, int(rung.chosen.sum())) for rung in rungs] == [
        ("all", 6),
        ("audit-clean", 4),
        ("strictly clean", 4),
        ("picked by picked.csv", 2),
    ]
    assert remarks_on(rungs) == (note,), "both rungs say it, and people read it once"
