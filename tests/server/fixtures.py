"""A server for the tests that need one."""

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from store.database import Database
from tests.postgres import Server, binaries

_names = itertools.count()
_MOST_DATA = 4 * 1024**3
"""More bytes than the servers of all workers write."""


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A running server; skips where none can be had, but never in CI."""
    programs = binaries()
    if programs is None:
        message = "needs PostgreSQL's server programs (initdb, pg_ctl), and none are installed"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    # Not under pytest's own folder, which the server's unprivileged user may not enter.
    folder = Path(tempfile.mkdtemp(prefix="reviewer-postgres-", dir=_in_memory()))
    folder.chmod(0o755)
    running = Server.create(programs, folder / "server")
    yield running
    running.stop()
    shutil.rmtree(folder)


def _in_memory() -> Path | None:
    """A folder in memory: on a busy disk, deleting the databases of all tests takes a minute."""
    folder = Path("/dev/shm")
    return folder if folder.is_dir() and shutil.disk_usage(folder).free > _MOST_DATA else None


@pytest.fixture
def empty_server_url(server: Server) -> str:
    """The URL of an empty database."""
    return new_database(server)


@pytest.fixture(scope="session")
def new_store(server: Server) -> str:
    """The database of a store with nothing in it, which is migrated once and then copied."""
    Database.open(server.database("new_store")).close()
    return "new_store"


@pytest.fixture
def server_url(server: Server, new_store: str) -> str:
    """The URL of a new store."""
    return new_database(server, new_store)


def new_database(server: Server, template: str = "template1") -> str:
    """The URL of a new database, which is a copy of another."""
    return server.database(f"store_{next(_names)}", template)


@pytest.fixture
def opened() -> Iterator[Callable[[str], Database]]:
    """Opens stores, and closes them in the end: a server's connections do not close themselves in silence."""
    databases: list[Database] = []

    def open_store(location: str) -> Database:
        databases.append(Database.open(location))
        return databases[-1]

    yield open_store
    for database in databases:
        database.close()
