"""``reviewer store``: what concerns a store as a whole."""

from contextlib import closing
from pathlib import Path

import click

from reviewer.cli.options import Format, format_option, note, print_table, store_option
from reviewer.core.table import Table
from store.copying import copy_store
from store.database import Database


@click.group("store", epilog="Example: reviewer store copy reviewer.db copy.db")
def store_group() -> None:
    """Copy, check and back up stores, and let raters into a shared one."""


@store_group.command(
    "copy", epilog="Example: reviewer store copy reviewer.db postgresql+psycopg://lead@db.example.org/reviews"
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@format_option
def copy_command(source: str, target: str, form: Format) -> None:
    """Copy a whole store (a file or a server's) into an empty one, checked row by row.

    Prints each table with its rows and the digest that both sides have.
    """
    with closing(Database.open(source, must_exist=True)) as old, closing(Database.open(target)) as new:
        copied = copy_store(old, new)
        rows = tuple((table.name, table.rows, table.digest) for table in copied)
        print_table(Table(("table", "rows", "sha256"), rows), form)
        note(f"{new.location} holds what {old.location} held, row by row.")


@store_group.command("check", epilog="Example: reviewer store check")
@format_option
@store_option
def check_command(form: Format, store: str) -> None:
    """Say in one line whether every verdict is whole, then every fault; the exit code is 2 if there are any.

    Recomputes the digests of events and cases; checks ids, their order, what events refer to, that the
    triggers stand, and the file itself. Reads a copy: nothing is repaired or brought up to date.
    """
    from reviewer.exchange.backup import checked

    found = checked(store)
    click.echo(found.sentence, err=form != "table")
    if found.faults or form != "table":
        rows = [(fault.study, fault.where, fault.wrong) for fault in found.faults]
        print_table(Table.of(("study", "where", "what is wrong"), rows), form)
    if found.faults:
        click.get_current_context().exit(2)


@store_group.command("backup", epilog="Example: reviewer store backup -o reviewer-monday.db")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The new file.")
@store_option
def backup_command(output: Path, store: str) -> None:
    """Copy the store as it is at one moment, while people work on it, and check the copy."""
    from reviewer.exchange.backup import back_up_store

    found = back_up_store(store, output)
    click.echo(f"{output}: {output.stat().st_size:,} bytes. {found.sentence}")
    if found.faults:
        note("The store itself is not whole; see `reviewer store check`.")
        click.get_current_context().exit(2)
