"""How long a write waits for another program's lock before it fails (StoreBusyError)."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

USUAL_MS = 5_000
_BRIEF_MS = 60
_chosen: ContextVar[int | None] = ContextVar("lock_timeout", default=None)


def lock_timeout_ms() -> int:
    """How many milliseconds a write that begins now may wait."""
    chosen = _chosen.get()
    return USUAL_MS if chosen is None else chosen


@contextmanager
def short_lock_timeout() -> Iterator[None]:
    """Within the block (and this thread), writes fail so soon that people do not notice the wait."""
    token = _chosen.set(min(_BRIEF_MS, USUAL_MS))
    try:
        yield
    finally:
        _chosen.reset(token)
