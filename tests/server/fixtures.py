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
    folder = Path(tempfile.mkdtemp(prefix="reviewer-postgres-"))
    folder.chmod(0o755)
    running = Server.create(programs, folder / "server")
    yield running
    running.stop()
    shutil.rmtree(folder)


@pytest.fixture
def empty_server_url(server: Server) -> str:
    """The URL of an empty database."""
    return server.database(f"store_{next(_names)}")


@pytest.fixture(scope="session")
def new_store(server: Server) -> str:
    """The database of a store with nothing in it, which is migrated once and then copied."""
    Database.open(server.database("new_store")).close()
    return "new_store"


@pytest.fixture
def server_url(server: Server, new_store: str) -> str:
    """The URL of a new store."""
    return server.database(f"store_{next(_names)}", new_store)


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
