"""``reviewer discover``: biases of a judge are discovered and validated; a stopped run resumes."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.cli.carry_on import carry_on
from reviewer.cli.embedding import open_embeddings
from reviewer.cli.options import (
    note,
    open_store,
    print_table,
)
from reviewer.cli.progress_lines import ProgressLines
from reviewer.core.sanitize import visible
from reviewer.options.discover import DiscoverOptions
from reviewer.options.model_options import ModelOptions
from reviewer.options.shared import Format
from reviewer.protocols.registry import protocols_of
from reviewer.runs.discovery.discovery_progress import DiscoveryProgress, discovery_standing, why_ended
from reviewer.runs.discovery.discovery_setup import (
    REWRITES,
    TEACHER,
    DiscoveryRequest,
    check_runnable,
    discovery_of,
    discovery_plan_of,
    left_out,
    open_discovery,
    protocol_of_request,
)
from reviewer.runs.prompt_files import read_prompts
from reviewer.similarity.encoder import open_encoder
from store.database import Database
from store.records import Run, RunLock
from store.run_lock import held

if TYPE_CHECKING:
    from reviewer.llm.client import ModelClient


def discover_command(options: DiscoverOptions) -> None:
    """Carry out ``reviewer discover``."""
    settings, source = options.setting.read()
    request = DiscoveryRequest(
        options.name,
        options.library,
        options.pairs,
        options.validation,
        options.judge,
        options.teacher,
        options.seed,
        settings,
        source,
    )
    with closing(open_store(options.store, must_exist=True)) as database:
        run = open_discovery(database, _with_prompts(database, request, options.folder))
        if words := left_out(run):
            note(visible(words))
        if options.dry_run:
            _show_plan(database, run, options.models, options.form)
            return
        if run.state == "open" or not why_ended(run):
            open_encoder(options.sentence_model)
            options.models.check(run.model, run.roles[TEACHER])
            check_runnable(database, run)
            with held(database, options.name, take_over=options.take_over, kind="discover") as hold:
                run = _carry_on(database, hold, run, options.models, options.sentence_model)
        standing = discovery_standing(database, run)
    print_table(standing.table, options.form)
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
    """Do what is left of the run."""
    from reviewer.runs.discovery.discoverer import Discoverer

    lines = _DiscoveryLines()

    async def work(client: "ModelClient") -> Run:
        embedder = open_embeddings(database, sentence_model)
        return await Discoverer(database, hold, run, client, embedder, lines.show).go()

    return carry_on(database, models, work, f"Resume with: {run.command}", lines)


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
        return [self._progress.sentence, *self.spent_words()]


def _show_plan(database: Database, run: Run, models: ModelOptions, form: Format) -> None:
    """The prompts on stderr, filled from the first pair, and the estimate as a table on stdout."""
    from reviewer.runs.generation.cost_estimate import CostEstimate

    discovery = discovery_of(database, run)
    samples = discovery.samples()
    for name, sample in samples.items():
        for message in sample.request.messages:
            note(visible(f"── {name} · {message.role} ──\n{message.content}\n"))
    asked = (run.model, run.roles[TEACHER])
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
