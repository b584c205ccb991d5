"""The rater and case of a label: nobody's work is replaced, shown or taken along by another's."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlmodel import Session

from reviewer.core.errors import StoreError
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.verdicts import State
from store.database import Database
from store.ledger import Ledger
from tests.faults.test_nothing_lost import check_ledger
from tests.studies import a_study, open_store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(open_store(tmp_path)) as database:
        a_study(database, cases=3)
        yield database


def test_answering_again_and_undoing_leave_another_raters_label(database: Database) -> None:
    anna, ben = (ReviewSession(database, "pilot", rater) for rater in ("anna", "ben"))
    slot = anna.slot
    anna.answer("True")
    ben.go_to(ben.slots.index(slot))
    for label in ("False", "True", "False"):
        ben.go_to(ben.slots.index(slot))
        ben.answer(label)
    for _ in range(4):
        ben.undo()
    kept = check_ledger(database, [])
    assert [event.value for event in kept if event.rater == "anna"] == ["True"]
    hers = {event.id for event in kept if event.rater == "anna"}
    assert not hers & {
        key for event in kept if event.rater == "ben" for key in (*event.supersedes, event.target)
    }
    assert ReviewSession(database, "pilot", "anna").history.verdict(slot).label == "True"
    assert ReviewSession(database, "pilot", "ben").history.verdict(slot).state is State.OPEN


def test_nothing_of_another_rater_is_seen(database: Database) -> None:
    anna = ReviewSession(database, "pilot", "anna")
    anna.comment("I would say no")
    anna.flag()
    anna.answer("False")
    ben = ReviewSession(database, "pilot", "ben")
    ben.go_to(ben.slots.index(anna.slots[0]))
    assert ben.history.events == {}
    assert (ben.verdict.comment, ben.verdict.flagged, ben.verdict.label) == ("", False, None)
    ben.flag()  # a turn of the ledger brings news, and only of one's own
    assert {event.rater for event in ben.history.events.values()} == {"ben"}
    assert "I would say no" not in repr(ben.sheet())


def test_a_verdict_belongs_to_its_case_wherever_the_case_stands(database: Database) -> None:
    session = ReviewSession(database, "pilot", "anna")
    shown = []
    for position, label in ((2, "True"), (0, "False"), (1, "True")):
        session.go_to(position)
        shown.append((session.case.digest, session.question.key, label))
        session.answer(label)
    kept = [(event.case, event.question, event.value) for event in Ledger(database).events("pilot")]
    assert kept == shown
    with database.write() as writing:  # the order of the rows is not what ties them together
        writing.connection().exec_driver_sql("UPDATE study_cases SET position = 100 - position")
    again = ReviewSession(database, "pilot", "anna").history
    assert {(slot.case, slot.question, again.verdict(slot).label) for slot in again.slots()} == set(shown)


@pytest.mark.parametrize("references", ["ON", "OFF"])
def test_deleting_anything_else_takes_no_label_along(
    database: Database, tmp_path: Path, references: str
) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    session.comment("kept")
    before = Ledger(database).events("pilot")
    with closing(sqlite3.connect(tmp_path / "reviewer.db", isolation_level=None)) as connection:
        connection.execute(f"PRAGMA foreign_keys = {references}")
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            try:
                connection.execute(f"DELETE FROM {table}")
            except sqlite3.DatabaseError:
                continue
    assert Ledger(database).events("pilot") == before


def test_a_save_whose_confirmation_was_lost_counts_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store took it, and said that it had not: the next key learns of it, instead of doubling it."""
    session = ReviewSession(database, "pilot", "anna")
    write = Database.write

    @contextmanager
    def unconfirmed(store: Database) -> Iterator[Session]:
        with write(store) as writing:
            yield writing
        raise StoreError("the connection was lost.")

    monkeypatch.setattr(Database, "write", unconfirmed)
    with pytest.raises(StoreError):
        session.answer("True")
    monkeypatch.setattr(Database, "write", write)
    assert session.position == 0
    session.answer("True")
    assert session.done_count == 1
    assert not session.history.verdict(session.slots[0]).forked
    first, second = check_ledger(database, [])
    assert second.supersedes == [first.id]
    session.undo()
    assert session.verdict.label == "True"
