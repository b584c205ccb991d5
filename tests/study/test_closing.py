"""Closing a study: what it takes no more, what comes late, and the record of it."""

import sqlite3
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.exports.study_export import BOOTSTRAP, study_tables
from reviewer.exchange.exports.study_source import StudySource
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study, late_events, late_in_words, reopen_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from store.clock import next_id
from store.database import Database
from store.ledger import Ledger
from store.records import Event
from store.study_tables import EventRow
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.studies import a_study, open_store


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    a_study(database)
    session = ReviewSession(database, "pilot", "anna")
    for _ in range(12):
        session.answer("True")
    return database


def arrive(database: Database, rater: str = "anna", value: str = "False", milliseconds: int = 0) -> Event:
    """An event from another machine, put in as a merge does it: not through a turn."""
    like = Ledger(database).events("pilot", "anna")[0]
    content = like.model_dump(exclude={"digest", "id", "rater", "value"})
    event = Event.sealed(**content, id=next_id(None, milliseconds), rater=rater, value=value)
    with database.write() as session:
        session.add(EventRow(**event.model_dump()))
    return event


CLOSED = {
    "nobody answered": ({}, "No votes of raters differ, so there is nothing to adjudicate."),
    "one rater answered": ({"anna": ()}, "No votes of raters differ, so there is nothing to adjudicate."),
    "all votes are the same": (
        {"anna": (), "ben": ()},
        "No votes of raters differ, so there is nothing to adjudicate.",
    ),
    "votes on one item differ": (
        {"anna": (), "ben": (0,)},
        "Decide the 1 item on which votes differ: reviewer adjudicate pilot --as YOUR-NAME",
    ),
    "votes on two items differ": (
        {"anna": (), "ben": (0, 1)},
        "Decide these 2 items on which votes differ: reviewer adjudicate pilot --as YOUR-NAME",
    ),
}


@pytest.mark.parametrize("name", CLOSED)
def test_closing_says_what_is_left_to_decide(tmp_path: Path, run: Run, name: str) -> None:
    answered, words = CLOSED[name]
    database = open_store(tmp_path)
    a_study(database, cases=3, questions=("same_task",))
    for rater, against in answered.items():
        session = ReviewSession(database, "pilot", rater)
        cases = sorted(place.case for place in session.bundle.sample)
        while not session.finished:
            session.answer("False" if cases.index(session.case.digest) in against else "True")
    closed = run("study", "close", "pilot", "--as", "lead", "--anyway")
    assert closed.err.splitlines()[-1] == words


@pytest.mark.parametrize(
    ("against", "words"),
    [
        ((0,), "The item on which votes differ is decided."),
        ((0, 1), "Decide the 1 item on which votes differ: reviewer adjudicate pilot --as YOUR-NAME"),
    ],
)
def test_closing_leaves_out_what_is_decided(
    tmp_path: Path, run: Run, against: tuple[int, ...], words: str
) -> None:
    database = open_store(tmp_path)
    a_study(database, cases=3, questions=("same_task",), raters=("anna", "ben"))
    for rater in ("anna", "ben"):
        session = ReviewSession(database, "pilot", rater)
        cases = sorted(place.case for place in session.bundle.sample)
        while not session.finished:
            differs = rater == "ben" and cases.index(session.case.digest) in against
            session.answer("False" if differs else "True")
    AdjudicationSession(database, "pilot", "zoe").decide("True", "as the guideline says")
    closed = run("study", "close", "pilot", "--as", "lead")
    assert closed.err.splitlines()[-1] == words


