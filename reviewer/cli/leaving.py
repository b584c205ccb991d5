"""However the program is left, what was committed is in the store's one file."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from store.database import Database

_LEAVE = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def settled_at_the_end(database: Database) -> Iterator[None]:
    """Close the store behind the block: at its end, after an error, Ctrl+C, SIGTERM or SIGHUP."""

    def leave(number: int, _frame: FrameType | None) -> None:
        database.settle()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    before = {number: signal.signal(number, leave) for number in _LEAVE}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        database.close()
