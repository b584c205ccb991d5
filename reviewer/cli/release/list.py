"""``reviewer release list``: the releases that the store made or imported."""

from reviewer.cli.options import note, open_store, print_table
from reviewer.core.table import Table
from reviewer.options.release import ReleaseListOptions
from store.cases import get_dataset, list_datasets
from store.records import Release
from store.releases import releases_of

_COLUMNS = ("dataset", "release", "version", "cases", "origin", "at", "program", "seal")


def release_list_command(options: ReleaseListOptions) -> None:
    """Carry out ``reviewer release list``."""
    with open_store(options.store, must_exist=True).read() as session:
        if options.dataset is not None:
            get_dataset(session, options.dataset)
        names = (
            [listed.name for listed in list_datasets(session)]
            if options.dataset is None
            else [options.dataset]
        )
        releases = releases_of(session, names)
    print_table(Table.of(_COLUMNS, [_row(release) for release in releases]), options.form)
    if not releases:
        note("No releases yet. Example: reviewer release make first --version 1.0 -o first-1.0")


def _row(release: Release) -> tuple[str | int | None, ...]:
    cases = release.content.get("cases")
    counted = len(cases) if isinstance(cases, dict) else None
    return (
        *(release.dataset, release.name, release.version, counted),
        *(release.origin, release.at, release.program, release.seal),
    )
