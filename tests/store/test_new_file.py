"""A new store in a file is made at once, and is what all migrations together make of an empty file.

After a new migration, ``PYTHONPATH=. python tests/store/test_new_file.py`` writes the schema of new files.
"""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from store.database import Database
from store.migrations import HEAD
from store.own_schema import NEW_FILE
from store.schema import _migrate
from store.searching import OWN_TABLES, OWN_TRIGGERS
from store.sqlite import file_engine, ways_in

INDEX_OF_WORDS = OWN_TABLES | set(OWN_TRIGGERS)
DEFINED = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"


def defined_in(file: Path) -> dict[str, str]:
    with closing(sqlite3.connect(file)) as connection:
        # What SQLite puts in quotes when it renames a table depends on its version.
        return {name: sql.replace('"', "") for name, sql in connection.execute(DEFINED)}


def migrated(file: Path) -> Path:
    reading, writing = ways_in(file_engine(file))
    _migrate(writing, str(file))
    reading.dispose()
    return file


def test_a_new_file_is_made_as_the_migrations_make_it(tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    Database.open(str(new)).close()
    assert defined_in(new) == defined_in(migrated(tmp_path / "migrated.db")), __doc__
    with closing(sqlite3.connect(new)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]


def write_new_file_schema() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = migrated(Path(folder) / "migrated.db")
        with closing(sqlite3.connect(file)) as connection:
            statements = [sql for name, sql in connection.execute(DEFINED) if name not in INDEX_OF_WORDS]
    NEW_FILE.write_text("".join(f"{sql};\n" for sql in statements), encoding="utf-8")


if __name__ == "__main__":
    write_new_file_schema()
