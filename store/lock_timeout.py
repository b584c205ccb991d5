"""How long a write waits for another program's lock before it fails.

It fails with StoreBusyError, whose sentences are in `sqlite.py` and `postgres.py`.

Programs that work for hours, often several at a time, wait longer.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from reviewer.core.errors import StoreError

if TYPE_CHECKING:
    from sqlmodel import Session

    from store.database import Database

P = ParamSpec("P")
T = TypeVar("T")

USUAL_MS = 5_000
_BRIEF_MS = 60
_LONGEST_WAIT_MS = 20_000
_LONGEST_PAUSE_MS = 5_000
"""The server ends a transaction that does nothing for so long, as when its process was stopped."""
_chosen: ContextVar[int | None] = ContextVar("lock_timeout", default=None)
_pause: ContextVar[int] = ContextVar("longest_pause", default=0)


def lock_timeout_ms() -> int:
    """How many milliseconds a write that begins now may wait."""
    chosen = _chosen.get()
    return USUAL_MS if chosen is None else chosen


@contextmanager
def short_lock_timeout() -> Iterator[None]:
    """Within the block (and this thread), writes fail so soon that people do not notice the wait."""
    with lock_timeout(min(_BRIEF_MS, USUAL_MS)):
        yield


@contextmanager
def lock_timeout(milliseconds: int) -> Iterator[None]:
    """Within the block (and this thread), writes wait so long for the lock."""
    token = _chosen.set(milliseconds)
    try:
        yield
    finally:
        _chosen.reset(token)


@contextmanager
def longest_pause(milliseconds: int) -> Iterator[None]:
    """Within the block (and this thread), a server ends writes with a longer pause between two statements.

    So a process that is stopped in the middle of a write blocks nobody for longer.
    """
    token = _pause.set(milliseconds)
    try:
        yield
    finally:
        _pause.reset(token)


def longest_pause_ms() -> int:
    """After how many milliseconds without a statement a server ends a write that begins now; 0 for never."""
    return _pause.get()


@contextmanager
def patient_write(database: "Database") -> "Iterator[Session]":
    """``Database.write``, which on a server waits longer, and blocks nobody for long if its process stops."""
    with patience(database), database.write() as session:
        yield session


@contextmanager
def patience(database: "Database") -> Iterator[None]:
    """Wait longer for the write lock of a server in this block, and let the server end long pauses."""
    if not database.on_server:
        yield
        return
    with lock_timeout(_LONGEST_WAIT_MS), longest_pause(_LONGEST_PAUSE_MS):
        yield


def tried_twice(
    write: "Callable[Concatenate[Database, P], T]",
) -> "Callable[Concatenate[Database, P], T]":
    """A write that is tried again on a server, which may have ended it while this process was stopped."""

    @wraps(write)
    def trying(database: "Database", /, *given: P.args, **named: P.kwargs) -> T:
        try:
            return write(database, *given, **named)
        except StoreError:
            if not database.on_server:
                raise
        return write(database, *given, **named)

    return trying
