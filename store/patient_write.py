"""Writes of programs that work for hours, often several at a time: they wait longer for the write lock."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from sqlmodel import Session

from reviewer.core.errors import StoreError
from store.database import Database
from store.lock_timeout import lock_timeout, longest_pause

P = ParamSpec("P")
T = TypeVar("T")
_LONGEST_WAIT_MS = 20_000
_LONGEST_PAUSE_MS = 5_000
"""The server ends a transaction that does nothing for so long, as when its process was stopped."""


@contextmanager
def patient_write(database: Database) -> Iterator[Session]:
    """``Database.write``, which on a server waits longer, and blocks nobody for long if its process stops."""
    with patience(database), database.write() as session:
        yield session


@contextmanager
def patience(database: Database) -> Iterator[None]:
    """Wait longer for the write lock of a server in this block, and let the server end long pauses."""
    if not database.on_server:
        yield
        return
    with lock_timeout(_LONGEST_WAIT_MS), longest_pause(_LONGEST_PAUSE_MS):
        yield


def tried_twice(
    write: Callable[Concatenate[Database, P], T],
) -> Callable[Concatenate[Database, P], T]:
    """A write that is tried again on a server, which may have ended it while this process was stopped."""

    @wraps(write)
    def trying(database: Database, /, *given: P.args, **named: P.kwargs) -> T:
        try:
            return write(database, *given, **named)
        except StoreError:
            if not database.on_server:
                raise
        return write(database, *given, **named)

    return trying
