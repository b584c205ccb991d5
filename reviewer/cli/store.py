"""``reviewer store``: what concerns a store as a whole."""

import re
import secrets

import click

from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store, prepare_server, protocols_here
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import visible
from reviewer.core.table import Table
from reviewer.exchange.packs.workspace import seat_with_pack
from reviewer.options.store import StoreBackupOptions, StoreCheckOptions, StoreCopyOptions, StoreGrantOptions
from reviewer.study.integrity.uncovered import uncovered_words
from store.copying import copy_store
from store.database import Database
from store.database_users import admission, give_seat, remaining_rights, take_seat_away, user_exists
from store.location import file_of, is_server, location_for


def store_backup_command(options: StoreBackupOptions) -> None:
    """``reviewer store backup``: the store as it is at one moment."""
    from reviewer.exchange.packs.store_files import back_up_store

    check = back_up_store(options.store, options.output, protocols_here())
    click.echo(f"{options.output}: {options.output.stat().st_size:,} bytes. {visible(check.sentence)}")
    if check.faults:
        note("The store itself is not whole; see `reviewer store check`.")
        click.get_current_context().exit(2)


def store_check_command(options: StoreCheckOptions) -> None:
    """``reviewer store check``: whether every verdict is whole."""
    from reviewer.exchange.packs.store_files import checked

    wanted = None if options.against is None else checked_digest(options.against)
    check = checked(options.store, protocols_here())
    click.echo(visible(check.sentence), err=options.form != "table")
    for study in check.counts:
        click.echo(f"Digest of study {study.study!r}: {study.digest}", err=options.form != "table")
        click.echo(visible(study.sentence), err=options.form != "table")
    compared = None if wanted is None else check.compared(wanted)
    if compared is not None:
        click.echo(visible(compared.sentence), err=options.form != "table")
    if check.faults or options.form != "table":
        rows = [(fault.study, fault.where, fault.wrong) for fault in check.faults]
        print_table(Table.of(("study", "where", "what is wrong"), rows), options.form)
    note(*check.remarks)
    note(_PROVES)
    note(f"Not checked: {uncovered_words()}.{_NEW_INDEX if file_of(options.store) is not None else ''}")
    if check.faults or not (compared is None or compared.holds):
        click.get_current_context().exit(2)


_PROVES = (
    "Signed counts prove that what they cover is still there, unchanged. They do not prove this of newer "
    "events and counts, nor that nobody rewrote the whole store. A digest that you keep elsewhere does: give "
    "it with --against."
)

_NEW_INDEX = " If a search misses cases, `reviewer store copy` writes a store with a new index."
"""A server searches the texts themselves."""


def checked_digest(text: str) -> str:
    """A digest as it is printed, blanks and letter case aside; raises RequestError for anything else."""
    digest = text.strip().lower()
    if re.fullmatch("[0-9a-f]{64}", digest) is None:
        raise RequestError("--against takes the 64 hex digits that reports and `store check` print.")
    return digest


def store_copy_command(options: StoreCopyOptions) -> None:
    """``reviewer store copy``: a whole store into an empty one."""
    for location in (options.source, options.target):
        prepare_server(location)
    old, new = open_store(options.source), open_store(options.target, create=True)
    copied = copy_store(old, new)
    rows = tuple((table.name, table.rows, table.digest) for table in copied)
    print_table(Table(("table", "rows", "sha256"), rows), options.form)
    note(f"{new.location} holds what {old.location} held, row by row.")


def store_grant_command(options: StoreGrantOptions) -> None:
    """``reviewer store grant``: a rater let into a store on a server."""
    if not is_server(options.store):
        raise RequestError(
            "store grant is for a store on a server; for one in a file, give the rater a pack "
            "(`reviewer study pack`) or a link (`reviewer serve`)."
        )
    database = open_store(options.store)
    if options.revoke:
        _print_sql(take_seat_away(database, options.study, options.rater, run=options.run), options.run)
    else:
        _grant(
            database,
            options.store,
            options.study,
            options.rater,
            options.user or f"reviewer_{options.rater}",
            options.run,
        )


def _grant(database: Database, store: str, study: str, rater: str, user: str, run: bool) -> None:
    checked_name("database user", user)
    seat = seat_with_pack(database, study, rater, user)
    password = None if user_exists(database, user) else secrets.token_urlsafe(18)
    statements = admission(database, user, password, run=run)
    give_seat(database, seat, statements if run else [])
    _print_sql(statements, run)
    if password:
        note(f"The password of {user} is {password}; it is not kept here and not shown again.")
        note(f"{rater} keeps it in a password file (~/.pgpass or PGPASSFILE), or types it when asked.")
    note(*(f"{user} can still: {right}." for right in remaining_rights(database)))
    note(f"{rater} reviews with: reviewer review {study} --rater {rater} --store {location_for(store, user)}")


def _print_sql(statements: list[str], ran: bool) -> None:
    for statement in statements:
        click.echo(f"{statement};")
    note("These statements were run." if ran else "Run these statements as the server's administrator.")
