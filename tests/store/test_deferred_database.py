"""A store that its first use opens: which files may wait, and that nothing else about them differs."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import StoreError
from store.database import Database
from store.deferred_database import opened_by_use
from store.studies import list_studies
from tests.studies import a_study, open_store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a study, closed."""
    with closing(open_store(tmp_path)) as database:
        a_study(database)
    return tmp_path / "reviewer.db"


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql)
        connection.commit()


def test_the_first_use_opens_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = Database.open

    def noted(location: str, **given: object) -> Database:
        opened.append(location)
        return real(location, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "open", noted)
    database = opened_by_use(str(path), None)
    assert database is not None
    assert (database.location, database.opened_with, database.protocols) == (str(path), str(path), None)
    database.settle()
    assert opened == []
    for _ in range(2):
        with database.read() as session:
            assert [study.name for study in list_studies(session)] == ["pilot"]
    assert opened == [str(path)]
    database.close()


def test_a_store_that_was_never_used_is_closed_without_being_opened(path: Path) -> None:
    database = opened_by_use(str(path), None)
    assert database is not None
    path.unlink()
    database.close()
    assert not path.exists()


def test_a_file_that_is_gone_by_then_is_not_made_again(path: Path) -> None:
    database = opened_by_use(str(path), None)
    assert database is not None
    path.unlink()
    with pytest.raises(StoreError, match="there is no store"):
        database.check_there()
    assert not path.exists()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE alembic_version SET version_num = '0003'",
        "DROP TRIGGER events_refuse_update",
        "CREATE TRIGGER other AFTER INSERT ON events BEGIN DELETE FROM raters; END",
        "CREATE VIEW other AS SELECT 1",
    ],
)
def test_a_file_that_opening_would_change_or_refuse_is_opened_at_once(path: Path, sql: str) -> None:
    assert opened_by_use(str(path), None) is not None
    change(path, sql)
    assert opened_by_use(str(path), None) is None


def test_what_is_no_store_yet_is_opened_at_once(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database")
    for name in ("none.db", "text.db", "."):
        assert opened_by_use(str(tmp_path / name), None) is None
    assert not (tmp_path / "none.db").exists()
    assert opened_by_use("postgresql://nobody@127.0.0.1:1/none", None) is None
