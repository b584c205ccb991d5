"""``reviewer store copy``: a whole store into an empty one."""

from contextlib import closing

from reviewer.cli.options import note, open_store, prepare_server, print_table
from reviewer.core.table import Table
from reviewer.options.store import StoreCopyOptions
from store.copying import copy_store


def store_copy_command(options: StoreCopyOptions) -> None:
    """Carry out ``reviewer store copy``."""
    for location in (options.source, options.target):
        prepare_server(location)
    with (
        closing(open_store(options.source, must_exist=True)) as old,
        closing(open_store(options.target)) as new,
    ):
        copied = copy_store(old, new)
        rows = tuple((table.name, table.rows, table.digest) for table in copied)
        print_table(Table(("table", "rows", "sha256"), rows), options.form)
        note(f"{new.location} holds what {old.location} held, row by row.")
