"""How long a write waits for another program to let go of the store before it gives up (StoreBusyError)."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

USUAL_MS = 5_000
_BRIEF_MS = 60
_chosen: ContextVar[int | None] = ContextVar("lock_timeout", default=None)


def lock_timeout_ms() -> int:
    """Milliseconds that a write which begins now may wait."""
    chosen = _chosen.get()
    return USUAL_MS if chosen is None else chosen


@contextmanager
def short_lock_timeout() -> Iterator[None]:
    """Within the block (and this thread) writes give up so soon that a person does not notice the wait."""
    token = _chosen.set(min(_BRIEF_MS, USUAL_MS))
    try:
        yield
    finally:
        _chosen.reset(token)
