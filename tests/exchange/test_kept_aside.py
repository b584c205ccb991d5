"""What a merge does not take into the ledger, and does not lose: events of a clock that was ahead."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.exchange.packs.store_files import merge_file
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.integrity.store_check import check_store
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.transfer.merge import merge_waiting
from store.clock import now_ms
from store.database import Database
from store.ledger import Ledger
from store.records import Event
from store.untrusted_store import untrusted_store
from tests.studies import a_study, open_store

YEAR = 365 * 24 * 60 * 60 * 1000


@pytest.fixture
def lead(tmp_path: Path) -> Iterator[Database]:
    with closing(open_store(tmp_path)) as database:
        a_study(database, raters=("anna", "ben"))
        yield database


@pytest.fixture
def pack(lead: Database, tmp_path: Path) -> Path:
    write_pack(lead, "pilot", "anna", tmp_path / "anna.review")
    return tmp_path / "anna.review"


def work(path: Path, clocks: list[int], label: str = "True") -> list[Event]:
    database, seal = opened_pack(path)
    with closing(database):
        for clock in clocks:
            ReviewSession(database, seal.study, seal.rater, clock=lambda now=clock: now).answer(label)  # type: ignore[misc]
        return Ledger(database).events("pilot")


def test_events_of_a_clock_that_is_ahead_wait_and_are_not_lost(lead: Database, pack: Path) -> None:
    now = now_ms()
    early, *ahead = work(pack, [now, now + 50 * YEAR, now])
    (anna,) = merge_file(lead, pack)
    assert (anna.added, anna.aside, anna.refused, anna.missing) == (1, 2, (), ())
    assert anna.until[:4] == str(int(early.at[:4]) + 50)
    assert Ledger(lead).events("pilot") == [early]
    assert [event.rater for event in ahead] == ["anna", "anna"]
    (again,) = merge_file(lead, pack)
    assert (again.added, again.known, again.aside) == (0, 1, 2)


def test_they_are_taken_in_from_the_file_by_their_order(lead: Database, pack: Path) -> None:
    now = now_ms()
    made = work(pack, [now, now + 50 * YEAR, now])
    (anna,) = merge_file(lead, pack, accept_clock=True)
    assert (anna.added, anna.aside) == (3, 0)
    assert read_study(lead, "pilot")[1] == made
    (again,) = merge_file(lead, pack)
    assert (again.known, again.aside) == (3, 0)
    assert ReviewSession(lead, "pilot", "anna").answer("False").id > made[-1].id
    assert ReviewSession(lead, "pilot", "ben").answer("False").id < made[-1].id


def test_they_are_taken_in_without_the_file(lead: Database, pack: Path) -> None:
    now = now_ms()
    made = work(pack, [now, now + 50 * YEAR])
    merge_file(lead, pack)
    pack.unlink()
    assert [(name, account.added) for name, account in merge_waiting(lead, dry_run=True)] == [
        ("anna.review", 1)
    ]
    assert [(name, account.added) for name, account in merge_waiting(lead)] == [("anna.review", 1)]
    assert Ledger(lead).events("pilot") == made
    assert merge_waiting(lead) == []


def test_a_day_ahead_is_no_fault(lead: Database, pack: Path) -> None:
    work(pack, [now_ms() + 23 * 60 * 60 * 1000])
    (anna,) = merge_file(lead, pack)
    assert (anna.added, anna.aside) == (1, 0)


def test_what_waits_can_not_be_deleted(lead: Database, pack: Path) -> None:
    work(pack, [now_ms() + YEAR])
    merge_file(lead, pack)
    with closing(sqlite3.connect(lead.location)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("DELETE FROM kept_aside")


def test_an_event_that_a_later_one_follows_and_that_was_refused_is_named(lead: Database, pack: Path) -> None:
    first, second, third = work(pack, [now_ms()] * 3)
    with closing(sqlite3.connect(pack)) as connection, connection:
        connection.execute("DROP TRIGGER events_refuse_update")
        connection.execute("UPDATE events SET value = 'False' WHERE id = ?", (second.id,))
    (anna,) = merge_file(lead, pack)
    assert (anna.added, len(anna.refused)) == (2, 1)
    (missing,) = anna.missing
    assert missing == (
        f"event {second.id}, to which event {third.id} of anna refers, is not here: "
        "it was refused: it was altered: its digest does not match its content"
    )
    assert Ledger(lead).events("pilot") == [first, third]
    assert ReviewSession(lead, "pilot", "anna").answer("True").follows == [first.id, third.id]


def test_an_event_that_did_not_come_along_is_named(lead: Database, pack: Path) -> None:
    _first, second, third = work(pack, [now_ms()] * 3)
    with closing(sqlite3.connect(pack)) as connection, connection:
        connection.execute("DROP TRIGGER events_refuse_delete")
        connection.execute("DELETE FROM events WHERE id = ?", (second.id,))
    (anna,) = merge_file(lead, pack)
    assert anna.added == 2
    assert anna.missing == (
        f"event {second.id}, to which event {third.id} of anna refers, is not here: "
        "the file does not hold it",
    )


def remarks(path: str) -> list[str]:
    with untrusted_store(Path(path), own=True) as file:
        found = check_store(file)
    assert found.faults == []
    return found.remarks


def test_a_check_names_what_waits_and_what_lies_in_the_future(lead: Database, pack: Path) -> None:
    event = work(pack, [now_ms() + YEAR])[0]
    merge_file(lead, pack)
    (waits,) = remarks(lead.location)
    assert waits.startswith(
        f"Study 'pilot': event {event.id} of anna from file 'anna.review' is kept aside: "
    )
    merge_waiting(lead)
    assert remarks(lead.location) == [
        "Study 'pilot': 1 event of anna with ids in the future: a clock was ahead."
    ]


def test_a_check_names_what_did_not_come_along(lead: Database, pack: Path) -> None:
    _first, second, _third = work(pack, [now_ms()] * 3)
    with closing(sqlite3.connect(pack)) as connection, connection:
        connection.execute("DROP TRIGGER events_refuse_delete")
        connection.execute("DELETE FROM events WHERE id = ?", (second.id,))
    merge_file(lead, pack)
    assert remarks(lead.location) == [
        f"Study 'pilot': event {second.id} of anna from file 'anna.review' is not here, although "
        "later events refer to it: the file does not hold it."
    ]
