"""``store check`` reads a server's rows where they are, and finds in them what it finds in a file."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.packs.store_files import back_up_store, checked
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from store.records import JsonValue
from tests.postgres import Server
from tests.studies import a_study

Opener = Callable[[str], Database]


@pytest.fixture
def checked_url(server_url: str) -> str:
    """A study with three answers, of which the last replaces the first, and not the one just before it."""
    with closing(Database.open(server_url)) as database:
        a_study(database)
        session = ReviewSession(database, "pilot", "anna")
        slot, shown = session.slots[0], session.bundle.shown_digest(session.slots[0])
        session.answer("True")
        session.answer("True")
        (first, _) = Ledger(database).events("pilot")
        about: dict[str, JsonValue] = {"case": slot.case, "question": slot.question, "question_digest": shown}
        with Ledger(database).turn("pilot", "anna", "") as turn:
            turn.add(**about, given="app", kind="label", value="False", supersedes=[first.id])
    return server_url


def told(url: str) -> list[str]:
    return [f"{fault.where} {fault.wrong}" for fault in checked(url).faults]


def attacked(server: Server, url: str, statement: str) -> list[str]:
    """What the check says after a statement that no trigger sees; each opening puts the triggers back."""
    server.ask(url.rsplit("/", 1)[1], f"ALTER TABLE events DISABLE TRIGGER ALL; {statement}")
    return told(url)


def test_rows_on_a_server_are_whole_and_have_the_digest_of_their_copy(
    checked_url: str, tmp_path: Path
) -> None:
    found, copy = checked(checked_url), back_up_store(checked_url, tmp_path / "copy.db")
    assert (found.studies, found.cases, found.events, found.faults) == (1, 3, 3, [])
    assert [count.digest for count in found.counts] == [count.digest for count in copy.counts]


def test_an_altered_event_on_a_server_is_a_fault(checked_url: str, server: Server) -> None:
    (fault,) = attacked(server, checked_url, "UPDATE events SET value = 'True' WHERE value = 'False'")
    assert "was altered: its digest does not match its content" in fault


def test_an_event_that_others_refer_to_is_missed_wherever_it_stood(checked_url: str, server: Server) -> None:
    """The second event follows it directly; the third refers to it over the second."""
    first = server.ask(checked_url.rsplit("/", 1)[1], "SELECT min(id) FROM events")[0][0]
    faults = attacked(server, checked_url, "DELETE FROM events WHERE id = (SELECT min(id) FROM events)")
    assert [f"refers to event {first}, which is not here" in fault for fault in faults] == [True, True]


def test_a_row_that_cannot_be_read_is_a_fault_and_counts_as_missing(checked_url: str, server: Server) -> None:
    faults = attacked(
        server, checked_url, "UPDATE events SET active_ms = -1 WHERE id = (SELECT min(id) FROM events)"
    )
    assert sum("which is not here" in fault for fault in faults) == 2
    assert "cannot be read" in faults[-1]
