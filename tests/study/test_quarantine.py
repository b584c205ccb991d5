"""Events that do not fit their study: left out of every number, named, and in nobody's way."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.results.labels.agreement_results import study_results
from reviewer.results.labels.final_labels import final_labels
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.integrity.quarantine import left_out_in_words, read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import progress_of, study_progress
from reviewer.study.session.review_session import ReviewSession
from store.clock import next_id, now_ms
from store.database import Database
from store.records import Event
from tests.rounds import mostly_slow
from tests.studies import a_study, open_store

UNKNOWN_ID = "zzzz"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(open_store(tmp_path)) as opened:
        a_study(opened)
        for rater, label in (("anna", "True"), ("ben", "False")):
            session = ReviewSession(opened, "pilot", rater)
            for _ in range(3):
                session.answer(label)
        yield opened


def plant(database: Database, **changes: object) -> None:
    """A row that no release of ours writes, by a plain INSERT."""
    (first, *_) = read_study(database, "pilot")[1]
    content = first.model_dump() | {"id": next_id(None, now_ms())} | changes
    row = Event.sealed(**{name: value for name, value in content.items() if name != "digest"}).model_dump()
    insert(database, row | {"digest": changes.get("digest", row["digest"])})


def insert(database: Database, row: dict[str, object]) -> None:
    columns = ", ".join(f'"{name}"' for name in row)
    values = [str(value).replace("'", '"') if isinstance(value, list) else value for value in row.values()]
    with closing(sqlite3.connect(database.location)) as connection, connection:
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO events ({columns}) VALUES ({marks})", values)


PLANTED: dict[str, Callable[[Database], None]] = {
    "an unknown question": lambda database: plant(database, question="nonsense"),
    "a label that is none": lambda database: plant(database, value="Perhaps"),
    "an unknown id and no digest": lambda database: plant(database, id=UNKNOWN_ID, digest="0" * 64),
    "a decision by a rater": lambda database: plant(database, kind="adjudication", value="{}"),
    "no JSON": lambda database: _spoil(database, "supersedes = 'many'"),
    "no digest": lambda database: _spoil(database, "digest = 'none'"),
    "no text": lambda database: _spoil(database, "value = CAST(x'ff41' AS TEXT)"),
}


def _spoil(database: Database, change: str) -> None:
    plant(database, id="01" + "0" * 10 + "7" + "0" * 3 + "8" + "0" * 15)
    with closing(sqlite3.connect(database.location)) as connection, connection:
        connection.execute("DROP TRIGGER events_refuse_update")
        connection.execute(f"UPDATE events SET {change} WHERE id LIKE '01000%'")


@mostly_slow(2)
@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_event_changes_no_number_and_is_named(database: Database, planted: str) -> None:
    bundle, events = read_study(database, "pilot")
    before = label_rows(bundle, events), study_results(bundle, label_rows(bundle, events), ("question",))
    PLANTED[planted](database)
    after, fitting = read_study(database, "pilot")
    rows = label_rows(after, fitting)
    assert (rows, study_results(after, rows, ("question",))) == before
    assert [label.label for label in final_labels(after, fitting)].count(None) == 12
    (sentence,) = left_out_in_words(after)
    assert sentence.startswith("Left out of all numbers: 1 event that does not fit the study (event ")
    assert left_out_in_words(bundle) == []


@mostly_slow(2)
@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_event_is_in_nobodys_way(database: Database, planted: str) -> None:
    PLANTED[planted](database)
    session = ReviewSession(database, "pilot", "anna")
    assert session.done_count == 3
    event = session.answer("True")
    assert event.supersedes == []
    assert ReviewSession(database, "pilot", "anna").done_count == 4
    deciding = AdjudicationSession(database, "pilot", "zoe")
    assert len(deciding.disputes) == 3
    deciding.decide("True", "clear")
    assert deciding.decision_at(0) is not None


@pytest.mark.parametrize(
    "planted", ["an unknown question", "a label that is none", "an unknown id and no digest"]
)
def test_a_planted_event_is_no_progress(database: Database, planted: str) -> None:
    before = study_progress(database), progress_of(database, "pilot")
    PLANTED[planted](database)
    assert (study_progress(database), progress_of(database, "pilot")) == before
