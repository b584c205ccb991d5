"""Work that asks models, carried on by a command: its progress, Ctrl+C, and how to resume it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, TypeVar

import click

from reviewer.cli.cluster_work import ask_without_jail
from reviewer.cli.embedding import open_embeddings
from reviewer.cli.printing import note, print_table
from reviewer.cli.progress_lines import ProgressLines, progress_lines
from reviewer.cli.signals import stop_on_interrupt
from reviewer.core.errors import ReviewerError, Unfinished
from reviewer.llm.settings import CallLimits
from reviewer.options.model_options import ModelOptions
from reviewer.similarity.encoder import open_encoder

if TYPE_CHECKING:
    from reviewer.llm.client import ModelClient
    from reviewer.llm.rate_limit import SharedLimits
    from reviewer.options.discover import DiscoverOptions
    from reviewer.options.evaluate import EvaluateOptions
    from reviewer.options.generate import GenerateOptions
    from reviewer.options.judges_ask import JudgesAskOptions
    from reviewer.options.run import RunOptions
    from reviewer.protocols.generation import GenerationPlan
    from reviewer.runs.engine.run_progress import RunProgress
    from reviewer.runs.prepared_run import PreparedRun
    from store.database import Database

    AskingOptions = DiscoverOptions | EvaluateOptions | GenerateOptions | JudgesAskOptions | RunOptions

T = TypeVar("T")
_NOBODY = "http://127.0.0.1:9/v1"
"""The address of a run that asks no models: it needs no key."""


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

        return carry_on(database, models, work, f"Resume with: {prepared.run.command}", lines, share.limits)


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
    from store.calls import StoredCalls

    async def carried_on() -> T:
        async with models.client(StoredCalls(database), shared=shared) as client:
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
