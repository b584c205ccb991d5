"""Putting a door together: a model's, or a recording's; with or without recording."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from reviewer.llm.calls import Calls
from reviewer.llm.door import Door, ModelDoor
from reviewer.llm.recording import RecordingDoor, ReplayDoor
from reviewer.llm.settings import ModelSettings


@asynccontextmanager
async def open_door(
    settings: ModelSettings, calls: Calls, *, replay: Path | None = None, record: Path | None = None
) -> AsyncIterator[Door]:
    """A door that answers from ``replay`` alone, where given, else from rows and models; noted in ``record``.

    At the end nothing more is sent; what is under way is waited for and kept.
    """
    if replay is not None:
        yield ReplayDoor(replay)
        return
    async with ModelDoor(settings, calls) as door:
        if record is None:
            yield door
            return
        with closing(RecordingDoor(door, record)) as recording:
            yield recording
