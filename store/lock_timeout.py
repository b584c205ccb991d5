"""How long a write waits for another program's lock before it fails (StoreBusyError)."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

USUAL_MS = 5_000
_BRIEF_MS = 60
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
