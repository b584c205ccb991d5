"""Work in one thread on the newest value only: values that come meanwhile replace the one that waits."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from textual.message import Message
from textual.screen import Screen

_Value = TypeVar("_Value")


class NewestOnly(Generic[_Value]):
    """Calls ``work`` in a thread, one value at a time, and posts its message to the screen."""

    def __init__(self, screen: Screen[None], group: str, work: Callable[[_Value], Message | None]) -> None:
        self._screen, self._group, self._work = screen, group, work
        self._waiting: list[_Value] = []
        self._busy = False
        self._lock = Lock()

    def put(self, value: _Value) -> None:
        """Work on this value next."""
        with self._lock:
            self._waiting = [value]
            if self._busy:
                return
            self._busy = True
        self._screen.run_worker(self._run, thread=True, group=self._group)

    def stop(self) -> None:
        """Forget the value that waits."""
        with self._lock:
            self._waiting = []

    def _run(self) -> None:
        while values := self._taken():
            if message := self._work(values[0]):
                self._screen.post_message(message)

    def _taken(self) -> list[_Value]:
        with self._lock:
            values, self._waiting = self._waiting, []
            self._busy = bool(values)
            return values
