"""``reviewer discover``: biases of a judge are discovered and validated; a stopped run resumes."""

import asyncio
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewer.cli.embedding import open_embeddings, sentence_model_option
from reviewer.cli.model_options import ModelOptions, model_options
from reviewer.cli.options import (
    Format,
    format_option,
    note,
    open_store,
    print_table,
    store_option,
)
from reviewer.cli.progress_lines import ProgressLines, progress_lines
from reviewer.cli.setting_options import WithSettings, setting_options
from reviewer.cli.signals import stop_on_interrupt
from reviewer.core.errors import ReviewerError, Unfinished
from reviewer.core.sanitize import visible
from reviewer.core.source_text import SettingsSource
from reviewer.protocols.registry import protocols_of
from reviewer.runs.discovery.discovery_progress import DiscoveryProgress, discovery_standing, why_ended
from reviewer.runs.discovery.discovery_setup import (
    REWRITES,
    DiscoveryRequest,
    check_runnable,
    discovery_of,
    discovery_plan_of,
    left_out,
    open_discovery,
    protocol_of_request,
    teacher_of,
)
from reviewer.runs.generation.progress_text import spent_in_words
from reviewer.runs.prompt_files import read_prompts
from reviewer.similarity.encoder import open_encoder
from store.database import Database
from store.records import JsonValue, Run, RunLock
from store.run_lock import held

if TYPE_CHECKING:
    from pydantic import BaseModel

    from reviewer.protocols.base import Protocol

_EXAMPLE = (
    "Example: reviewer discover biases --library known --pairs pairs --validation others "
    "--judge gpt-4o-mini --teacher gpt-4o --models prices.toml --budget 5"
)


class _DiscoverCommand(WithSettings):
    @staticmethod
    def settings_of(protocol: "Protocol") -> "type[BaseModel] | None":
        """The settings of discovery."""
        plan = protocol.discovery_plan()
        return plan.settings if plan else None


@click.command("discover", cls=_DiscoverCommand, epilog=_EXAMPLE)
@click.argument("name", metavar="RUN")
@click.option("--library", metavar="DATASET", help="Dataset of known biases. Required for a new run.")
@click.option(
    "--pairs",
    metavar="DATASET",
    help="Dataset of labelled pairs whose rejected answers are rewritten. Required for a new run.",
)
@click.option(
    "--validation",
    metavar="DATASET",
    help="Another dataset of labelled pairs, on which candidates are validated. Required for a new run.",
)
@click.option("--judge", metavar="NAME", help="The model whose biases are sought. Required for a new run.")
@click.option(
    "--teacher",
    metavar="NAME",
    help="The model that rewrites answers and names biases. Required for a new run.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Random seed of the draws of biases and pairs. Default: 0.",
)
@setting_options
@click.option(
    "--prompts",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder with prompts that replace the shipped ones.",
)
@sentence_model_option
@click.option("--dry-run", is_flag=True, help="Print the prompts and a cost estimate. Nothing is sent.")
@click.option(
    "--take-over", is_flag=True, help="Resume a run whose previous process died without releasing it."
)
@model_options
@format_option
@store_option
def discover_command(
    name: str,
    library: str | None,
    pairs: str | None,
    validation: str | None,
    judge: str | None,
    teacher: str | None,
    seed: int | None,
    settings: dict[str, JsonValue],
    source: SettingsSource,
    folder: Path | None,
    sentence_model: str,
    dry_run: bool,
    take_over: bool,
    models: ModelOptions,
    form: Format,
    store: str,
) -> None:
    """Discover biases of a judge with the help of a teacher, and validate them on other pairs.

    In each round, the teacher rewrites rejected answers so that they show a known bias. The judge compares
    the rewrites with the right answers in both orders. The teacher names the biases behind misjudgements. New
    biases are validated on the validation pairs. A bias enters the library if it makes significantly more
    right judgements wrong than wrong judgements right. A run ends when a round keeps nothing.

    You can interrupt the run at any time: it waits for the calls under way and stops. To resume it, call the
    command again with the name alone. No answered request is sent again. For a finished run the command
    prints what the run did; this needs no key. The dataset RUN is the library with the biases that were kept,
    and RUN.rewrites has the rewrites; RUN.discarded and RUN.rewrites.discarded have the rest.
    `reviewer candidates RUN` lists everything that was tried.
    """
    request = DiscoveryRequest(name, library, pairs, validation, judge, teacher, seed, settings, source)
    with closing(open_store(store, must_exist=True)) as database:
        run = open_discovery(database, _with_prompts(database, request, folder))
        if words := left_out(run):
            note(visible(words))
        if dry_run:
            _show_plan(database, run, models, form)
            return
        if run.state == "open" or not why_ended(run):
            open_encoder(sentence_model)
            models.check(run.model, teacher_of(run))
            check_runnable(database, run)
            with held(database, name, take_over=take_over, kind="discover") as hold:
                run = _carry_on(database, hold, run, models, sentence_model)
        standing = discovery_standing(database, run)
    print_table(standing.table, form)
    _tell(run, len(standing.kept), any(fate.approved for fate in standing.fates))


