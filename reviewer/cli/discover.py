"""``reviewer discover``: biases of a judge are discovered and validated; a stopped run resumes."""

from contextlib import closing

from reviewer.cli.carry_on import run_to_end
from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store
from reviewer.options.discover import DiscoverOptions
from reviewer.runs.discovery.discovery_setup import REWRITES, prepared_discovery
from reviewer.runs.run_setup import RunRequest


def discover_command(options: DiscoverOptions) -> None:
    """Carry out ``reviewer discover``."""
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
    with closing(open_store(options.store, must_exist=True)) as database:
        progress = run_to_end(prepared_discovery(database, request), options, options.sentence_model)
    if progress is not None:
        print_table(progress.table, options.form)
        note(f"{options.name}: {progress.sentence} {progress.ended}")
        note(f"See: reviewer cases --dataset {options.name}; reviewer candidates {options.name}")
        if any(row[4] == "yes" for row in progress.table.rows):
            note(f"The rewrites are in the dataset {options.name}{REWRITES}.")
