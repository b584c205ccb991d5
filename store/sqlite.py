"""A store in one SQLite file: the checks before it is opened, the engine, and its errors as sentences."""

import ctypes
import os
import shutil
import sqlite3
import stat
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError

from reviewer.core.errors import StoreBusyError, StoreError
from reviewer.core.sanitize import one_line
from store.lock_timeout import USUAL_MS, lock_timeout_ms
from store.records import canonical_json

SQLITE_HEADER = b"SQLite format 3\0"
_ROOM_BESIDE = 64 << 10
"""Free bytes that SQLite needs to open a store. Its index of the log alone takes half of them."""
_SINGLE_FILE = 0x52657677  # PRAGMA application_id


def check_file(path: Path, must_exist: bool) -> bool:
    """Whether the store was marked to stay one file.

    Raises StoreError with a sentence where SQLite would report only a code.
    """
    try:
        kind = path.stat().st_mode
        folder = path.resolve().parent
    except FileNotFoundError:
        _check_can_be_made(path, must_exist)
        return False
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StoreError(f"store {_shown(path)} cannot be reached ({reason}); choose another.") from error
    if stat.S_ISDIR(kind):
        raise StoreError(f"store {_shown(path)} is a directory; give the path of a file in it.")
    if not stat.S_ISREG(kind):
        raise StoreError(f"store {_shown(path)} is not a regular file; choose another.")
    # WAL keeps two files beside the store, so the folder must be writable as well.
    if not (os.access(path, os.R_OK | os.W_OK) and os.access(folder, os.W_OK)):
        raise StoreError(
            f"store {_shown(path)} is read-only for you; "
            "ask for write access to it and its folder, or work on a copy."
        )
    try:
        return application_id(path) == _SINGLE_FILE
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB and not _begins_as_sqlite(path):
            raise StoreError(
                f"store {_shown(path)} is not an SQLite file; choose another with --store."
            ) from error
        return False  # opening it reports what else is wrong


def _begins_as_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE_HEADER)) in (b"", SQLITE_HEADER)


def application_id(path: Path) -> int:
    """The file's application id; raises sqlite3.DatabaseError.

    SQLite reads it. If this program opened and closed the file itself, it would lose all its locks on it (a
    rule of POSIX), and another program could then remove the log of the open store.
    """
    unlocked = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(unlocked, uri=True)) as connection:
        return int(connection.execute("PRAGMA application_id").fetchone()[0])


def _shown(path: Path) -> str:
    return repr(one_line(str(path), 120))


def _check_can_be_made(path: Path, must_exist: bool) -> None:
    folder = path.absolute().parent
    if not folder.is_dir():
        raise StoreError(
            f"store {_shown(path)} needs a folder that does not exist; make {str(folder)!r} first."
        )
    if must_exist:
        raise StoreError(
            f"there is no store at {_shown(path)}; give --store, or import a dataset to make one."
        )
    if not os.access(folder, os.W_OK):
        raise StoreError(
            f"store {_shown(path)} cannot be made because its folder is read-only for you; choose another."
        )


def file_engine(path: Path, *, single: bool = False) -> Engine:
    """The engine of a file. Each connection is prepared for durable, short transactions.

    ``single``: the store stays one file, so that it can be sent.
    """
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        json_serializer=canonical_json,
        connect_args={"timeout": USUAL_MS / 1000},
    )
    journal = _ONE_FILE if single else _TWO_FILES
    event.listen(engine, "connect", lambda connection, _record: _prepare_connection(connection, journal))
    event.listen(engine, "begin", _begin)
    return engine


def is_single_file(path: Path) -> bool:
    """Whether the store was marked to stay one file, so that it can be sent."""
    try:
        return path.is_file() and application_id(path) == _SINGLE_FILE
    except (sqlite3.DatabaseError, OSError, ValueError):
        return False  # an impossible or unreadable path; opening it reports why


