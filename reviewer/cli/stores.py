"""``reviewer store``: what concerns a store as a whole."""

import re
import secrets
from contextlib import closing
from pathlib import Path

import click

from reviewer.cli.options import Format, format_option, note, prepare_server, print_table, store_option
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.table import Table
from reviewer.exchange.packs.working_copy import pack_bytes
from store.clock import instant, now_ms
from store.copying import copy_store
from store.database import Database, is_server, location_for
from store.rater_seats import admission, give_seat, remaining_rights, take_seat_away, user_exists
from store.records import RaterSeat


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
    for location in (source, target):
        prepare_server(location)
    with closing(Database.open(source, must_exist=True)) as old, closing(Database.open(target)) as new:
        copied = copy_store(old, new)
        rows = tuple((table.name, table.rows, table.digest) for table in copied)
        print_table(Table(("table", "rows", "sha256"), rows), form)
        note(f"{new.location} holds what {old.location} held, row by row.")


@store_group.command("check", epilog="Example: reviewer store check")
@click.option(
    "--against",
    metavar="DIGEST",
    help="A digest that a report or an earlier check printed: is all of it there?",
)
@format_option
@store_option
def check_command(against: str | None, form: Format, store: str) -> None:
    """Say in one line whether every verdict is whole, then every fault; the exit code is 2 if there are any.

    Recomputes the digests of events and cases; checks ids, their order, what events refer to, that the
    triggers stand, and the file itself. Reads a copy: nothing is repaired or brought up to date.

    Prints a digest for each study. Reports print the same one, and --against says whether the store still
    holds all that a digest stands for. Making, packing and closing a study, and each report, sign a count of
    what it holds: whatever was deleted or changed since is named. Studies say that they are counted: the
    check reports when the first count, or the count of a closing, is gone. Rows that were deleted from before
    others of the same table are reported too.

    A check cannot show that nobody deleted the newest events, or the newest count together with the events
    after the count before it. It cannot show that nobody with write access to the store rewrote all of it.
    For that, keep a digest elsewhere. Counts do not cover what may change later by design: raters' profiles,
    descriptions of studies, dismissals, and what machines measured and found.
    """
    from reviewer.exchange.packs.backup import checked

    wanted = None if against is None else checked_digest(against)
    found = checked(store)
    click.echo(found.sentence, err=form != "table")
    for study in found.counts:
        click.echo(f"Digest of study {study.study!r}: {study.digest}", err=form != "table")
        click.echo(study.sentence, err=form != "table")
    compared = None if wanted is None else found.compared(wanted)
    if compared is not None:
        click.echo(compared.sentence, err=form != "table")
    if found.faults or form != "table":
        rows = [(fault.study, fault.where, fault.wrong) for fault in found.faults]
        print_table(Table.of(("study", "where", "what is wrong"), rows), form)
    for remark in found.remarks:
        note(remark)
    note(_PROVES)
    if found.faults or not (compared is None or compared.holds):
        click.get_current_context().exit(2)


_PROVES = (
    "What signed counts cover is proved. Not proved: newer events, that no newer count was deleted, and a "
    "store that somebody rewrote as a whole. A digest that you keep elsewhere proves that too: compare it "
    "with --against."
)


def checked_digest(text: str) -> str:
    """A digest as it is printed, blanks and letter case aside; raises RequestError for anything else."""
    digest = text.strip().lower()
    if re.fullmatch("[0-9a-f]{64}", digest) is None:
        raise RequestError("--against takes the 64 hex digits that reports and `store check` print.")
    return digest


@store_group.command("backup", epilog="Example: reviewer store backup -o reviewer-monday.db")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The new file.")
@store_option
def backup_command(output: Path, store: str) -> None:
    """Copy the store as it is at one moment, while people work on it, and check the copy."""
    from reviewer.exchange.packs.backup import back_up_store

    found = back_up_store(store, output)
    click.echo(f"{output}: {output.stat().st_size:,} bytes. {found.sentence}")
    if found.faults:
        note("The store itself is not whole; see `reviewer store check`.")
        click.get_current_context().exit(2)


@store_group.command("grant", epilog="Example: reviewer store grant pilot --rater anna --run")
@click.argument("study")
@click.option("--rater", required=True, help="Who is let in.")
@click.option("--user", default=None, help="The database user; reviewer_NAME by default.")
@click.option("--run", is_flag=True, help="Run the SQL, not only print it; you need the right to make users.")
@click.option("--revoke", is_flag=True, help="Take the rater's access away instead.")
@store_option
def grant_command(study: str, rater: str, user: str | None, run: bool, revoke: bool, store: str) -> None:
    """Let a rater of STUDY into a store on a server as a database user of their own.

    That user can add verdicts of this rater in this study and read them back, and fetch the cases of the
    study; nothing else. Prints the SQL (stdout) that makes the user; with --run, runs it too.
    """
    if not is_server(store):
        raise RequestError(
            "store grant is for a store on a server; for one in a file, give the rater a pack "
            "(`reviewer study pack`) or a link (`reviewer serve`)."
        )
    with closing(Database.open(store, must_exist=True)) as database:
        if revoke:
            _print_sql(take_seat_away(database, study, rater, run=run), run)
        else:
            _grant(database, store, study, rater, user or f"reviewer_{rater}", run)


def _grant(database: Database, store: str, study: str, rater: str, user: str, run: bool) -> None:
    checked_name("database user", user)
    seat = RaterSeat(
        db_user=user,
        study=study,
        rater=rater,
        pack=pack_bytes(database, study, rater),
        granted_at=instant(now_ms()),
    )
    password = None if user_exists(database, user) else secrets.token_urlsafe(18)
    statements = admission(database, user, password, run=run)
    give_seat(database, seat, statements if run else [])
    _print_sql(statements, run)
    if password:
        note(f"The password of {user} is {password}; it is not kept here and not shown again.")
        note(f"{rater} keeps it in a password file (~/.pgpass or PGPASSFILE), or types it when asked.")
    for right in remaining_rights(database):
        note(f"{user} can still: {right}.")
    note(f"{rater} reviews with: reviewer review {study} --rater {rater} --store {location_for(store, user)}")


def _print_sql(statements: list[str], ran: bool) -> None:
    for statement in statements:
        click.echo(f"{statement};")
    note("These statements were run." if ran else "Run these statements as the server's administrator.")
