"""``import``: a published dataset or a seed corpus into the store."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path

import click

from reviewer.cli.options import note, store_option
from reviewer.core.plaintext import visible
from reviewer.exchange.reading import DEFAULT_PROTOCOL, check_source, store_source
from store.cases import Progress
from store.database import Database

_WORTH_A_BAR = 300


@click.command(
    "import",
    epilog="Example: reviewer import gpt-4o-mini.json --dataset gpt-4o-mini",
)
@click.argument("path", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@click.option("--dataset", required=True, metavar="NAME", help="The dataset to make, or to bring up to date.")
@click.option(
    "--generator",
    metavar="NAME",
    help="Who wrote the generated cases; by default the file's name without its ending.",
)
@click.option("--protocol", default=DEFAULT_PROTOCOL, show_default=True, help="The benchmark's rules.")
@click.option("--skip-invalid", is_flag=True, help="Import what is valid, and say what was left out.")
@click.option("--replace", is_flag=True, help="Let cases take the places of another generator's.")
@store_option
def import_command(
    path: Path,
    dataset: str,
    generator: str | None,
    protocol: str,
    skip_invalid: bool,
    replace: bool,
    store: str,
) -> None:
    """Import a dataset from a JSON file, or a seed corpus from a folder.

    Everything is checked before anything is written. Importing the same again changes nothing; where a place
    has other content now, verdicts on the old content are kept and marked stale.
    """
    source = check_source(path, dataset, generator, protocol=protocol, skip_invalid=skip_invalid)
    for notice in source.incoming.notices:
        note(visible(f"Note: {notice}."))
    for problem in source.incoming.problems:
        note(visible(f"Skipped: {problem.where}: {problem.wrong}."))
    with closing(Database.open(store)) as database, _progress_bar() as progress:
        report = store_source(database, source, progress, replace=replace)
    click.echo(visible(report.sentence))


@contextmanager
def _progress_bar() -> Iterator[Progress | None]:
    """A bar on stderr, for a person and for enough cases to be worth one."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        # Opened at the first step, for only then it is known how many cases are new.
        bar = cache(
            lambda total: stack.enter_context(
                click.progressbar(length=total, label="Storing", file=sys.stderr)
            )
        )

        def advance(done: int, total: int) -> None:
            if total > _WORTH_A_BAR:
                bar(total).update(done - bar(total).pos)

        yield advance
