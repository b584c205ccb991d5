"""Texts of raters have a greatest length, the same for all ways in: what comes in can leave again."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import LONGEST_TEXT, too_long
from reviewer.exchange.exports.study_export import export_study
from reviewer.exchange.exports.study_source import StudySource
from reviewer.exchange.labels.foreign_files import ForeignLabels, read_foreign_labels
from reviewer.exchange.labels.foreign_label import ForeignLabel, KeyCandidate, LabelledItem
from reviewer.exchange.labels.label_booking import BookingOptions, match_labels, store_labels
from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.exchange.packs.store_files import merge_file
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from store.records import canonical_json
from tests.rounds import mostly_slow
from tests.studies import a_study, open_store
from tests.teas import tea_study

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


def without_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a changed program would save texts."""
    monkeypatch.setattr("reviewer.study.session.review_session.text_fault", lambda _text: None)
    monkeypatch.setattr("store.ledger.content_fault", lambda *_content: None)


def test_merge_refuses_a_longer_text(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    pack, _ = opened_pack(tmp_path / "anna.review")
    with closing(pack), monkeypatch.context() as changed:
        without_limits(changed)
        anna(pack).comment(LONG)
    (account,) = merge_file(database, tmp_path / "anna.review")
    assert [f"its text has {WORDS}" in why for why in account.refused] == [True]


def passage(length: int) -> dict[str, object]:
    """A passage whose JSON has this length."""
    empty = {"pane": "text", "start": 0, "end": 4, "text": ""}
    return empty | {"text": "x" * (length - len(canonical_json(empty)))}


def from_table(database: Database, question: str, label: str, comment: str) -> None:
    """Import one label as a table of another tool has it; raises InputError."""
    bundle = load_study(database, "tea")
    keys = (KeyCandidate("key", "1"),)
    row = ForeignLabel("line 2", LabelledItem("line 2", keys), "anna", question, (label,), comment=comment)
    matched = match_labels(bundle, ForeignLabels("table", (row,)), BookingOptions(add_raters=True))
    if matched.problems:
        raise matched.problems[0]
    store_labels(database, bundle, matched)


def at(database: Database, question: str) -> ReviewSession:
    session = ReviewSession(database, "tea", "anna")
    session.go_to(next(number for number, slot in enumerate(session.slots) if slot.question == question))
    return session


def decided(database: Database, reason: str) -> None:
    for rater, label in (("anna", "yes"), ("ben", "no")):
        session = ReviewSession(database, "tea", rater)
        session.go_to(next(number for number, slot in enumerate(session.slots) if slot.question == "fits"))
        session.answer(label)
    AdjudicationSession(database, "tea", "zoe").decide("yes", reason)


WAYS_IN: dict[str, Callable[[Database, int], object]] = {
    "comment": lambda db, length: at(db, "fits").comment("é" * length),
    "passage": lambda db, length: at(db, "fits").comment("x", passage(length)),
    "note": lambda db, length: at(db, "fits").note("𝕏" * length),
    "answer in free text": lambda db, length: at(db, "why").answer("x" * length),
    "adjudication": lambda db, length: decided(db, "x" * length),
    "imported comment": lambda db, length: from_table(db, "fits", "yes", "x" * length),
    "imported answer": lambda db, length: from_table(db, "why", "x" * length, ""),
}


@mostly_slow(3)
@pytest.mark.parametrize("way", WAYS_IN)
def test_longest_text_comes_in_and_leaves_and_one_more_does_neither(tmp_path: Path, way: str) -> None:
    tea_study(tmp_path, 1).close()
    shutil.copy(tmp_path / "reviewer.db", tmp_path / "copy.db")
    with closing(Database.open(str(tmp_path / "copy.db"))) as copy:
        with pytest.raises((InputError, RequestError), match=r"at most 10,000 are kept|passage is too long"):
            WAYS_IN[way](copy, LONGEST_TEXT + 1)
        given = {(event.kind, event.value) for event in Ledger(copy).events("tea")}
        assert given <= {("label", "yes"), ("label", "no")}, "nothing of the longer text was written"
        WAYS_IN[way](copy, LONGEST_TEXT)
        events = Ledger(copy).events("tea")
        assert max(len(canonical_json([event.value, event.passage])) for event in events) > LONGEST_TEXT
        if way != "note":  # which no table of labels holds
            export_study(StudySource.of(*read_study(copy, "tea")), tmp_path / "out")
            again = match_labels(load_study(copy, "tea"), read_foreign_labels(tmp_path / "out/labels.jsonl"))
            assert again.problems == ()
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        merged = merge_file(database, tmp_path / "copy.db")
        assert [account.refused for account in merged if account.refused] == []
        assert Ledger(database).events("tea") == events


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
