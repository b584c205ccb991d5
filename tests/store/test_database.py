"""Opening a store: new, old, foreign, broken, locked, forbidden."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlmodel import SQLModel

import store.run_tables
import store.study_tables  # noqa: F401
from reviewer.core.errors import StoreError
from store import schema
from store.append_only import ledger_is_protected
from store.database import Database
from store.migrations import HEAD, LAST_BEFORE, REVISIONS
from store.schema import OWN_INDEXES, OWN_TABLES
from store.sqlite import file_engine
from store.studies import list_studies
from tests.studies import a_study, open_store

NOBODY = 65534


def without_index(connection: Connection) -> MigrationContext:
    """The tables, leaving out those of the search index, which no record stands behind."""

    def is_ours(name: str | None, kind: str, _parents: object) -> bool:
        return kind != "table" or not (name or "").startswith(("case_words", "searched_cases"))

    return MigrationContext.configure(connection, opts={"include_name": is_ours})


def test_a_new_store_has_the_tables_of_the_records_which_are_listed(tmp_path: Path) -> None:
    with open_store(tmp_path).read() as session:
        context = without_index(session.connection())
        assert compare_metadata(context, SQLModel.metadata) == []
    tables = SQLModel.metadata.tables
    assert {*tables, "alembic_version"} == OWN_TABLES
    assert {index.name for table in tables.values() for index in table.indexes} == OWN_INDEXES


def test_the_revisions_are_those_of_the_migrations() -> None:
    scripts = ScriptDirectory(str(schema.MIGRATIONS))
    assert tuple(script.revision for script in scripts.walk_revisions())[::-1] == REVISIONS
    assert scripts.get_current_head() == HEAD


def test_durability_and_references_are_switched_on(tmp_path: Path) -> None:
    # The engine itself: stores of tests do not wait for the disk.
    with file_engine(tmp_path / "new.db").connect() as connection:
        values = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert values == ["wal", 2, 1]


def test_making_a_store_and_opening_it_again_do_not_load_alembic(tmp_path: Path) -> None:
    opened = f"Database.open({str(tmp_path / 'reviewer.db')!r}).close()"
    code = (
        f"import sys; from store.database import Database; {opened}; {opened}; "
        "sys.exit('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a directory"):
        Database.open(str(tmp_path))


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"make .* first"):
        Database.open(str(tmp_path / "no" / "store.db"))


def test_a_file_that_is_not_sqlite_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes, dear to me")
    with pytest.raises(StoreError, match="is not an SQLite file"):
        Database.open(str(path))
    assert path.read_text() == "my notes, dear to me"


def test_damaged_sqlite_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(StoreError, match=r"cannot be read|refused"):
        Database.open(str(path))


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
    with pytest.raises(StoreError, match="another program's"):
        Database.open(str(path))
    tables = sqlite3.connect(path).execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [("bookmarks",)]


def test_a_store_of_a_newer_release_is_refused(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    with sqlite3.connect(tmp_path / "reviewer.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer release"):
        open_store(tmp_path)


def test_a_locked_store_is_refused_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.lock_timeout.USUAL_MS", 50)
    database = open_store(tmp_path)
    other = sqlite3.connect(tmp_path / "reviewer.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="locked by another program"), database.write():
        pass


@pytest.mark.parametrize("url", ["postgresql://u:secret@host/db", "sqlite://", "://", "mysql://x"])
def test_urls_of_other_kinds_are_refused_without_their_password(url: str) -> None:
    with pytest.raises(StoreError) as refused:
        Database.open(url)
    assert "secret" not in str(refused.value)


def test_an_sqlite_url_is_a_path(tmp_path: Path) -> None:
    Database.open(f"sqlite:///{tmp_path}/reviewer.db")
    assert (tmp_path / "reviewer.db").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user, which takes root")
@pytest.mark.parametrize("forbidden", ["the file", "the folder", "the folder of a new store"])
def test_a_store_that_is_read_only_for_you_is_refused(tmp_path: Path, forbidden: str) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    path = folder / "reviewer.db"
    if forbidden != "the folder of a new store":
        Database.open(str(path)).close()
        path.chmod(0o444 if forbidden == "the file" else 0o666)
    folder.chmod(0o777 if forbidden == "the file" else 0o555)
    for parent in (tmp_path, *tmp_path.parents):
        if parent.owner() == "root" and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    child = os.fork()
    if child == 0:
        _open_as_nobody(path)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def _open_as_nobody(path: Path) -> None:
    """In a child: exit with 7 if the store refuses in words."""
    code = 1
    try:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        Database.open(str(path))
    except StoreError as error:
        code = 7 if "read-only for you" in str(error) else 2
    finally:
        os._exit(code)


@pytest.mark.parametrize("path", ["x" * 300, "a\0b", "/dev/null", "x.db/\0y"])
def test_paths_that_the_system_refuses_are_sentences(path: str) -> None:
    with pytest.raises(StoreError, match=r"store .*; .*\.$"):
        Database.open(path)


def test_a_fifo_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="not a regular file"):
        Database.open(str(tmp_path / "pipe"))


def test_missing_triggers_are_put_back_at_opening(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    with sqlite3.connect(tmp_path / "reviewer.db") as connection:
        connection.execute("DROP TRIGGER events_refuse_delete")
    with open_store(tmp_path).read() as session:
        assert ledger_is_protected(session.connection())


LATER = """
import sqlalchemy as sa
from alembic import op

