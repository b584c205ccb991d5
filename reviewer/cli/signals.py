"""What signals do: Ctrl+C while models are asked, and SIGTERM and SIGHUP while a store is open.

A signal that is ignored at the start stays ignored: nohup and scripts start commands so.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from reviewer.cli.printing import note

if TYPE_CHECKING:
    from reviewer.llm.client import ModelClient
    from store.database import Database


def stop_on_interrupt(client: "ModelClient", say: Callable[[str], None] = note) -> None:
    """The first Ctrl+C lets calls under way finish, the second does not wait for them."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        say("Stopping after the calls under way; interrupt again to leave at once.")
        client.stop()

    for number in heard("SIGINT"):
        loop.add_signal_handler(number, stop)


def heard(*names: str) -> list[signal.Signals]:
    """Those of the signals that this system has and this process does not ignore."""
    known: list[signal.Signals] = [getattr(signal, name) for name in names if hasattr(signal, name)]
    return [number for number in known if signal.getsignal(number) != signal.SIG_IGN]


@contextmanager
def settled_at_the_end(database: "Database") -> Iterator[None]:
    """Close the store behind the block: at its end, after an error, Ctrl+C, SIGTERM or SIGHUP."""

    def leave(number: int, _frame: FrameType | None) -> None:
        database.settle()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    before = {number: signal.signal(number, leave) for number in heard("SIGTERM", "SIGHUP")}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        database.close()