def make_single_file(path: Path) -> None:
    """Mark a store that nobody has open as one that stays one file, and make it as small as possible."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in (*_ONE_FILE, f"application_id={_SINGLE_FILE}"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("VACUUM")


def bring_into_file(connection: Connection) -> None:
    """Move the log into the file and empty it, as far as possible without waiting."""
    connection.rollback()
    raw = connection.connection.dbapi_connection
    if isinstance(raw, sqlite3.Connection):
        raw.execute("PRAGMA busy_timeout=0")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def never_close(connection: Connection) -> None:
    """Keep a connection until the process ends.

    SQLite deletes the log by its name when the last connection closes. It may belong to another store now.
    """
    raw = connection.connection.dbapi_connection
    if isinstance(raw, sqlite3.Connection):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(raw))


def ways_in(engine: Engine) -> tuple[Engine, Engine]:
    """The engine for reads, and the one whose transactions hold the write lock from their start."""
    return engine, engine.execution_options(begin="BEGIN IMMEDIATE")


_TWO_FILES = ("journal_mode=WAL", "synchronous=FULL")
# A file that somebody sends must hold all writes, so it has no write-ahead log. EXTRA also syncs the folder,
# because a transaction ends when the journal is removed from it.
_ONE_FILE = ("journal_mode=DELETE", "synchronous=EXTRA", "trusted_schema=OFF")


def _prepare_connection(connection: sqlite3.Connection, journal: Sequence[str]) -> None:
    connection.isolation_level = None  # _begin starts transactions, not the driver
    for pragma in (f"busy_timeout={USUAL_MS}", *journal, "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    raw = connection.connection.dbapi_connection
    if isinstance(raw, sqlite3.Connection):  # a fifth of the time that SQLAlchemy's statement takes
        raw.execute(f"PRAGMA busy_timeout={lock_timeout_ms()}")
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def file_explanation(error: DBAPIError, location: str) -> Exception:
    """SQLite's error as a sentence; an error that users cannot cause is returned unchanged."""
    reason, name = str(error.orig), getattr(error.orig, "sqlite_errorname", "")
    if "locked" in reason or "busy" in reason:
        return StoreBusyError(
            f"store {location!r} is locked by another program; close it or wait, then try again."
        )
    # SQLite reports a quota as a failed write, unlike a full disk. It may notice a full disk only when it
    # makes room for its index of the log.
    if "full" in reason or name == "SQLITE_IOERR_WRITE" or (_is_of_the_disk(name) and _is_full(location)):
        return StoreError(
            f"store {location!r} cannot grow because the disk or a quota is full; free some, then try again: "
            "all that was saved is in it."
        )
    if "readonly" in reason or "unable to open" in reason:
        return StoreError(
            f"store {location!r} cannot be written ({reason}); check its permissions and its folder's."
        )
    if "not a database" in reason or "malformed" in reason:
        return damaged(location, reason)
    if name.startswith("SQLITE_IOERR"):
        return StoreError(
            f"the system could not read or write store {location!r} ({reason}, {name}); this says "
            "nothing about its content. Check the disk, its free space and quota, then try again."
        )
    if isinstance(error, OperationalError):
        return StoreError(f"store {location!r} refused ({reason}); check the file, its folder and the disk.")
    return error


def damaged(location: str, reason: str) -> StoreError:
    """The error for a file that SQLite cannot read as a database."""
    return StoreError(
        f"store {location!r} is damaged ({reason}); leave it and the files beside it as they are, "
        "copy them together, and run `reviewer store check` on the copy."
    )


def _is_of_the_disk(name: str) -> bool:
    return name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN"))


def _is_full(location: str) -> bool:
    """Whether the store's file system has no room for the files that SQLite keeps beside it."""
    try:
        return shutil.disk_usage(Path(location).absolute().parent).free < _ROOM_BESIDE
    except OSError:
        return False
