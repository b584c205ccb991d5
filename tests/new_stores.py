"""What is done once in a run of the tests, and not for each of its thousands of stores.

The tables of new files are made once, and copied. Statements are compiled once; SQLAlchemy compiles them
again for each engine, and the app has one engine. Nobody waits for the disk: the system keeps what a process
wrote, also when it is killed, and no test cuts the power. Processes that tests start make their stores as
always.
"""

import os
import sqlite3
from collections.abc import Callable, Hashable
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine, create_engine, event

from store.database import Database
from store.records import canonical_json

FileEngine = Callable[..., Engine]
MakeTables = Callable[[Engine], bool]
_STATEMENTS_REMEMBERED = 5000
_FILLED_FROM_THE_START = ("alembic_version", "case_words")
_MADE: dict[Hashable, sqlite3.Connection] = {}
"""Stores that were made, in memory."""
_KEYS_OF_TEST: dict[str, set[Hashable]] = {}
"""What the test that runs has asked for."""


def is_new_file(database: Database) -> bool:
    """Whether this is a file, and nothing was saved in it."""
    if database.on_server:
        return False
    with closing(sqlite3.connect(database.location)) as file:
        tables = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        filled = [f'SELECT 1 FROM "{name}"' for name in tables if not name.startswith(_FILLED_FROM_THE_START)]
        return not any(file.execute(f"SELECT EXISTS({rows})").fetchone()[0] for rows in filled)


def made_once(database: Database, make: Callable[[Database], object], key: Hashable = None) -> None:
    """Fill the new file of a store as ``make`` does; all but the first with this key are copies of the first.

    The key is ``make`` itself if there is no other. Two stores of one test are no copies of each other: the
    second is made.
    """
    key = key or make
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
    if test not in _KEYS_OF_TEST:
        _KEYS_OF_TEST.clear()
    if key in _KEYS_OF_TEST.setdefault(test, set()):
        make(database)
        return
    _KEYS_OF_TEST[test].add(key)
    with closing(sqlite3.connect(database.location)) as file:
        if key in _MADE:
            _MADE[key].backup(file)
        else:
            make(database)
            _MADE[key] = sqlite3.connect(":memory:")
            file.backup(_MADE[key])


def with_tables_made_once(make_tables: MakeTables) -> MakeTables:
    """As ``make_tables``, which makes the tables of the first new file; those of all others are copied."""
    made: list[sqlite3.Connection] = []

    def make_or_copy(engine: Engine) -> bool:
        on_server = engine.dialect.name != "sqlite"
        if on_server or (not made and not make_tables(engine)):
            return on_server and make_tables(engine)
        with closing(engine.raw_connection()) as pooled:
            file = pooled.driver_connection
            assert isinstance(file, sqlite3.Connection)
            if not made:
                made.append(sqlite3.connect(":memory:", check_same_thread=False))
                file.backup(made[0])
            elif file.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
                return False
            else:
                made[0].backup(file)
        return True

    return make_or_copy


def with_quick_connections(file_engine: FileEngine) -> FileEngine:
    """As ``file_engine``; engines share a dialect and its compiled statements, and wait for no disk."""
    first = create_engine(
        "sqlite://", json_serializer=canonical_json, query_cache_size=_STATEMENTS_REMEMBERED
    )
    first.connect().close()  # tells the dialect what this SQLite is able to do
    first.dispose()

    def open_engine(path: Path, *, single: bool = False) -> Engine:
        engine = file_engine(path, single=single)
        engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache
        event.listen(engine, "connect", lambda raw, _record: raw.execute("PRAGMA synchronous=OFF"))
        return engine

    return open_engine
