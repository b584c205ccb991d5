"""What is done once in a run of the tests, and not for each of its thousands of stores.

New stores are migrated once; each further one gets the tables that this made. Stores of earlier releases and
stores on a server are migrated as always, and so is everything in processes that tests start. Statements are
compiled once; SQLAlchemy compiles them again for each engine, and the app has one engine. Nobody waits for
the disk: the system keeps what a process wrote, also when it is killed, and no test cuts the power.
"""

import sqlite3
from collections.abc import Callable, Hashable
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event

from store.database import Database
from store.records import canonical_json
from store.sqlite import file_engine, ways_in

Migrate = Callable[[Engine, str], None]
FileEngine = Callable[[Path], Engine]
_STATEMENTS_REMEMBERED = 5000
_MADE: dict[Hashable, sqlite3.Connection] = {}
"""Stores that were made, in memory."""
_TABLES = (
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT IN "
    "(SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid"
)


def made_once(database: Database, make: Callable[[Database], object], key: Hashable = None) -> None:
    """Fill the new file of a store as ``make`` does; all but the first with this key are copies of the first.

    The key is ``make`` itself if there is no other.
    """
    key = key or make
    with closing(sqlite3.connect(database.location)) as file:
        if key in _MADE:
            _MADE[key].backup(file)
        else:
            make(database)
            _MADE[key] = sqlite3.connect(":memory:")
            file.backup(_MADE[key])


def with_tables_made_once(folder: Path, migrate: Migrate) -> Migrate:
    """As ``migrate``, which makes the first new store, in this folder."""
    statements: list[str] = []

    def make(engine: Engine, location: str) -> None:
        if not statements:
            statements.extend(_statements(folder, migrate))
        with engine.begin() as connection:
            if not _is_empty(connection):
                return
            for statement in statements:
                connection.exec_driver_sql(statement)

    def migrate_or_make(engine: Engine, location: str) -> None:
        with engine.connect() as connection:
            new = _is_empty(connection)
        (make if new else migrate)(engine, location)

    return migrate_or_make


def with_quick_connections(file_engine: FileEngine) -> FileEngine:
    """As ``file_engine``; engines share a dialect and its compiled statements, and wait for no disk."""
    first = create_engine(
        "sqlite://", json_serializer=canonical_json, query_cache_size=_STATEMENTS_REMEMBERED
    )
    first.connect().close()  # tells the dialect what this SQLite is able to do
    first.dispose()

    def open_engine(path: Path) -> Engine:
        engine = file_engine(path)
        engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache
        event.listen(engine, "connect", lambda raw, _record: raw.execute("PRAGMA synchronous=OFF"))
        return engine

    return open_engine


def _is_empty(connection: Connection) -> bool:
    if connection.dialect.name != "sqlite":
        return False
    return connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one() == 0


def _statements(folder: Path, migrate: Migrate) -> list[str]:
    reading, writing = ways_in(file_engine(folder / "first.db"))
    migrate(writing, "first.db")
    with reading.connect() as connection:
        tables = [str(row[0]) for row in connection.exec_driver_sql(_TABLES)]
        release = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one()
    reading.dispose()
    return [*tables, f"INSERT INTO alembic_version VALUES ('{release}')"]
