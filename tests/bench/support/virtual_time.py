"""An event loop whose time passes only while nothing can be done, for the time of a schedule alone."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Waiting(selectors.SelectSelector):
    """Where the loop would wait for a time, the time has passed."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout > 0:
            self.now += timeout
        return super().select(0)


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._waiting = _Waiting()
        super().__init__(self._waiting)

    def time(self) -> float:
        return self._waiting.now


def virtual_seconds(work: Coroutine[Any, Any, object]) -> float:
    """The seconds that a work takes if everything but its pauses takes none. It must use no threads."""
    loop = _VirtualLoop()
    try:
        loop.run_until_complete(work)
        return loop.time()
    finally:
        loop.close()
