"""Opening a store, and its two ways in: ``read()`` and ``write()``."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from sqlalchemy import URL, Engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError
from sqlmodel import Session

from reviewer.core.errors import StoreError
from store import postgres, schema, sqlite

DEFAULT_LOCATION = "./reviewer.db"

Explain = Callable[[DatabaseError, str], Exception]
"""The sentence for what a database reports, given how the store is called."""


class Database:
    """An open store. Reads see one consistent state; writes are one short transaction each."""

    def __init__(self, reading: Engine, writing: Engine, location: str, explain: Explain) -> None:
        self._reading = reading
        self._writing = writing
        self._explain = explain
        self.location = location
        """How the store is called in front of people: a path, or a URL without its password."""

    @classmethod
    def open(cls, location: str = DEFAULT_LOCATION, *, must_exist: bool = False) -> Self:
        """Open the store at a path or URL, made or brought up to date where needed; raises StoreError."""
        url = _url(location)
        if url is not None and url.get_backend_name() == "postgresql":
            engine = postgres.server_engine(url)
            reading, writing = postgres.ways_in(engine)
            database = cls(reading, writing, postgres.shown(url), postgres.server_explanation)
        else:
            path = _path(location, url)
            sqlite.check_file(path, must_exist)
            engine = sqlite.file_engine(path)
            reading, writing = sqlite.ways_in(engine)
            database = cls(reading, writing, str(path), sqlite.file_explanation)
        try:
            with database._explained():
                schema.bring_up_to_date(writing, database.location, must_exist=must_exist)
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        """Give back every connection."""
        self._reading.dispose()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that sees one state of the store."""
        with self._explained(), Session(self._reading) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session that holds the only write lock: durable when the block ends, undone if it raises."""
        with self._explained(), Session(self._writing) as session, session.begin():
            session.connection()  # takes the lock now, before anything is read that the write depends on
            yield session

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DatabaseError as error:
            raise self._explain(error, self.location) from error


def is_server(location: str) -> bool:
    """Whether a location is a database server's URL, not a file."""
    url = _url(location)
    return url is not None and url.get_backend_name() != "sqlite"


def _url(location: str) -> URL | None:
    if "://" not in location:
        return None
    try:
        return make_url(location)
    except ArgumentError as error:
        raise StoreError(f"store {location!r} is no database URL; give a path or sqlite:///PATH.") from error


def _path(location: str, url: URL | None) -> Path:
    if url is None:
        return Path(location)
    if url.get_backend_name() != "sqlite" or not url.database:
        shown = url.render_as_string(hide_password=True)
        raise StoreError(
            f"store {shown!r} is of a kind not supported; give a path, sqlite:///PATH, "
            "or postgresql+psycopg://USER@HOST/DATABASE."
        )
    return Path(url.database)
