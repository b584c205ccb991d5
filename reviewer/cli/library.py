"""``reviewer library``: the entries of a library with their evidence, and the changed items of one."""

from contextlib import closing

import click

from reviewer.cli.options import open_store, store_option
from reviewer.cli.result_options import (
    Printed,
    ResultFormat,
    digits_option,
    print_tables,
    result_format_option,
)
from reviewer.cli.viewer import check_outcomes
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.protocols.registry import protocols_of
from reviewer.results.tables.library_tables import CHANGED_ITEMS, ENTRIES
from reviewer.runs.library import Library, changed_items, read_library
from store.database import Database


@click.command("library", epilog="Example: reviewer library known --format csv")
@click.argument("dataset")
@click.option("--entry", metavar="NAME", help="List the items that were changed by this entry.")
@digits_option
@result_format_option
@store_option
def library_command(dataset: str, entry: str | None, digits: int, form: ResultFormat, store: str) -> None:
    """Show the entries of a library with their evidence, origin and merges.

    DATASET holds entries that were imported or that a discovery run found. The error is the share of items
    that a judge misjudges. It is shown before and after the entry changed the items, with Wilson's interval.
    `reviewer show` shows one changed item with all its texts.
    """
    with closing(open_store(store, must_exist=True)) as database:
        check_outcomes(database, [dataset])
        library = read_library(database, protocols_of(database), dataset)
        printed = _items(database, library, entry, digits) if entry else _entries(library, digits)
    print_tables(form, printed, dataset)


def _entries(library: Library, digits: int) -> Printed:
    rows = [row for entry in library.entries for row in entry.rows]
    shown = ENTRIES.for_people(rows, digits)
    bare = sum(not entry.record.evidence for entry in library.entries)
    remarks = [
        f"{entry.name}: {', '.join(entry.unread)} cannot be read and was left out."
        for entry in library.entries
        if entry.unread
    ]
    if bare:
        remarks.append(f"{bare:,} {agreeing(bare, 'entry has', 'entries have')} no evidence.")
    caption = f"Library {library.dataset}"
    return Printed(
        ENTRIES.for_programs(rows),
        shown,
        [shown],
        [ENTRIES.legend(rows)],
        caption,
        remarks,
        keys=ENTRIES.keys,
    )


def _items(database: Database, library: Library, name: str, digits: int) -> Printed:
    entry = library.entry(name)
    items = changed_items(database, library, entry)
    shown = CHANGED_ITEMS.for_people(items, digits)
    notes = [f"{one_line(entry.name)}: {counted(len(items), 'changed item')}."]
    return Printed(
        CHANGED_ITEMS.for_programs(items), shown, [shown], notes, entry.name, keys=CHANGED_ITEMS.keys
    )
