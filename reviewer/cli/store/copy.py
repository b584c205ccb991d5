"""``reviewer store copy``: a whole store into an empty one."""

from contextlib import closing

import click

from reviewer.cli.options import format_option, note, open_store, prepare_server, print_table
from reviewer.core.table import Table
from reviewer.options.shared import Format
from store.copying import copy_store


@click.command(
    "copy", epilog="Example: reviewer store copy reviewer.db postgresql+psycopg://lead@db.example.org/reviews"
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@format_option
def store_copy_command(source: str, target: str, form: Format) -> None:
    """Copy a whole store (a file or a database on a server) into an empty one, and compare all rows.

    It prints each table with its number of rows and the digest that both sides have.
    """
    for location in (source, target):
        prepare_server(location)
    with closing(open_store(source, must_exist=True)) as old, closing(open_store(target)) as new:
        copied = copy_store(old, new)
        rows = tuple((table.name, table.rows, table.digest) for table in copied)
        print_table(Table(("table", "rows", "sha256"), rows), form)
        note(f"{new.location} holds what {old.location} held, row by row.")
