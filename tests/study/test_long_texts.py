"""Comments, notes and reasons have a greatest length at every door; longer ones of earlier releases stay."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import LONGEST_TEXT, cut, too_long
from reviewer.exchange.packs.merge_files import merge_file
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.statistics.disagreements import disagreements
from reviewer.study.statistics.label_rows import label_rows
from store.database import Database
from store.ledger import Ledger
from tests.studies import a_study, open_store

LONG = "x" * (LONGEST_TEXT + 1)
WORDS = "10,001 characters; at most 10,000 are kept"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(open_store(tmp_path)) as opened:
        a_study(opened, raters=("anna", "ben"))
        for rater, label in (("anna", "True"), ("ben", "False")):
            ReviewSession(opened, "pilot", rater).answer(label)
        yield opened


def anna(database: Database) -> ReviewSession:
    return ReviewSession(database, "pilot", "anna")


def test_the_words() -> None:
    assert too_long(LONG) == WORDS
    assert too_long(LONG[1:]) is None
    assert cut(LONG) == LONG[1:] + " … (cut: 10,001 characters)"


@pytest.mark.parametrize(
    "save",
    [
        lambda database: anna(database).comment(LONG),
        lambda database: anna(database).note(LONG),
        lambda database: anna(database).explain(LONG),
        lambda database: close_study(database, "pilot", "lead", LONG, anyway=True),
        lambda database: AdjudicationSession(database, "pilot", "zoe").decide("True", LONG),
    ],
)
def test_no_door_takes_a_longer_text(database: Database, save: Callable[[Database], object]) -> None:
    with pytest.raises(RequestError, match=WORDS):
        save(database)
    assert max(len(event.value or "") for event in Ledger(database).events("pilot")) < LONGEST_TEXT


def test_the_greatest_length_is_kept(database: Database) -> None:
    assert anna(database).comment(LONG[1:]) is not None


def long_comment(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an earlier release kept it."""
    with monkeypatch.context() as earlier:
        earlier.setattr("reviewer.study.session.review_session.too_long", lambda _text: None)
        session = anna(database)
        session.go_to(0)
        session.comment(LONG)


def test_a_longer_comment_of_an_earlier_release_stays_and_pages_cut_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_comment(database, monkeypatch)
    bundle, events = read_study(database, "pilot")
    assert bundle.left_out == ()
    rows = label_rows(bundle, events)
    assert LONG in [row.verdict.comment for row in rows]
    (found,) = disagreements(bundle, rows)
    assert found.comments == {"anna": cut(LONG)}


def test_a_merge_takes_no_longer_text_but_knows_those_that_are_there(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_comment(database, monkeypatch)
    write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    pack, _ = opened_pack(tmp_path / "anna.review")
    with closing(pack):
        long_comment(pack, monkeypatch)
        session = anna(pack)
        session.go_to(1)
        with monkeypatch.context() as earlier:
            earlier.setattr("reviewer.study.session.review_session.too_long", lambda _text: None)
            session.comment(LONG)
    (account,) = merge_file(database, tmp_path / "anna.review")
    assert account.known == 2
    assert [f"its text has {WORDS}" in why for why in account.refused] == [True]


def test_a_pack_with_a_trigger_of_its_own_is_refused(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "anna.review"
    write_pack(database, "pilot", "anna", path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TRIGGER mine AFTER INSERT ON events BEGIN UPDATE pack_seals SET rater = 'x'; END"
        )
    with pytest.raises(InputError, match="it has a trigger 'mine', which is not of this program"):
        opened_pack(path)
    (account,) = merge_file(database, path)
    assert "it has a trigger 'mine', which is not of this program" in account.refused[0]
