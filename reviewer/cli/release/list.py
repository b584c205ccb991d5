"""``reviewer release list``: the releases that the store made or imported."""

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.core.table import Table
from reviewer.options.shared import Format
from store.cases import get_dataset, list_datasets
from store.records import Release
from store.releases import releases_of

_COLUMNS = ("dataset", "release", "version", "cases", "origin", "at", "program", "seal")


@click.command("list", epilog="Example: reviewer release list first")
@click.argument("dataset", metavar="[DATASET]", required=False)
@format_option
@store_option
def release_list_command(dataset: str | None, form: Format, store: str) -> None:
    """List the releases that were made here, and those that datasets were imported from, oldest first.

    To be sure who made a release, compare its seal by eye with the one that its makers published elsewhere.
    """
    with open_store(store, must_exist=True).read() as session:
        if dataset is not None:
            get_dataset(session, dataset)
        names = [listed.name for listed in list_datasets(session)] if dataset is None else [dataset]
        releases = releases_of(session, names)
    print_table(Table.of(_COLUMNS, [_row(release) for release in releases]), form)
    if not releases:
        note("No releases yet. Example: reviewer release make first --version 1.0 -o first-1.0")


def _row(release: Release) -> tuple[str | int | None, ...]:
    cases = release.content.get("cases")
    counted = len(cases) if isinstance(cases, dict) else None
    return (
        *(release.dataset, release.name, release.version, counted),
        *(release.origin, release.at, release.program, release.seal),
    )
