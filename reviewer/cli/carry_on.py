"""Work that asks models, carried on by a command: its progress, Ctrl+C, and how to resume it."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import click

from reviewer.cli.cluster_work import ask_without_jail, open_embeddings
from reviewer.cli.printing import note, print_table
from reviewer.cli.signals import stop_on_interrupt
from reviewer.core.errors import ReviewerError, Unfinished
from reviewer.llm.model_settings import CallLimits
from reviewer.options.model_options import ModelOptions
from reviewer.runs.engine.run_progress import RunProgress, discarded_in_words, spent_in_words, time_left
from reviewer.similarity.encoder import open_encoder

if TYPE_CHECKING:
    from reviewer.llm.client import ModelClient
    from reviewer.llm.rate_limit import SharedLimits
    from reviewer.options.checks import RepairOptions
    from reviewer.options.evaluate import EvaluateOptions
    from reviewer.options.generate import DiscoverOptions, GenerateOptions
    from reviewer.options.judges import JudgesAskOptions
    from reviewer.options.run import RunOptions
    from reviewer.protocols.generation import GenerationPlan
    from reviewer.runs.prepared_run import PreparedRun
    from store.database import Database

    AskingOptions = (
        DiscoverOptions | EvaluateOptions | GenerateOptions | JudgesAskOptions | RepairOptions | RunOptions
    )
    from rich.console import Console, RenderableType

    from reviewer.llm.usage import Usage

T = TypeVar("T")
_NOBODY = "http://127.0.0.1:9/v1"
"""The address of a run that asks no models: it needs no key."""

_SECONDS_A_LINE = 10


class ProgressLines:
    """Lines about a run that is under way."""

    def __init__(self) -> None:
        self.spent: Callable[[], Usage] | None = None
        self.console: Console | None = None
        """Where the lines are drawn in place; None if they are not."""
        self._began = self._said = time.monotonic()
        self._first: RunProgress | None = None
        self._progress: RunProgress | None = None

    def watch(self, spent: "Callable[[], Usage]") -> None:
        """Read what was spent from here."""
        self.spent = spent

    def show(self, progress: RunProgress) -> None:
        """Show this progress: drawn in place, or by a line after each round and every few seconds."""
        before, self._progress = self._progress, progress
        self._first = self._first or progress
        new_round = before is not None and before.rounds != progress.rounds
        if self.console is None and (new_round or time.monotonic() - self._said >= _SECONDS_A_LINE):
            self._said = time.monotonic()
            note("; ".join(line.rstrip(".") for line in self.lines()))

    def say(self, sentence: str) -> None:
        """Say something beside the lines."""
        if self.console is None:
            note(sentence)
            return
        from rich.text import Text

        self.console.print(Text(sentence))

    def lines(self) -> list[str]:
        """How far the run is, what was spent, the discarded candidates so far, and the time left."""
        now = self._progress
        if now is None or self._first is None:
            return ["Getting ready …"]
        spent = spent_in_words(self.spent()) if self.spent else ""
        discarded = discarded_in_words(now) if now.discarded else ""
        left = time_left(self._first, now, time.monotonic() - self._began)
        return [now.sentence, *filter(None, (spent, discarded, left))]

    def drawn(self) -> "RenderableType":
        """The table as far as it is filled, then the lines."""
        from rich.console import Group
        from rich.table import Table as RichTable
        from rich.text import Text

        grid = RichTable(box=None, pad_edge=False)
        table = self._progress.table if self._progress else None
        for name in table.columns if table else ():
            grid.add_column(Text(name))
        for row in table.rows if table else ():
            grid.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
        return Group(grid, *map(Text, self.lines()))


@contextmanager
def progress_lines(display: ProgressLines) -> Iterator[None]:
    """The lines on stderr for the duration of the block."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.live import Live

    display.console = Console(stderr=True)
    with Live(get_renderable=display.drawn, console=display.console, refresh_per_second=4):
        yield


def run_to_end(
    prepared: "PreparedRun", options: "AskingOptions", sentence_model: str = "", *, checked: bool = False
) -> "RunProgress | None":
    """Do what is left of a run; returns how far it is. A dry run prints the estimate and returns None.

    Tools that were ``checked`` are not looked for again.
    """
    for sentence in prepared.notes:
        note(sentence)
    models = options.models if prepared.models else ModelOptions(base_url=_NOBODY)
    if options.dry_run:
        estimate = prepared.estimate(models.prices(*prepared.priced), models.limits())
        note(*estimate.examples)
        print_table(estimate.table, options.form)
        note(*estimate.remarks)
        return None
    if prepared.is_at_end:
        return prepared.progress()
    if not checked:
        if prepared.compares_texts:
            open_encoder(sentence_model)
        models.check(*prepared.priced)
    return _carried_on(prepared, models, sentence_model, options.take_over)


def _carried_on(
    prepared: "PreparedRun", models: "ModelOptions", sentence_model: str, take_over: bool
) -> "RunProgress":
    from reviewer.runs.engine.run_loop import carry_to_end
    from reviewer.runs.engine.work_runner import RunTools

    database, lines = prepared.database, ProgressLines()
    settings = None if models.replay else models.settings()
    endpoint, limits = (settings.endpoint.url, settings.limits) if settings else ("", CallLimits())
    with (
        prepared.share(endpoint, limits, take_over=take_over) as share,
        _executor_if(prepared.runs_programs) as executor,
    ):

        async def work(client: "ModelClient") -> "RunProgress":
            embedder = open_embeddings(database, sentence_model) if prepared.compares_texts else None
            tools = RunTools(client, endpoint, embedder, executor, lines.show)
            return await carry_to_end(prepared.carried(share, tools))

        return _asking(database, models, work, f"Resume with: {prepared.run.command}", lines, share.limits)


@contextmanager
def _executor_if(needed: bool) -> Iterator[Executor | None]:
    """Where programs run; None for a run without programs."""
    if not needed:
        yield None
        return
    from reviewer.oracle import pool

    with pool.open_executor() as executor:
        yield executor


def need_tools(plan: "GenerationPlan", options: "GenerateOptions") -> None:
    """Raise ReviewerError if a tool of the generation is missing; asks before programs run without a jail."""
    if plan.runs_programs:
        from reviewer.oracle import pool

        ask_without_jail(options.accepted, "Run the programs that the model writes?")
        pool.calibration()
    if plan.compares_texts:
        open_encoder(options.sentence_model)
    options.models.check(*filter(None, (options.model,)))


def _asking(
    database: "Database",
    models: "ModelOptions",
    work: "Callable[[ModelClient], Awaitable[T]]",
    resume: str,
    lines: ProgressLines,
    shared: "SharedLimits | None",
) -> T:
    """The result of the work, with lines meanwhile. If something ends it earlier, ``resume`` is printed."""
    from reviewer.llm.request_errors import Stopped
    from store.calls import StoredCalls

    async def carried_on() -> T:
        async with models.client(StoredCalls(database), shared=shared) as client:
            lines.watch(lambda: client.spent)
            stop_on_interrupt(client, lines.say)
            return await work(client)

    kept = f"What was answered is kept. {resume}"
    try:
        with progress_lines(lines):
            return asyncio.run(carried_on())
    except Stopped:
        note(f"Stopped. {kept}")
        raise click.Abort from None
    except ReviewerError as error:
        note(kept)
        raise Unfinished(str(error)) from error
