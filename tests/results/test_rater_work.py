"""What a lead follows: each rater's work by question, and remarks that they answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.results.labels.rater_work import Remark, expected_end, rater_work, remarks_of
from reviewer.study.design.leads import answer_remark, name_lead
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.records import Event
from tests.studies import a_study, open_store

LEAD = "tom"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    store = open_store(tmp_path)
    a_study(store, cases=3, questions=("same_task", "axioms"), raters=("anna", "ben"))
    name_lead(store, "pilot", LEAD, LEAD)
    yield store
    store.close()


def remarks(database: Database) -> tuple[Remark, ...]:
    return remarks_of(*read_study(database, "pilot"))


def test_work_is_counted_by_rater_and_question(database: Database) -> None:
    clock = iter(range(0, 1000, 7))
    session = ReviewSession(database, "pilot", "anna", stopwatch=lambda: float(next(clock)))
    session.comment("why?")
    session.flag()
    for label in ("True", "False", "True", "True"):
        session.answer(label)
    bundle, events = read_study(database, "pilot")
    anna, ben = rater_work(bundle, label_rows(bundle, events), events)
    same_task, axioms = anna.questions
    assert (same_task.done, same_task.of, same_task.flags, same_task.comments) == (3, 3, 1, 1)
    assert same_task.first_label == pytest.approx(2 / 3)
    assert same_task.seconds is not None
    assert (axioms.done, axioms.of, axioms.first_label) == (1, 3, 1.0)
    assert anna.last_seen == max(event.at for event in events)
    assert [(work.done, work.seconds, work.first_label) for work in ben.questions] == [(0, None, None)] * 2
    assert ben.last_seen == ""


def test_an_answered_remark_goes_behind_those_that_are_open(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.comment("first")
    session.note("second")
    session.flag()
    assert [(remark.kind, remark.text) for remark in remarks(database)] == [
        ("flag", ""),
        ("note", "second"),
        ("comment", "first"),
    ]
    comment = remarks(database)[-1]
    answer_remark(database, "pilot", comment.event, LEAD, "Yes, it is.")
    *waiting, last = remarks(database)
    assert all(remark.answer is None for remark in waiting)
    assert last.answer is not None
    assert (last.text, last.answer.who, last.answer.why) == ("first", LEAD, "Yes, it is.")
    again = ReviewSession(database, "pilot", "anna")
    assert again.answer_to_comment(again.slot) == f"{LEAD}: Yes, it is."


def test_a_comment_that_was_changed_is_open_again(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.comment("first")
    answer_remark(database, "pilot", remarks(database)[0].event, LEAD, "")
    assert remarks(database)[0].answer is not None
    session.comment("another question")
    (changed,) = remarks(database)
    assert (changed.text, changed.answer) == ("another question", None)


def test_only_leads_answer(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.comment("first")
    with pytest.raises(RequestError, match="answer their comments"):
        answer_remark(database, "pilot", remarks(database)[0].event, "anna", "Yes.")
    with pytest.raises(RequestError, match="take it out"):
        answer_remark(database, "pilot", remarks(database)[0].event, LEAD, "a\0b")


def labels(*instants: str) -> list[Event]:
    return [
        Event.model_construct(id=str(at), kind="label", at=f"2026-01-{instant}:00:00.000Z")
        for at, instant in enumerate(instants)
    ]


def test_the_expected_end_follows_the_speed_so_far() -> None:
    ten = labels(*(f"01T{hour:02}" for hour in range(10)))
    end = expected_end(ten, 10, 30)
    assert end is not None
    assert end.isoformat() == "2026-01-02T03:00:00+00:00"
    assert expected_end(ten, 10, 10) is None
    assert expected_end(ten[:9], 9, 30) is None, "nine answers tell little"
    assert expected_end(labels(*["01T00"] * 10), 10, 30) is None, "nor does less than an hour"
