"""A session reads measurements and findings when a case is shown, and shows the same as an eager one."""

from pathlib import Path

import pytest

from reviewer.study.design.late_values import LateValues
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.review_session import ReviewSession
from store import cases as store_cases
from store.database import Database
from tests.studies import a_study, open_store

CASES = 40


@pytest.fixture
def database(tmp_path: Path) -> Database:
    store = open_store(tmp_path)
    a_study(store, cases=CASES)
    return store


def test_late_values_are_those_that_are_read_at_once(database: Database) -> None:
    late, whole = load_study(database, "pilot", late=True), load_study(database, "pilot")
    assert dict(late.measurements) == dict(whole.measurements)
    assert dict(late.findings) == dict(whole.findings)
    assert len(late.measurements) == CASES
    with pytest.raises(KeyError):
        late.measurements["0" * 64]


def test_the_first_case_of_a_session_reads_few_others(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    from reviewer.study.design import study_bundle

    def counting(session: object, digests: list[str]) -> object:
        read.extend(digests)
        return store_cases.get_measurements(session, digests)  # type: ignore[arg-type]

    monkeypatch.setattr(study_bundle, "get_measurements", counting)
    session = ReviewSession(database, "pilot", "anna")
    assert session.sheet().first
    assert isinstance(session.bundle.measurements, LateValues)
    assert 0 < len(read) < CASES
    assert len(read) == len(set(read)), "none is read twice"
