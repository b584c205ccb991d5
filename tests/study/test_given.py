"""How an event was given, and which panes were visible, as a session keeps it."""

from pathlib import Path

import pytest

from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.integrity.quarantine import Acceptable
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from store.records import Event
from tests.judged import judged_study
from tests.studies import PROBE_SWE, a_study, open_store


@pytest.fixture
def database(tmp_path: Path) -> Database:
    store = open_store(tmp_path)
    a_study(store)
    return store


def newest(database: Database) -> Event:
    return Ledger(database).events("pilot")[-1]


def test_an_answer_says_how_it_was_given_and_what_was_in_sight(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna", given="app")
    session.see(["texts"])
    session.see(["programs", "texts"])
    session.answer("True")
    kept = newest(database)
    assert (kept.given, kept.panes) == ("app", ["programs", "texts"])
    session.see(["texts"])
    session.comment("a comment")
    assert newest(database).panes == ["texts"], "another case was shown since"
    session.undo()
    assert (newest(database).given, newest(database).panes) == ("app", None), "it is of another case"


def test_what_was_seen_at_a_case_adds_up_until_another_is_shown(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna", given="app")
    session.see(["texts", "proof"])
    session.go_to(0)
    session.see(["texts"])
    session.next()
    session.see(["texts"])
    session.previous()
    session.see(["texts"])
    session.skip()
    assert newest(database).panes == ["texts"]


def test_an_adjudication_says_where_it_was_given(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    judged_study(store, per_generator=8)
    AdjudicationSession(store, "pilot", "zoe", given="app").decide("True", "the texts say so")
    assert newest(store).given == "app"


@pytest.mark.parametrize(
    ("panes", "why"),
    [
        (["p"] * 101, "it names more panes, or longer ones, than any case has"),
        (["p" * 101], "it names more panes, or longer ones, than any case has"),
        (["a\0b"], "its panes hold a NUL character"),
        (["texts", "programs"], None),
    ],
)
def test_panes_from_elsewhere_have_bounds(database: Database, panes: list[str], why: str | None) -> None:
    event = ReviewSession(database, "pilot", "anna", given="app").answer("True")
    other = Event.sealed(**event.model_dump(exclude={"digest", "panes"}), panes=panes)
    with database.read() as session:
        from store.studies import raters_of

        people = raters_of(session, "pilot")
    questions = [question for question in PROBE_SWE.questions if question.key == event.question]
    taken = Acceptable("pilot", people, (), {event.case}, questions)
    assert taken.fault(other) == why
