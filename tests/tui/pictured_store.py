"""A store to take pictures of: studies of every state, datasets with and without an audit."""

import time
from collections.abc import Sequence
from importlib.resources import files
from itertools import count
from pathlib import Path

import pytest

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.runs.audit.dataset_audit import MARK
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.case_import import import_entries
from store.database import Database
from store.findings import CaseFindings, keep_case_findings
from store.ledger import Ledger
from store.records import Case, Dataset, Finding, Measurement
from tests.studies import AT, BIASES, a_case, entries_for

OPEN, DONE, CLOSED = "seeds-demo", "pilot", "rater training of the spring term 2026 all eight groups"
_BEGIN, _STEP = 1_780_000_000_000_000_000, 1_000_000_000
_MANY = ("anna", "ben", "cara", "dilip", "eszter", "fatima of the second cohort", "goran", "hana")


def build(path: Path) -> None:
    """Make the store; its clock is a made-up one, so that every picture shows the same dates."""
    with pytest.MonkeyPatch.context() as patch:
        ticks = count(_BEGIN, _STEP)
        patch.setattr(time, "time_ns", lambda: next(ticks))
        database = Database.open(str(path))
        _datasets(database)
        _studies(database)
        database.close()


def answer(database: Database, study: str, rater: str, most: int, dissents: Sequence[int] = ()) -> None:
    """So many answers, all True but those of the cases with these numbers; 20 seconds each."""
    session = ReviewSession(database, study, rater)
    bundle, places = session.bundle, [place.case for place in session.bundle.sample]
    with Ledger(database).turn(study, rater, "") as turn:
        for slot in session.slots[:most]:
            turn.add(
                case=slot.case,
                question=slot.question,
                question_digest=bundle.shown_digest(slot),
                kind="label",
                given="app",
                value="False" if places.index(slot.case) in dissents else "True",
                active_ms=20_000,
            )


def _datasets(database: Database) -> None:
    import_path(database, Path(str(files("seeds") / "probe_swe")), "seeds")
    made = [a_case(number, BIASES[number % len(BIASES)]) for number in range(48)]
    for name, generator, cases in (
        ("first-run", "gpt-4o-mini", made[:32]),
        ("second", "llama-3.3", made[32:]),
    ):
        header = Dataset(name=name, protocol="probe-swe", source="a picture", imported_at=AT)
        import_entries(database, header, entries_for(name, cases, generator))
    severities = ("serious", "serious", "serious", "doubtful", "doubtful", "untidy")
    keep_case_findings(database, [_audit(case, severities[n : n + 1]) for n, case in enumerate(made[:32])])


def _audit(case: Case, severities: Sequence[str]) -> CaseFindings:
    mark = Measurement(case=case.digest, name=MARK, source="measured", engine="swipl 9.2", value={})
    findings = tuple(
        Finding.model_validate(
            {
                "case": case.digest,
                "check": "both_derivable",
                "check_version": 1,
                "passed": False,
                "severity": severity,
                "why": "Both options can be derived.",
            }
        )
        for severity in severities
    )
    return CaseFindings(mark, (), findings)


def _studies(database: Database) -> None:
    create_study(database, OPEN, Design(("seeds",), None, 1, raters=("anna", "ben")))
    answer(database, OPEN, "anna", 17)
    create_study(database, DONE, Design(("first-run", "second"), 1, 7, "paper"))
    for rater, dissents in (("anna", ()), ("ben", (1, 4)), ("cara", (4,))):
        answer(database, DONE, rater, 1_000, dissents)
    create_study(database, CLOSED, Design(("first-run",), 2, 3, raters=("ben", "dilip")))
    answer(database, CLOSED, "ben", 1_000)
    answer(database, CLOSED, "dilip", 20, (2,))
    close_study(database, CLOSED, "lead", "dilip has left", anyway=True)
    create_study(database, "everybody", Design(("second",), None, 3, raters=_MANY))
    for number, rater in enumerate(_MANY):
        answer(database, "everybody", rater, 9 * number)
    create_study(database, "others only", Design(("second",), 1, 3, raters=("goran",)))