revision = "9.9"
down_revision = {below!r}


def upgrade() -> None:
    op.add_column("todos", sa.Column("more", sa.String(), nullable=True))
"""


@pytest.fixture
def later_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program as a later release, which has one more column."""
    folder = tmp_path / "migrations"
    shutil.copytree(schema.MIGRATIONS, folder)
    (folder / "versions" / "later.py").write_text(LATER.format(below=HEAD))
    monkeypatch.setattr(schema, "MIGRATIONS", folder)
    monkeypatch.setattr(schema, "REVISIONS", (*REVISIONS, "9.9"))
    monkeypatch.setattr(schema, "HEAD", "9.9")
    monkeypatch.setattr("store.database.HEAD", "9.9")


def test_an_older_store_is_brought_up_to_date_and_a_copy_is_kept(
    tmp_path: Path, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> None:
    """Rows stay, the new column is empty, and the ledger still refuses changes."""
    database = open_store(tmp_path)
    a_study(database)
    database.close()
    request.getfixturevalue("later_release")
    database = open_store(tmp_path)
    with database.read() as session:
        assert [study.name for study in list_studies(session)] == ["pilot"]
        assert ledger_is_protected(session.connection())
        assert session.connection().exec_driver_sql("SELECT more FROM todos").all() == []
    kept = tmp_path / "reviewer.before-9.9.db"
    with closing(sqlite3.connect(kept)) as copy:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchone() == (HEAD,)
    assert str(kept) in caplog.text
    open_store(tmp_path).close()
    assert len(list(tmp_path.glob("*before*"))) == 1


@pytest.mark.parametrize("revision", ["0001", "0028"])
def test_a_store_from_before_1_0_is_refused_with_the_commit_that_reads_it(
    tmp_path: Path, revision: str
) -> None:
    open_store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "reviewer.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    with pytest.raises(StoreError, match=f"made before release 1.0; commit {LAST_BEFORE} of this program"):
        open_store(tmp_path)


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("CREATE TRIGGER mine AFTER INSERT ON events BEGIN DELETE FROM cases; END", "a trigger 'mine'"),
        ("CREATE VIEW mine AS SELECT * FROM events", "a view 'mine'"),
    ],
)
def test_a_trigger_that_is_not_ours_is_refused_by_name(tmp_path: Path, sql: str, named: str) -> None:
    open_store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "reviewer.db")) as connection, connection:
        connection.execute(sql)
    before = (tmp_path / "reviewer.db").read_bytes()
    with pytest.raises(StoreError, match=f"has {named}, which is not of this program"):
        open_store(tmp_path)
    assert (tmp_path / "reviewer.db").read_bytes() == before


def test_a_trigger_of_ours_that_does_something_else_is_put_right_at_opening(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    with sqlite3.connect(tmp_path / "reviewer.db") as connection:
        connection.execute("DROP TRIGGER events_refuse_delete")
        connection.execute(
            "CREATE TRIGGER events_refuse_delete AFTER INSERT ON events BEGIN DELETE FROM cases; END"
        )
    open_store(tmp_path).close()
    with sqlite3.connect(tmp_path / "reviewer.db") as connection:
        query = "SELECT sql FROM sqlite_master WHERE name = 'events_refuse_delete'"
        assert "BEFORE DELETE ON events" in connection.execute(query).fetchone()[0]
