"""Ctrl+C while models are asked: what is under way is paid for, so it is waited for and kept."""

import asyncio
import signal
from collections.abc import Callable

from reviewer.cli.options import note
from reviewer.llm.client import ModelClient


def stop_on_interrupt(door: ModelClient, say: Callable[[str], None] = note) -> None:
    """The first Ctrl+C lets calls under way finish, the second does not wait for them."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        say("Stopping after the calls under way; interrupt again to leave at once.")
        door.stop()

    loop.add_signal_handler(signal.SIGINT, stop)
