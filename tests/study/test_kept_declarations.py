"""A store keeps declared protocols; studies, packs and copies know them, and faults stay where they are."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError, StoreError
from reviewer.exchange.packs.pack import opened_pack, rescue, write_pack
from reviewer.exchange.packs.store_files import back_up_store, checked, merge_file
from reviewer.protocols.altered_case import headline_of, panes_of
from reviewer.protocols.registry import PROTOCOLS, protocols_of
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.copying import copy_store
from store.database import Database
from store.declarations import keep_declaration
from store.records import digest_of
from tests.declarations import DECLARATION, a_reply, fill_replies, kept, with_passages

LATER = with_passages(("version = 1", "version = 2"), ('title = "Replies"', 'title = "Replies, newer"'))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("declared") / "reviewer.db"
    with closing(Database.open(str(path))) as database:
        fill_replies(database)
        create_study(database, "pilot", Design(("replies",), None, 7, raters=("anna",)))
        fill_replies(database, text=LATER)  # the same cases under the newer version
        create_study(database, "second", Design(("replies",), None, 7, raters=("anna",)))
    return path


@pytest.fixture
def path(prepared: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "reviewer.db"
    copy.write_bytes(prepared.read_bytes())
    return copy


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    with closing(Database.open(str(path))) as opened:
        yield opened


def alter(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_studies_name_the_version_and_stay_on_it(database: Database) -> None:
    pilot, second = load_study(database, "pilot"), load_study(database, "second")
    assert second.study.protocol == "replies@2"
    assert pilot.cases == second.cases
    assert not pilot.stale
    assert pilot.study.protocol == "replies@1"
    assert pilot.protocol.title == "Replies"
    protocols = protocols_of(database)
    assert protocols.named("replies").title == "Replies, newer"
    assert list(protocols) == [*PROTOCOLS, "replies"]
    with pytest.raises(RequestError, match=r"'replies@3'; it knows probe-swe, .*, replies@1, replies@2"):
        protocols.named("replies@3")


def test_a_version_never_changes(database: Database) -> None:
    other = kept(with_passages(('title = "Replies"', 'title = "Others"')))
    with database.write() as session:
        keep_declaration(session, kept())  # the same once more
        with pytest.raises(RequestError, match=r"version 1 of protocol 'replies' is in the store with"):
            keep_declaration(session, other)
    assert len(database.declarations()) == 2


def test_a_rescued_session_takes_its_declaration_along(database: Database, tmp_path: Path) -> None:
    session = ReviewSession(database, "pilot", "anna")
    session.answer(session.question.labels[0])
    rescue(session, tmp_path / "rescued.db")
    with closing(Database.open(str(tmp_path / "rescued.db"))) as rescued:
        assert load_study(rescued, "pilot").protocol.title == "Replies"
        assert len(ReviewSession(rescued, "pilot", "anna").history.events) == 1


def test_a_pack_takes_its_declaration_along_and_comes_back(database: Database, tmp_path: Path) -> None:
    write_pack(database, "pilot", "anna", tmp_path / "anna.review")
    pack, _ = opened_pack(tmp_path / "anna.review")
    with closing(pack):
        bundle = load_study(pack, "pilot")
        assert [row.reference for row in pack.declarations()] == ["replies@1"]
        assert headline_of(protocols_of(pack), a_reply(0)) == "Help with task 0."
        session = ReviewSession(pack, "pilot", "anna")
        session.answer("first")
        assert bundle.protocol.title == "Replies"
    (merged,) = merge_file(database, tmp_path / "anna.review")
    assert (merged.added, merged.refused) == (1, ())


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE declarations SET text = replace(text, 'Which', 'What')", "'replies@1' was altered"),
        ("DELETE FROM declarations", "'replies@1' is missing"),
    ],
)
def test_a_pack_whose_declaration_was_altered_is_refused(
    database: Database, tmp_path: Path, statement: str, words: str
) -> None:
    pack = tmp_path / "anna.review"
    write_pack(database, "pilot", "anna", pack)
    alter(pack, statement)
    with pytest.raises(InputError, match=words):
        opened_pack(pack)
    (merged,) = merge_file(database, pack)
    assert words in merged.refused[0]


def test_a_faulty_declaration_is_a_sentence_and_the_rest_opens(path: Path, database: Database) -> None:
    alter(path, "UPDATE declarations SET text = replace(text, 'Which', 'What') WHERE version = 1")
    with pytest.raises(StoreError, match="'replies@1' in the store cannot be used: its text does not fit"):
        load_study(database, "pilot")
    assert load_study(database, "second").protocol.title == "Replies, newer"
    assert protocols_of(database).named("replies").title == "Replies, newer"
    assert protocols_of(database).usable("replies@1") is None
    assert [fault.where for fault in checked(str(path)).faults][:1] == [
        "the declaration of protocol replies@1"
    ]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[protocol", "is not valid TOML"),
        (with_passages(('passing = ["1", "2"]', 'passing = "3"')), "there is no label '3'"),
        (with_passages(("version = 1", "version = 7")), "its text declares 'replies@7'"),
    ],
    ids=["no TOML", "a fault", "another version"],
)
def test_a_store_from_outside_is_validated(path: Path, database: Database, text: str, wrong: str) -> None:
    alter(path, "UPDATE declarations SET text = ?, digest = ?", text, digest_of(text))
    with pytest.raises(StoreError, match=wrong):
        protocols_of(database).named("replies@1")
    assert wrong in checked(str(path)).faults[0].wrong
    why, content = panes_of(protocols_of(database), a_reply(0), ())
    assert wrong in why.texts[0]
    assert a_reply(0).payload["prompt"] in content.texts[0]
    assert "cannot be used" in headline_of(protocols_of(database), a_reply(0))


def test_a_declaration_may_not_take_the_name_of_a_protocol_of_the_release(
    path: Path, database: Database
) -> None:
    alter(path, "UPDATE declarations SET name = 'probe-swe'")
    assert protocols_of(database).named("probe-swe").title == "PROBE-SWE"
    faults = checked(str(path)).faults
    assert "has the name of another protocol" in faults[0].wrong


def test_copies_and_backups_have_the_declarations(path: Path, database: Database, tmp_path: Path) -> None:
    back_up_store(str(path), tmp_path / "backup.db")
    with closing(Database.open(str(tmp_path / "copy.db"))) as copy:
        copy_store(database, copy)
        assert copy.declarations() == database.declarations()
        assert load_study(copy, "pilot").protocol.title == "Replies"
    with closing(Database.open(str(tmp_path / "backup.db"))) as backup:
        assert backup.declarations() == database.declarations()


def test_a_store_that_declares_the_same_version_otherwise_is_not_merged(
    path: Path, database: Database, tmp_path: Path
) -> None:
    other, text = tmp_path / "other.db", DECLARATION.replace("Which", "What")
    other.write_bytes(path.read_bytes())
    alter(other, "UPDATE declarations SET text = ?, digest = ? WHERE version = 1", text, digest_of(text))
    merged = {account.study: account for account in merge_file(database, other, trusted=True)}
    (why,) = merged["pilot"].refused
    assert "it declares protocol 'replies@1' with other content than this store" in why
    assert merged["second"].refused == ()
