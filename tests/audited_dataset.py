"""A dataset whose audit found something on some of its cases, kept without running any program."""

from collections.abc import Sequence

from reviewer.oracle.version_checks import EDITION
from store.database import Database
from store.findings import AUDIT_MARK, CaseFindings, keep_case_findings
from store.records import Case, Finding, Measurement
from tests.studies import BIASES, a_case, fill

SERIOUS, DOUBTFUL = "both_derivable", "further_search"
CASES = [a_case(number, BIASES[number % 2]) for number in range(20)]
"""Six with a serious finding, four with a doubtful one, one on which a check could not run, nine without."""
STATES = [SERIOUS] * 6 + [DOUBTFUL] * 4 + ["untested"] + [""] * 9
SIZES = {"serious": 6, "doubtful": 4, "not tested": 1, "none": 9}


def fill_audited(database: Database, dataset: str = "one") -> None:
    """Import the cases, and keep what the audit found."""
    fill(database, dataset, CASES)
    keep_audit(database, CASES, STATES)


def keep_audit(
    database: Database, cases: Sequence[Case], states: Sequence[str], edition: str = EDITION
) -> None:
    """Keep findings of an audit by the checks of this edition: by case the failed check, or none."""
    keep_case_findings(
        database, [_findings(case, state, edition) for case, state in zip(cases, states, strict=True)]
    )


def _findings(case: Case, state: str, edition: str) -> CaseFindings:
    mark = Measurement(
        case=case.digest, name=AUDIT_MARK, source="measured", engine="swipl", value={"edition": edition}
    )
    findings = (
        Finding(
            case=case.digest,
            check=check,
            check_version=1,
            passed=state != check,
            severity=severity,
            why="something" if state == check else "nothing",
            question="bias_presence",
            tested=state != "untested",
        )
        for check, severity in ((SERIOUS, "serious"), (DOUBTFUL, "doubtful"))
    )
    return CaseFindings(mark, (), tuple(findings))
