"""``reviewer generate`` and ``discover``: cases from seeds, biases of a judge; a stopped run resumes."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

from reviewer.cli.carry_on import need_tools, run_to_end
from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import is_new_store, open_store, protocols_here
from reviewer.core.errors import RequestError
from reviewer.core.whole_files import temporary_folder
from reviewer.exchange.rows.shipped import SHIPPED, ensure_seeds, protocol_of_seeds
from reviewer.options.generate import DiscoverOptions, GenerateOptions
from reviewer.protocols.generation import GenerationPlan
from reviewer.runs.generation.generation_setup import SEEDS, check_request, prepared_generation
from reviewer.runs.run_setup import RunRequest
from store.database import Database


def generate_command(options: GenerateOptions) -> None:
    """Carry out ``reviewer generate``."""
    settings, source = options.setting.read()
    own = {"target": options.target, "order": options.order, "strict": options.strict or None}
    said = settings | {key: value for key, value in own.items() if value is not None}
    request = RunRequest(
        options.name,
        {SEEDS: options.seeds},
        {"": options.model},
        options.protocol,
        options.groups or None,
        options.seed,
        said,
        source,
        options.folder,
    )
    with _store_with_seeds(options, request) as database:
        progress = run_to_end(
            prepared_generation(database, request), options, options.sentence_model, checked=True
        )
    if progress is not None:
        print_table(progress.table, options.form)
        note(f"{progress.sentence} See: reviewer funnel {options.name}")


def _plan_of(protocol: str) -> GenerationPlan:
    return protocols_here().named(protocol).procedure(GenerationPlan)


@contextmanager
def _store_with_seeds(options: GenerateOptions, request: RunRequest) -> Iterator[Database]:
    """The store with the seeds in it, once nothing can refuse the request any more.

    A dry run needs no tools. It leaves no new store, and neither does a request that is refused: both get an
    empty one that is thrown away.
    """
    location = options.store
    with ExitStack() as stack:
        no_store_yet = is_new_store(location)
        seeds = str(request.datasets[SEEDS])
        if no_store_yet and seeds != SHIPPED:
            raise RequestError(f"dataset {seeds!r} is not in the store; see `reviewer datasets`.")
        if no_store_yet:  # the empty one is opened without a word: people never see it
            scratch = stack.enter_context(temporary_folder("an empty store")) / "empty.db"
            database = stack.enter_context(closing(Database.open(str(scratch), protocols=protocols_here())))
        else:
            database = open_store(location)
        shipped = protocol_of_seeds(protocols_here()).name if seeds == SHIPPED else None
        protocol, is_new_run = check_request(database, request, shipped)
        if not options.dry_run:
            need_tools(_plan_of(protocol), options)
            if no_store_yet:
                database = open_store(location, create=True)
        if is_new_run and _plan_of(protocol).groups is None:
            ensure_seeds(database, seeds)
        yield database


def discover_command(options: DiscoverOptions) -> None:
    """Carry out ``reviewer discover``."""
    from reviewer.runs.discovery.discovery_setup import REWRITES, prepared_discovery

    settings, source = options.setting.read()
    request = RunRequest(
        options.name,
        {"library": options.library, "pairs": options.pairs, "validation": options.validation},
        {"judge": options.judge, "teacher": options.teacher},
        seed=options.seed,
        settings=settings,
        source=source,
        folder=options.folder,
    )
    database = open_store(options.store)
    progress = run_to_end(prepared_discovery(database, request), options, options.sentence_model)
    if progress is not None:
        print_table(progress.table, options.form)
        note(f"{options.name}: {progress.sentence} {progress.ended}")
        note(f"See: reviewer cases --dataset {options.name}; reviewer candidates {options.name}")
        if any(row[4] == "yes" for row in progress.table.rows):
            note(f"The rewrites are in the dataset {options.name}{REWRITES}.")
