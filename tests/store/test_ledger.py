"""The ledger: ids that sort, rows that stay."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.errors import StoreError
from reviewer.study.session.review_session import ReviewSession
from store.append_only import ledger_is_protected
from store.clock import id_time, is_event_id, next_id, now_ms
from store.database import Database
from store.event_import import import_events
from store.ledger import Ledger, Tips
from store.records import Event, digest_of
from store.study_log import add_act
from tests.studies import a_study, open_store


@given(st.lists(st.integers(0, 2**46), min_size=2, max_size=50))
def test_ids_sort_by_time_and_never_fall_when_the_clock_goes_back(clock: list[int]) -> None:
    greatest = None
    for milliseconds in clock:
        new = next_id(greatest, milliseconds)
        assert len(new) == 32
        assert new[12] == "7"
        assert new[16] in "89ab"
        if greatest is not None:
            assert new > greatest
            assert int(new[:12], 16) >= milliseconds
        greatest = new


def test_an_exhausted_tail_moves_to_the_next_millisecond() -> None:
    last_of_its_millisecond = "0000000003e87fffbfffffffffffffff"
    assert int(next_id(last_of_its_millisecond, 0)[:12], 16) == 1001


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    database = open_store(tmp_path)
    a_study(database)
    ReviewSession(database, "pilot", "anna").answer("True")
    return tmp_path / "reviewer.db"


def test_all_is_told_of_items_that_got_different_labels_and_nothing_of_the_others(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database)
    anna, ben = (ReviewSession(database, "pilot", rater) for rater in ("anna", "ben"))
    first, second = anna.bundle.sample[0].case, anna.bundle.sample[1].case
    for session in (anna, ben):
        for position, slot in enumerate(session.slots):
            if slot.question == "same_task" and slot.case in (first, second):
                session.go_to(position)
                session.comment("so it is")
                session.answer("False" if (session.rater, slot.case) == ("ben", first) else "True")
    found = Ledger(database).differing("pilot")
    assert [event.rater for event in found] == ["anna", "anna", "ben", "ben"]
    assert {(event.case, event.question) for event in found} == {(first, "same_task")}
    assert {event.kind for event in found} == {"label", "comment"}
    assert found == sorted(found, key=lambda event: event.id)


@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE events SET value = 'False'",
        "DELETE FROM events",
        "INSERT OR REPLACE INTO events SELECT * FROM events",
        "REPLACE INTO events SELECT * FROM events",
        "DELETE FROM studies",
        "DELETE FROM assignments",
        "DELETE FROM study_cases",
    ],
)
def test_no_statement_alters_or_deletes_an_event(answered: Path, attack: str) -> None:
    connection = sqlite3.connect(answered)
    connection.execute("PRAGMA foreign_keys = ON")
    before = connection.execute("SELECT * FROM events").fetchall()
    with pytest.raises(sqlite3.IntegrityError, match=r"append-only|FOREIGN KEY"):
        connection.execute(attack)
    connection.rollback()
    assert connection.execute("SELECT * FROM events").fetchall() == before


def test_without_the_triggers_an_event_can_be_altered(answered: Path) -> None:
    """The test above can fail: it is the triggers that stop it."""
    connection = sqlite3.connect(answered)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("UPDATE events SET value = 'False'")
    assert connection.execute("SELECT value FROM events").fetchall() == [("False",)]


def test_every_event_carries_the_digest_of_its_content(answered: Path) -> None:
    database = open_store(answered.parent)
    (event,) = Ledger(database).events("pilot")
    assert event.digest == event.content_digest()
    assert event.model_copy(update={"value": "False"}).content_digest() != event.digest


def test_events_hold_what_they_share_once(answered: Path) -> None:
    database = open_store(answered.parent)
    ReviewSession(database, "pilot", "anna").answer("False")
    first, last = Ledger(database).events("pilot")
    assert first.study is last.study
    assert first.model_fields_set is last.model_fields_set == set(Event.model_fields)
    assert first.model_copy(update={"value": "x"}).model_fields_set is not first.model_fields_set


def test_a_turn_that_raises_leaves_nothing(answered: Path) -> None:
    database = open_store(answered.parent)
    ledger = Ledger(database)
    (event,) = ledger.events("pilot")
    again = event.model_dump(exclude={"id", "digest", "at", "study", "rater"})
    with contextlib.suppress(RuntimeError), ledger.turn("pilot", "anna", "") as turn:
        turn.add(**again)
        raise RuntimeError
    assert ledger.events("pilot") == [event]


def test_triggers_are_in_place_after_opening(answered: Path) -> None:
    with open_store(answered.parent).read() as session:
        assert ledger_is_protected(session.connection())


def test_the_digest_covers_every_field_that_is_not_none() -> None:
    content = {
        "id": "0" * 32,
        "study": "s",
        "rater": "anna",
        "case": "a" * 64,
        "question": "same_task",
        "question_digest": "b" * 64,
        "showing": 0,
        "phase": "before",
        "kind": "label",
        "value": "True",
        "given": "app",
        "supersedes": [],
        "follows": [],
        "at": "2026-01-01T00:00:00.000Z",
    }
    assert Event.sealed(**content).digest == digest_of(content)
    assert Event.sealed(**content, swapped=False).digest == digest_of({**content, "swapped": False})
    assert Event.sealed(**content, target="1").digest == digest_of({**content, "target": "1"})


DAY = 24 * 60 * 60 * 1000


def at_work(database: Database, rater: str, clock: int) -> ReviewSession:
    return ReviewSession(database, "pilot", rater, clock=lambda: clock)


def test_one_clock_that_is_ahead_reorders_nobody_elses_answers(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database)
    now = now_ms()
    ahead = at_work(database, "anna", now + 50 * 365 * DAY).answer("True")
    later = at_work(database, "ben", now).answer("False")
    assert id_time(later.id) == now
    assert at_work(database, "anna", now).answer("True").id > ahead.id


def test_acts_follow_those_of_their_own_study(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    now = now_ms()
    for name in ("pilot", "second"):
        a_study(database, name)
    ahead = add_act(database, "second", "close", "lead", "done", clock=lambda: now + 365 * DAY)
    act = add_act(database, "pilot", "close", "lead", "done", clock=lambda: now)
    assert act is not None
    assert ahead is not None
    assert id_time(act.id) == now < id_time(ahead.id)


@pytest.mark.parametrize("clock", [1 << 47, 253_402_300_800_000, 1 << 60])
def test_a_clock_past_every_id_is_a_sentence_and_saves_nothing(tmp_path: Path, clock: int) -> None:
    database = open_store(tmp_path)
    a_study(database)
    with pytest.raises(StoreError, match="this machine's clock shows a time"):
        at_work(database, "anna", clock).answer("True")
    assert Ledger(database).events("pilot") == []


def test_a_clock_before_1970_still_saves(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database)
    assert is_event_id(at_work(database, "anna", -5).answer("True").id)


def test_each_event_follows_the_newest_ones_of_its_rater(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database)
    anna, ben = (ReviewSession(database, "pilot", rater) for rater in ("anna", "ben"))
    first, other, second = anna.answer("True"), ben.answer("True"), anna.answer("True")
    third = ReviewSession(database, "pilot", "anna").answer("False")
    fourth = anna.undo()
    assert fourth is not None
    made = [each.follows for each in (first, other, second, third, fourth)]
    assert made == [[], [], [first.id], [second.id], [third.id]]
    assert [event.follows for event in Ledger(database).events("pilot", "ben")] == [[]]


def test_what_arrives_from_elsewhere_is_followed_too(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database)
    anna = ReviewSession(database, "pilot", "anna")
    first = anna.answer("True")
    content = first.model_dump(exclude={"digest"}) | {"follows": [first.id]}
    early, late = (
        Event.sealed(**{**content, "id": next_id(first.id, id_time(first.id) + shift)}) for shift in (0, 50)
    )
    second = anna.answer("True")
    import_events(database, "pilot", [early, late], "another machine")
    third = anna.answer("True")
    assert second.follows == [first.id]
    assert third.follows == sorted([early.id, late.id, second.id])
    assert anna.answer("True").follows == [third.id]


def test_an_invalid_id_is_followed_by_nothing() -> None:
    ids = [next_id(None, number) for number in range(1, 3)]
    tips = Tips()
    tips.add([(ids[0], []), (ids[1], [ids[0]]), ("zzzz", [])])
    assert (tips.heads, tips.newest) == ({ids[1]}, ids[1])