def _with_prompts(database: Database, request: DiscoveryRequest, folder: Path | None) -> DiscoveryRequest:
    """The request with the prompts of the folder; raises InputError."""
    if folder is None:
        return request
    plan = discovery_plan_of(protocols_of(database).named(protocol_of_request(database, request)))
    return replace(request, prompts=read_prompts(plan.prompts, folder))


def _tell(run: Run, kept: int, judged: bool) -> None:
    """Say how the run ended, and how to see more; ``judged`` says whether any rewrite was judged."""
    note(visible(f"{run.name}: {kept:,} kept; finished, because {run.why}."))
    note(visible(f"See: reviewer cases --dataset {run.name}; reviewer candidates {run.name}"))
    if judged:
        note(visible(f"The rewrites are in the dataset {run.name}{REWRITES}."))


def _carry_on(database: Database, hold: RunLock, run: Run, models: ModelOptions, sentence_model: str) -> Run:
    """Do what is left of the run. Whatever ends it before its time, a note says how to resume it."""
    from reviewer.llm.errors import Stopped

    again = f"What was answered is kept. Resume with: reviewer discover {run.name}"
    try:
        with progress_lines(_DiscoveryLines()) as display:
            return asyncio.run(_go(database, hold, run, models, sentence_model, display))
    except Stopped:
        note(f"Stopped. {again}")
        raise click.Abort from None
    except ReviewerError as error:
        note(again)
        raise Unfinished(str(error)) from error


async def _go(
    database: Database,
    hold: RunLock,
    run: Run,
    models: ModelOptions,
    sentence_model: str,
    display: "_DiscoveryLines",
) -> Run:
    from reviewer.runs.discovery.discoverer import Discoverer

    async with models.client(database) as client:
        display.watch(lambda: client.spent)
        stop_on_interrupt(client, display.say)
        embedder = open_embeddings(database, sentence_model)
        return await Discoverer(database, hold, run, client, embedder, display.show).go()


class _DiscoveryLines(ProgressLines):
    """The round, what it has done, and what was spent."""

    _progress: DiscoveryProgress | None = None

    def show(self, progress: DiscoveryProgress) -> None:
        """The run stands so now."""
        self._progress = progress
        self.moved()

    def lines(self) -> list[str]:
        """How far the run is, and what was spent."""
        if self._progress is None:
            return ["Getting ready …"]
        return [self._progress.sentence, *([spent_in_words(self.spent())] if self.spent else [])]


def _show_plan(database: Database, run: Run, models: ModelOptions, form: Format) -> None:
    """The prompts on stderr, filled from the first pair, and the estimate as a table on stdout."""
    from reviewer.runs.generation.cost_estimate import CostEstimate

    discovery = discovery_of(database, run)
    samples = discovery.samples()
    for name, sample in samples.items():
        for message in sample.request.messages:
            note(visible(f"── {name} · {message.role} ──\n{message.content}\n"))
    asked = (run.model, teacher_of(run))
    prices = {model: price for model in asked if (price := models.price(model)) is not None}
    estimate = CostEstimate(samples, discovery.calls(), prices)
    print_table(estimate.table, form)
    unknown = ", ".join(estimate.without_price)
    unpriced = f" No price is known for {unknown}." if unknown else ""
    note(
        "A guess from the lengths of the first pair, if the judge gets as many pairs wrong and up to 5 "
        "candidates come of it, in the last column as many as the setting allows. Tokens are characters / 4, "
        f"without reasoning. A request that was answered before is not sent again.{unpriced}"
    )
