"""Opening a store, and its two ways in: ``read()`` and ``write()``."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from json import JSONDecodeError
from pathlib import Path
from typing import Self

from pydantic import ValidationError
from sqlalchemy import URL, Engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlmodel import Session

from reviewer.core.errors import StoreError
from store import postgres, schema, sqlite
from store.backup import back_up
from store.reading import reason

DEFAULT_LOCATION = "./reviewer.db"
_log = logging.getLogger(__name__)

Explain = Callable[[DBAPIError, str], Exception]
"""The sentence for what a database reports, given how the store is called."""


class Database:
    """An open store. Reads see one consistent state; writes are one short transaction each."""

    def __init__(
        self, reading: Engine, writing: Engine, location: str, opened_with: str, explain: Explain
    ) -> None:
        self._reading = reading
        self._writing = writing
        self._explain = explain
        self.location = location
        """How the store is called in front of people: a path, or a URL without its password."""
        self.opened_with = opened_with
        """What opens it again; never shown, for it may hold a password."""

    @classmethod
    def open(cls, location: str = DEFAULT_LOCATION, *, must_exist: bool = False) -> Self:
        """Open the store at a path or URL, made or brought up to date where needed; raises StoreError."""
        url = _url(location)
        keep_copy = None
        if url is not None and url.get_backend_name() == "postgresql":
            engine = postgres.server_engine(url)
            reading, writing = postgres.ways_in(engine)
            database = cls(reading, writing, postgres.shown(url), location, postgres.server_explanation)
        else:
            path = _path(location, url)
            sqlite.check_file(path, must_exist)
            engine = sqlite.file_engine(path)
            reading, writing = sqlite.ways_in(engine)
            database = cls(reading, writing, str(path), location, sqlite.file_explanation)
            keep_copy = partial(_keep_copy, path)
        try:
            with database._explained():
                schema.bring_up_to_date(
                    writing, database.location, must_exist=must_exist, keep_copy=keep_copy
                )
        except BaseException:
            database.close()
            raise
        return database

    @property
    def on_server(self) -> bool:
        """Whether every access travels over a network."""
        return self._reading.dialect.name != "sqlite"

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
        except DBAPIError as error:
            raise self._explain(error, self.location) from error
        except (ValidationError, JSONDecodeError, RecursionError) as error:
            raise StoreError(
                f"store {self.location!r} holds a row that cannot be read ({reason(error)}); it was altered "
                "or damaged: `reviewer store check` says where. Work with a backup of it."
            ) from error


def _keep_copy(path: Path) -> None:
    """Back an older store up beside it, under a name that is free, before it is brought up to date."""
    names = (path.with_name(f"{path.stem}.before-{schema.HEAD}{more}.db") for more in _endings())
    copy = next(name for name in names if not name.exists())
    back_up(path, copy)
    _log.warning("Store %s is of an older release and is brought up to date; it is kept in %s.", path, copy)


def _endings() -> Iterator[str]:
    yield ""
    yield from (f"-{number}" for number in count(2))


def is_server(location: str) -> bool:
    """Whether a location is a database server's URL, not a file."""
    url = _url(location)
    return url is not None and url.get_backend_name() != "sqlite"


def file_of(location: str) -> Path | None:
    """The file of a store that is one; None for a server's. Raises StoreError for what is neither."""
    return None if is_server(location) else _path(location, _url(location))


def shown_location(location: str) -> str:
    """How a store is called in front of people: without a password."""
    url = _url(location)
    return location if url is None else postgres.shown(url)


def location_for(location: str, user: str) -> str:
    """The same server's store for another database user, whose password is left to be given."""
    url = _url(location)
    return location if url is None else postgres.shown(url.set(username=user, password=None))


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
