"""Opens a store, and gives access to it through ``read()`` and ``write()``."""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from json import JSONDecodeError
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError
from sqlalchemy import Connection, Engine, Insert
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col

from reviewer.core.errors import ReviewerError, StoreError, StoreGoneError
from store import postgres, schema, sqlite
from store.backup import back_up
from store.location import DEFAULT_LOCATION, path_of, url_of
from store.migrations import HEAD
from store.overview import StoreOverview, overview_of
from store.records import KeptDeclaration
from store.replaced_file import LogPosition, OpenFile
from store.row_records import reason, records, select_as
from store.tables import DeclarationRow

_WRITES_BESIDE = 8
"""After this many writes the log beside the file is moved into it, even if the rater is busy."""
_log = logging.getLogger(__name__)

Explain = Callable[[DBAPIError, str], Exception]
"""Turns a database's error into a sentence, given the name of the store."""


class Database:
    """An open store. Reads see one consistent state; writes are one short transaction each."""

    def __init__(
        self,
        reading: Engine,
        writing: Engine,
        location: str,
        opened_with: str,
        explain: Explain,
        file: OpenFile | None = None,
        protocols: Mapping[str, Any] | None = None,
    ) -> None:
        self._reading = reading
        self._writing = writing
        self._explain = explain
        self._file = file
        self._gone: StoreGoneError | None = None
        self._unsettled, self._written_at = 0, 0.0
        self.location = location
        """The store's name for people: a path, or a URL without its password."""
        self.opened_with = opened_with
        """The location to open it again. It is never shown, because it may hold a password."""
        self.protocols = protocols
        """The protocols that the front end uses, for code that reads cases; the store ignores them."""

    @classmethod
    def open(
        cls,
        location: str = DEFAULT_LOCATION,
        *,
        must_exist: bool = False,
        protocols: Mapping[str, Any] | None = None,
    ) -> Self:
        """Open the store at a path or URL. It is created or upgraded if needed. Raises StoreError.

        ``protocols`` are kept for code that needs a protocol by name (default: those of the release).
        """
        url = url_of(location)
        file = keep_copy = None
        if url is not None and url.get_backend_name() == "postgresql":
            engine = postgres.server_engine(url)
            reading, writing = postgres.ways_in(engine)
            database = cls(
                reading,
                writing,
                postgres.public_url(url),
                location,
                postgres.server_explanation,
                protocols=protocols,
            )
        else:
            path = path_of(location, url)
            engine = sqlite.file_engine(path, single=sqlite.check_file(path, must_exist))
            reading, writing = sqlite.ways_in(engine)
            file = OpenFile(path)
            database = cls(reading, writing, str(path), location, sqlite.file_explanation, file, protocols)
            keep_copy = partial(_keep_copy, path)
        try:
            with database._explained():
                schema.bring_up_to_date(
                    writing, database.location, must_exist=must_exist, keep_copy=keep_copy
                )
                if file is not None:
                    with reading.connect() as connection:  # SQLite has both files open from here on
                        connection.exec_driver_sql("SELECT 1 FROM alembic_version")
                        file.note()
        except BaseException:
            database.close()
            raise
        return database

    @property
    def on_server(self) -> bool:
        """Whether the store is on a database server."""
        return self._reading.dialect.name != "sqlite"

    def close(self) -> None:
        """Move all committed writes into the one file, and close all connections."""
        self.settle()
        if self._gone is None:
            self._reading.dispose()
            if self._file is not None:
                self._file.forget()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that reads one consistent state of the store."""
        with self._explained(), Session(self._reading) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session that holds the write lock. It commits durably when the block ends; an error undoes it.

        Raises StoreGoneError if the file was deleted, moved or replaced, and at every later call.
        """
        with self._explained(), Session(self._writing) as session:
            with session.begin():
                # It takes the lock before anything is read that the write depends on.
                before, changes = self._look_before(), _changes(session.connection())
                yield session
                session.flush()  # what waits to be written counts as a change
                changed = changes is None or _changes(session.connection()) != changes
            if changed:
                self._look_after(before)

    def insert(self, statement: Insert, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows as a ``write``, in half its time: for rows that come a hundred times a second.

        The log beside the file waits for the next write: to move it takes as long as several inserts.
        """
        with self._explained():
            with self._writing.begin() as connection:
                before = self._look_before()
                connection.execute(statement, rows)
            self._look_after(before, settles=False)

    def overview(self) -> StoreOverview:
        """The studies and datasets with their counts; raises StoreError, also if the file is gone."""
        self.check_there()
        with self.read() as session:
            return overview_of(session)

    def declarations(self) -> list[KeptDeclaration]:
        """The declared protocols that the store keeps, by name, older versions first."""
        order = col(DeclarationRow.name), col(DeclarationRow.version)
        with self.read() as session:
            return list(
                records(session, KeptDeclaration, select_as(KeptDeclaration, DeclarationRow).order_by(*order))
            )

    def remember(self, event: str) -> None:
        """Remember the id of a committed event, which the file must contain from now on."""
        if self._file is not None:
            self._file.witness = event

    def check_there(self) -> None:
        """Raise StoreGoneError if the file was deleted, moved or replaced since it was opened."""
        if gone := self._found_gone():
            raise gone

    def settle(self, *, idle_seconds: float = 0.0) -> None:
        """Move all committed writes into the store's one file, as far as other readers allow.

        Does nothing if the log is empty or the last write is younger than ``idle_seconds``. Raises no errors:
        committed writes are durable, and the next write reports what is wrong.
        """
        idle = time.monotonic() - self._written_at >= idle_seconds
        if self._file is None or self._gone or not (idle and self._file.log_bytes):
            return
        with suppress(ReviewerError, DBAPIError, sqlite3.Error):
            self._file.before_write()
            with self._reading.connect() as connection:
                sqlite.bring_into_file(connection)
            self._file.note_own_write()
            self._unsettled = 0

    def _look_before(self) -> LogPosition | None:
        if self._gone:
            raise self._gone
        return self._file.before_write() if self._file else None

    def _look_after(self, before: LogPosition | None, *, settles: bool = True) -> None:
        if self._file is None or before is None:
            return
        self._file.after_commit(before)
        self._unsettled, self._written_at = self._unsettled + 1, time.monotonic()
        if settles and self._unsettled >= _WRITES_BESIDE:
            self.settle()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except StoreGoneError as error:
            self._lose(error)
            raise
        except DBAPIError as error:
            raise self._found_gone(error.orig) or self._explain(error, self.location) from error
        except UnicodeDecodeError as error:  # SQLite's message may quote bytes of the file
            raise sqlite.damaged(self.location, "the description of its tables is not text") from error
        except (ValidationError, JSONDecodeError, RecursionError) as error:
            raise StoreError(
                f"store {self.location!r} holds a row that cannot be read ({reason(error)}); it was altered "
                "or damaged. Run `reviewer store check` to find where, and work with a backup."
            ) from error

    def _found_gone(self, failed: BaseException | None = None) -> StoreGoneError | None:
        """Why the file is no longer the store, perhaps after an error; None if it still is."""
        try:
            if self._file is not None:
                self._file.check()
                self._file.check_after(failed)
        except StoreGoneError as error:
            self._lose(error)
        return self._gone

    def _lose(self, error: StoreGoneError) -> None:
        """Write nothing more, and do not touch the file that is at the path now."""
        if self._gone is None:
            self._gone = error
            with suppress(DBAPIError, sqlite3.Error), self._reading.connect() as connection:
                sqlite.never_close(connection)


def _changes(connection: Connection) -> int | None:
    """The number of rows that a connection has changed; None if unknown."""
    raw = connection.connection.dbapi_connection
    return raw.total_changes if isinstance(raw, sqlite3.Connection) else None


def _keep_copy(path: Path) -> None:
    """Back up an older store beside it, under an unused name, before it is upgraded."""
    names = (path.with_name(f"{path.stem}.before-{HEAD}{more}.db") for more in _endings())
    copy = next(name for name in names if not name.exists())
    back_up(path, copy)
    _log.warning("Store %s is of an older release and is being upgraded; a copy is kept in %s.", path, copy)


def _endings() -> Iterator[str]:
    yield ""
    yield from (f"-{number}" for number in count(2))
