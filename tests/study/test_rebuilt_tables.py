"""A table of ours, made again with a rule that drops, replaces or changes rows in silence."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import StoreError
from reviewer.exchange.packs.store_files import merge_file
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.studies import a_study, open_store
from tests.tampering import told

RULES = {
    "a key that lets new rows take the place of old ones": (
        "PRIMARY KEY (id)",
        'PRIMARY KEY (id), UNIQUE (study, rater, "case", question) ON CONFLICT REPLACE',
    ),
    "a key that drops new rows": (
        "PRIMARY KEY (id)",
        'PRIMARY KEY (id), UNIQUE (study, rater, "case", question) ON/**/conflict IGNORE',
    ),
    "a reference that deletes": (
        "REFERENCES studies (name)",
        "REFERENCES studies (name) ON DELETE CASCADE",
    ),
    "a column that is computed": ("value VARCHAR", "value VARCHAR AS ('True')"),
    "text that compares without case": ("rater VARCHAR NOT NULL", "rater VARCHAR NOT NULL COLLATE NOCASE"),
    "rows without numbers": ("name)\n)", "name)\n) WITHOUT ROWID"),
    "rows with numbers of their own": ("id VARCHAR NOT NULL", "id VARCHAR NOT NULL, rowid VARCHAR"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(open_store(tmp_path)) as database:
        a_study(database)
        ReviewSession(database, "pilot", "anna").answer("True")
    return tmp_path / "reviewer.db"


def rebuild(path: Path, old: str, new: str) -> None:
    """Write the definition of the ledger's table otherwise, as an editor of files does."""
    with closing(sqlite3.connect(path)) as connection:
        (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'events'").fetchone()
        assert sql.count(old) == 1
        kept = connection.execute(
            "SELECT sql FROM sqlite_master WHERE tbl_name = 'events' AND sql != ?", [sql]
        )
        others = [str(row[0]) for row in kept if row[0]]
        columns = [str(row[1]) for row in connection.execute("PRAGMA table_info(events)")]
        connection.execute("ALTER TABLE events RENAME TO before")
        connection.execute(sql.replace(old, new))
        there = {str(row[1]) for row in connection.execute("PRAGMA table_info(events)")}
        shared = ", ".join(f'"{name}"' for name in columns if name in there)
        connection.execute(f"INSERT INTO events ({shared}) SELECT {shared} FROM before")
        connection.execute("DROP TABLE before")
        for other in others:
            connection.execute(other)
        connection.commit()


@pytest.mark.parametrize(("old", "new"), RULES.values(), ids=RULES)
def test_a_table_that_does_more_than_ours_is_named_and_refused(path: Path, old: str, new: str) -> None:
    rebuild(path, old, new)
    assert any(each.startswith("table 'events' is not of this program") for each in told(path)), told(path)
    with pytest.raises(StoreError, match="table 'events'"):
        Database.open(str(path))


def test_such_a_file_is_not_merged(path: Path, tmp_path: Path) -> None:
    (tmp_path / "lead").mkdir()
    rebuild(path, *RULES["a key that drops new rows"])
    with closing(open_store(tmp_path / "lead")) as database:
        a_study(database)
        (account,) = merge_file(database, path)
    assert "it has a table 'events', which is not of this program" in account.refused[0]
