"""Questions of several labels and of free text: sessions, counts, adjudication, merging, exports."""

import csv
from io import StringIO
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.exports.study_export import study_tables
from reviewer.exchange.exports.study_source import StudySource
from reviewer.exchange.sheets.sheet_writer import validation_files
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import final_labels
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from store.database import Database
from tests.studies import FREE, SEVERAL, a_study, open_store, with_questions

TEXT = "Line one,\nline “two”."


@pytest.fixture
def store(tmp_path: Path) -> Database:
    """A study of one case whose first question is of several labels, the second of free text."""
    database = open_store(tmp_path)
    a_study(database, cases=1, questions=("same_task", "bias_presence"))
    with_questions(database, {"same_task": SEVERAL, "bias_presence": FREE})
    return database


def test_sets_and_texts_are_saved_taken_back_and_counted(store: Database) -> None:
    session = ReviewSession(store, "pilot", "anna")
    for wrong in ("anger", '["fear","anger"]', ""):
        with pytest.raises(RequestError, match="its labels are anger, fear"):
            session.answer(wrong)
    session.answer('["anger","joy, calm"]')
    session.answer(TEXT)
    assert session.finished
    session.previous()
    assert session.remark == "You answered anger, joy, calm. You can still correct it."
    session.answer("[]")
    session.undo()
    assert session.verdict.label == '["anger","joy, calm"]'
    session.next()
    with pytest.raises(RequestError, match="the answer is empty"):
        session.answer(" \n ")
    assert ReviewSession(store, "pilot", "anna").finished, "the ledger is read back as it was written"
    (anna,) = progress_of(store, "pilot").raters
    assert anna.done == 2, "the database counts both"


def test_a_lead_decides_a_set_and_a_text(store: Database) -> None:
    for rater, feelings, text in (("anna", '["anger"]', TEXT), ("ben", '["anger","fear"]', "short")):
        session = ReviewSession(store, "pilot", rater)
        session.answer(feelings)
        session.answer(text)
    lead = AdjudicationSession(store, "pilot", "zoe")
    counts = {dispute.item_votes.question.kind: dispute.item_votes.counts for dispute in lead.disputes}
    assert counts == {"labels": {'["anger","fear"]': 1, '["anger"]': 1}, "text": {TEXT: 1, "short": 1}}
    decisions = {"labels": '["anger","fear"]', "text": "The lead's own words."}
    for _ in lead.disputes:
        with pytest.raises(RequestError):
            lead.decide("True" if lead.dispute.item_votes.question.kind == "labels" else "", "because")
        lead.decide(decisions[lead.dispute.item_votes.question.kind], "because")
        lead.next_open()
    finals = final_labels(*read_study(store, "pilot"))
    assert {final.question.kind: (final.label, str(final.status)) for final in finals} == {
        kind: (label, "adjudicated") for kind, label in decisions.items()
    }
    AdjudicationSession(store, "pilot", "zoe").undo()
    assert sum(final.label is None for final in final_labels(*read_study(store, "pilot"))) == 1


def test_events_that_do_not_fit_are_left_out(store: Database) -> None:
    session = ReviewSession(store, "pilot", "anna")
    session.answer('["anger"]')
    session.answer(TEXT)
    with_questions(store, {"same_task": {"labels": ("joy", "calm")}, "bias_presence": {}})
    bundle, events = read_study(store, "pilot")
    assert [event.value for event in events] == [TEXT]
    assert [excluded.why for excluded in bundle.left_out] == ["'[\"anger\"]' is not an answer to 'same_task'"]


def test_second_looks_keep_a_set(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database, cases=1, questions=("same_task",), reveal="findings")
    with_questions(database, {"same_task": SEVERAL})
    session = ReviewSession(database, "pilot", "anna")
    session.answer('["fear"]')
    assert session.stage is Stage.SECOND
    assert session.remark.startswith("You said fear. With what is shown now")
    session.proceed()
    assert [(event.phase, event.value) for event in session.history.events.values()][-1] == (
        "after",
        '["fear"]',
    )


def test_exports_hold_answers_as_they_are_stored(store: Database) -> None:
    session = ReviewSession(store, "pilot", "anna")
    session.answer("[]")
    session.answer(TEXT)
    tables = study_tables(
        StudySource.of(*read_study(store, "pilot")), ("question",), Method(interval="analytic")
    )
    rows = list(csv.DictReader(StringIO(tables["labels.csv"].to_csv())))
    assert [row["label"] for row in rows] == ["[]", TEXT]


def test_sheets_hold_sets_of_labels(store: Database) -> None:
    bundle, events = read_study(store, "pilot")
    assert "anna/model-1/task1_same_task.csv" in validation_files(bundle, events, ("anna",))
