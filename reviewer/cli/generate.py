"""``reviewer generate``: a dataset grown from seeds with a language model; a stopped run resumes."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from reviewer.cli.carry_on import carry_on
from reviewer.cli.embedding import open_embeddings
from reviewer.cli.generation_progress import GenerationLines, standing_table
from reviewer.cli.options import (
    is_new_store,
    note,
    open_store,
    print_table,
    protocols_here,
)
from reviewer.cli.without_jail import ask_without_jail
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import visible
from reviewer.exchange.rows.shipped_seeds import SHIPPED, ensure_seeds, protocol_of_seeds
from reviewer.options.generate import GenerateOptions
from reviewer.options.model_options import ModelOptions
from reviewer.options.shared import Format
from reviewer.similarity.encoder import open_encoder
from store.database import Database
from store.records import Run, RunLock
from store.run_lock import held

if TYPE_CHECKING:
    from reviewer.llm.client import ModelClient
    from reviewer.runs.generation.run_progress import RunProgress
    from reviewer.runs.generation.run_setup import RunRequest


def generate_command(options: GenerateOptions) -> None:
    """Carry out ``reviewer generate``."""
    settings, source = options.setting.read()
    from reviewer.runs.generation.progress_text import sentence_of
    from reviewer.runs.generation.run_setup import RunRequest, changed_by_release, open_run

    own = {"target": options.target, "order": options.order, "strict": options.strict or None}
    said = settings | {key: value for key, value in own.items() if value is not None}
    request = RunRequest(
        options.name,
        options.seeds,
        options.model,
        options.protocol,
        options.groups or None,
        options.seed,
        said,
        source,
    )
    needed = (
        None
        if options.dry_run
        else partial(_need_tools, options.models, options.model, options.sentence_model, options.accepted)
    )
    with _store_with_seeds(options.store, request, options.folder, needed) as (database, request):
        run = open_run(database, request)
        if options.dry_run:
            _show_plan(database, run, options.models, options.form)
            return
        for sentence in changed_by_release(database, run):
            note(visible(sentence))
        with held(database, options.name, take_over=options.take_over) as hold:
            standing = _carry_on(database, hold, run, options.models, options.sentence_model)
    print_table(standing_table(standing), options.form)
    note(visible(f"{sentence_of(standing)} See: reviewer funnel {options.name}"))


def _with_prompts(request: "RunRequest", folder: Path | None, protocol: str) -> "RunRequest":
    """The request with the prompts of the folder; raises InputError."""
    from reviewer.runs.generation.run_setup import plan_of
    from reviewer.runs.prompt_files import read_prompts

    plan = plan_of(protocols_here().named(protocol))
    return replace(request, prompts=read_prompts(plan.prompts, folder)) if folder else request


def _need_tools(
    models: ModelOptions, model: str | None, sentence_model: str, accepted: bool, protocol: str
) -> None:
    """Raise ReviewerError if a tool of the run is missing; asks before programs run without a jail."""
    from reviewer.runs.generation.run_setup import plan_of

    plan = plan_of(protocols_here().named(protocol))
    if plan.runs_programs:
        from reviewer.oracle import pool

        ask_without_jail(accepted, "Run the programs that the model writes?")
        pool.calibration()
    if plan.compares_texts:
        open_encoder(sentence_model)
    models.check(*filter(None, (model,)))


@contextmanager
def _store_with_seeds(
    location: str,
    request: "RunRequest",
    prompts: Path | None,
    need_tools: Callable[[str], None] | None,
) -> Iterator[tuple[Database, "RunRequest"]]:
    """The store with the seeds in it, and the request with its prompts, once nothing can refuse it any more.

    A dry run needs no tools. It leaves no new store, and neither does a request that is refused: both get an
    empty one that is thrown away.
    """
    from reviewer.runs.generation.run_setup import check_request, plan_of
    from store.database import Database

    with ExitStack() as stack:
        no_store_yet = is_new_store(location)
        if no_store_yet and request.seeds != SHIPPED:
            raise RequestError(f"dataset {request.seeds!r} is not in the store; see `reviewer datasets`.")
        scratch = Path(stack.enter_context(TemporaryDirectory())) / "empty.db" if no_store_yet else location
        # The empty one is opened without a word: people never see it.
        opened = (
            Database.open(str(scratch), protocols=protocols_here()) if no_store_yet else open_store(location)
        )
        database = stack.enter_context(closing(opened))
        shipped = protocol_of_seeds(protocols_here()).name if request.seeds == SHIPPED else None
        protocol, is_new_run = check_request(database, request, shipped)
        request = _with_prompts(request, prompts, protocol)
        if need_tools:
            need_tools(protocol)
            if no_store_yet:
                database = stack.enter_context(closing(open_store(location)))
        if is_new_run and plan_of(protocols_here().named(protocol)).groups is None:
            ensure_seeds(database, request.seeds)
        yield database, request


def _carry_on(
    database: Database, hold: RunLock, run: Run, models: ModelOptions, sentence_model: str
) -> "RunProgress":
    """Do what is left of the run."""
    from reviewer.runs.generation.generator import Generator
    from reviewer.runs.generation.run_setup import generation_of, plan_of

    generation, lines = generation_of(database, run), GenerationLines()
    compares = plan_of(protocols_here().named(run.protocol)).compares_texts

    async def work(client: "ModelClient") -> "RunProgress":
        embeddings = open_embeddings(database, sentence_model) if compares else None
        generator = Generator(database, hold, run, generation, client, embeddings, executor, lines.show)
        await generator.go()
        return generator.run_progress

    with _executor_for(run) as executor:
        return carry_on(database, models, work, f"Resume with: {run.command}", lines)


@contextmanager
def _executor_for(run: Run) -> Iterator[Executor | None]:
    """Where the run's programs run; None for a protocol without programs."""
    from reviewer.runs.generation.run_setup import plan_of

    if not plan_of(protocols_here().named(run.protocol)).runs_programs:
        yield None
        return
    from reviewer.oracle import pool

    with pool.open_executor() as executor:
        yield executor


def _show_plan(database: Database, run: Run, models: ModelOptions, form: Format) -> None:
    """The prompts on stderr, filled from a seed, and the estimate as a table on stdout."""
    from reviewer.runs.generation.cost_estimate import cost_estimate
    from reviewer.runs.generation.run_setup import generation_of, plan_of

    generation, groups = generation_of(database, run), list(run.seeds)
    published = next(
        (counts for counts in plan_of(protocols_here().named(run.protocol)).published if counts.valid), None
    )
    estimate = cost_estimate(generation, groups, published, models.price(run.model))
    for name, sample in estimate.samples.items():
        for message in sample.request.messages:
            note(visible(f"── {name} · {message.role} ──\n{message.content}\n"))
    print_table(estimate.table, form)
    as_published = f", and where filters discard as published for {published.name}" if published else ""
    note(
        f"For {generation.settings.target} valid cases of each of {len(groups)} groups. A guess: where every "
        f"candidate is valid{as_published}; tokens are characters / 4, without reasoning."
        + (" No price is known for the model." if estimate.without_price else "")
    )
