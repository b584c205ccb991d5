"""Putting a door together: a model's, or a recording's; with or without recording."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from reviewer.llm.client import HttpModelClient, ModelClient
from reviewer.llm.recording import RecordingClient, ReplayClient
from reviewer.llm.settings import ModelSettings
from reviewer.llm.usage import Calls


@asynccontextmanager
async def open_client(
    settings: ModelSettings, calls: Calls, *, replay: Path | None = None, record: Path | None = None
) -> AsyncIterator[ModelClient]:
    """A door that answers from ``replay`` alone, where given, else from rows and models; noted in ``record``.

    At the end nothing more is sent; what is under way is waited for and kept.
    """
    if replay is not None:
        yield ReplayClient(replay)
        return
    async with HttpModelClient(settings, calls) as door:
        if record is None:
            yield door
            return
        with closing(RecordingClient(door, record)) as recording:
            yield recording
