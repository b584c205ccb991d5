"""Raters by quarter of their answers."""

from pathlib import Path

import pytest

from reviewer.results.labels.rater_warnings import NOT_YET, rater_drift
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.studies import a_study, open_store


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Anna says True 30 times and then False 10 times, each in a second more; Ben says True."""
    database = open_store(tmp_path)
    a_study(database, cases=40, raters=("anna", "ben", "cara"), questions=("same_task",))
    clock = [0.0]
    for rater, answers in (("anna", 40), ("ben", 40), ("cara", 39)):
        session = ReviewSession(database, "pilot", rater, stopwatch=lambda: clock[0])
        for number in range(answers):
            clock[0] += number + 1
            session.answer("False" if rater == "anna" and number >= 30 else "True")
    return database


def test_a_rater_who_changes_is_seen_in_the_last_quarter(database: Database) -> None:
    bundle, events = read_study(database, "pilot")
    quarters = rater_drift(bundle, label_rows(bundle, events))
    assert [(each.rater, each.quarter, each.answers) for each in quarters] == [
        (rater, quarter, 10) for rater in ("anna", "ben") for quarter in (1, 2, 3, 4)
    ]
    first, *_, last = quarters[:4]
    assert (first.first_label.value, last.first_label.value) == (1.0, 0.0)
    assert first.agreement.value == 1.0
    assert last.agreement.value == 0.0
    assert last.agreement.interval is not None
    assert last.agreement.interval.high < 0.3
    assert first.seconds.value == 5.5
    assert first.seconds.interval is not None
    assert (first.seconds.interval.low, first.seconds.interval.high) == (2.0, 9.0)


def test_agreement_waits_until_raters_have_finished(database: Database) -> None:
    bundle, events = read_study(database, "pilot")
    quarters = rater_drift(bundle, label_rows(bundle, events), with_agreement=False)
    assert {each.agreement.reason for each in quarters} == {NOT_YET}
