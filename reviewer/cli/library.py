"""``reviewer library``: the entries of a library with their evidence, and the changed items of one."""

from contextlib import closing

from reviewer.cli.options import open_store
from reviewer.cli.result_options import (
    Printed,
    print_tables,
)
from reviewer.cli.viewer import check_outcomes
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.options.library import LibraryOptions
from reviewer.protocols.registry import protocols_of
from reviewer.results.tables.library_tables import CHANGED_ITEMS, ENTRIES
from reviewer.runs.library import Library, changed_items, read_library
from store.database import Database


def library_command(options: LibraryOptions) -> None:
    """Carry out ``reviewer library``."""
    with closing(open_store(options.store, must_exist=True)) as database:
        check_outcomes(database, [options.dataset])
        library = read_library(database, protocols_of(database), options.dataset)
        printed = (
            _items(database, library, options.entry, options.digits)
            if options.entry
            else _entries(library, options.digits)
        )
    print_tables(options.form, printed, options.dataset)


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
