"""Work that asks models, carried on by a command: its progress, Ctrl+C, and how to resume it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

import click

from reviewer.cli.options import note
from reviewer.cli.progress_lines import ProgressLines, progress_lines
from reviewer.cli.signals import stop_on_interrupt
from reviewer.core.errors import ReviewerError, Unfinished

if TYPE_CHECKING:
    from reviewer.llm.client import ModelClient
    from reviewer.llm.rate_limit import SharedLimits
    from reviewer.options.model_options import ModelOptions
    from store.database import Database

T = TypeVar("T")


def carry_on(
    database: "Database",
    models: "ModelOptions",
    work: "Callable[[ModelClient], Awaitable[T]]",
    resume: str,
    lines: ProgressLines | None = None,
    shared: "SharedLimits | None" = None,
) -> T:
    """The result of the work. If something ends it before, a note says what ``resume`` says.

    ``lines`` are shown meanwhile; None if the work shows its progress itself.
    """
    from reviewer.llm.errors import Stopped

    async def carried_on() -> T:
        async with models.client(database, shared=shared) as client:
            if lines:
                lines.watch(lambda: client.spent)
            stop_on_interrupt(client, lines.say if lines else note)
            return await work(client)

    kept = f"What was answered is kept. {resume}"
    try:
        with progress_lines(lines) if lines else nullcontext():
            return asyncio.run(carried_on())
    except Stopped:
        note(f"Stopped. {kept}")
        raise click.Abort from None
    except ReviewerError as error:
        note(kept)
        raise Unfinished(str(error)) from error