def test_nobody_answers_in_a_closed_study_but_everybody_may_look(database: Database) -> None:
    at_work = ReviewSession(database, "pilot", "anna")
    act = close_study(database, "pilot", "lead", "all done")
    for session in (at_work, ReviewSession(database, "pilot", "anna")):
        for deed in (
            lambda s=session: s.answer("False"),
            lambda s=session: s.comment("late thought"),
            lambda s=session: s.flag(),
            session.undo,
        ):
            with pytest.raises(RequestError, match=r"closed on \d{4}-\d\d-\d\d and takes no more answers"):
                deed()
        session.previous()
        assert session.verdict.label == "True"
    assert len(Ledger(database).events("pilot")) == 12 == len(act.held)
    with pytest.raises(RequestError, match="'zoe' is not one of its raters"):
        ReviewSession(database, "pilot", "zoe")


def test_who_has_not_finished_is_named_before_it_closes(database: Database) -> None:
    ReviewSession(database, "pilot", "ben").answer("True")
    with pytest.raises(RequestError, match="ben has done 1 of 12; to close it nevertheless, give --anyway"):
        close_study(database, "pilot", "lead")
    assert load_study(database, "pilot").acts == ()
    act = close_study(database, "pilot", "lead", anyway=True)
    assert act.unfinished == {"ben": 11}


def test_the_record_keeps_who_when_and_why(database: Database) -> None:
    close_study(database, "pilot", "lead", "done")
    with pytest.raises(RequestError, match="already closed"):
        close_study(database, "pilot", "lead")
    with pytest.raises(RequestError, match="needs a reason"):
        reopen_study(database, "pilot", "lead", "  ")
    reopen_study(database, "pilot", "other", "one case was wrong")
    with pytest.raises(RequestError, match="is open"):
        reopen_study(database, "pilot", "lead", "again")
    bundle = load_study(database, "pilot")
    assert [(act.kind, act.who, act.why) for act in bundle.acts] == [
        ("close", "lead", "done"),
        ("reopen", "other", "one case was wrong"),
    ]
    assert bundle.study.closed_at is None
    ReviewSession(database, "pilot", "anna").answer("False")


@pytest.mark.parametrize("attack", ["UPDATE study_acts SET who = 'x'", "DELETE FROM study_acts"])
def test_no_statement_alters_the_record(database: Database, tmp_path: Path, attack: str) -> None:
    close_study(database, "pilot", "lead")
    with (
        sqlite3.connect(tmp_path / "reviewer.db") as connection,
        pytest.raises(sqlite3.DatabaseError, match="append-only"),
    ):
        connection.execute(attack)


def test_progress_counts_nothing_that_came_late(database: Database) -> None:
    ReviewSession(database, "pilot", "ben")

    def done() -> dict[str, int]:
        return {rater.rater: rater.done for rater in progress_of(database, "pilot").raters}

    close_study(database, "pilot", "lead", anyway=True)
    arrive(database, "ben")
    assert done() == {"anna": 12, "ben": 0}
    reopen_study(database, "pilot", "lead", "to take it in")
    assert done() == {"anna": 12, "ben": 1}
    close_study(database, "pilot", "lead", anyway=True)
    assert done() == {"anna": 12, "ben": 1}


@pytest.mark.parametrize("milliseconds", [0, 2**45], ids=["given before", "given after"])
def test_what_arrives_after_closing_counts_nowhere_until_it_is_opened_again(
    database: Database, milliseconds: int
) -> None:
    close_study(database, "pilot", "lead")
    bundle = load_study(database, "pilot")

    def tables() -> dict[str, str]:
        events = Ledger(database).events("pilot")
        found = study_tables(StudySource.of(bundle, events), ("question",), BOOTSTRAP)
        return {name: table.to_csv() for name, table in found.items()}

    before = tables()
    event = arrive(database, milliseconds=milliseconds)
    events = Ledger(database).events("pilot")
    assert late_events(bundle, events) == [event]
    assert "1 event of anna" in late_in_words(bundle, events)[0]
    assert tables() == before
    reopen_study(database, "pilot", "lead", "to take it in")
    bundle = load_study(database, "pilot")
    assert late_events(bundle, events) == []
    assert sum(row.events for row in label_rows(bundle, events)) == 13
    close_study(database, "pilot", "lead")
    assert late_events(load_study(database, "pilot"), events) == []
