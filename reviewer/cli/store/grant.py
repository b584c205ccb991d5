"""``reviewer store grant``: a rater let into a store on a server."""

import secrets
from contextlib import closing

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.exchange.packs.working_copy import seat_with_pack
from store.database import Database
from store.location import is_server, location_for
from store.rater_seats import admission, give_seat, remaining_rights, take_seat_away, user_exists


@click.command("grant", epilog="Example: reviewer store grant pilot --rater anna --run")
@click.argument("study")
@click.option("--rater", required=True, help="The rater who gets access.")
@click.option("--user", default=None, help="Name of the database user. Default: reviewer_NAME.")
@click.option("--run", is_flag=True, help="Run the SQL as well. You need the right to create database users.")
@click.option("--revoke", is_flag=True, help="Remove the rater's access instead.")
@store_option
def store_grant_command(
    study: str, rater: str, user: str | None, run: bool, revoke: bool, store: str
) -> None:
    """Give a rater of STUDY their own database user in a store on a server.

    The user can read the cases of the study and add and read this rater's verdicts, but nothing else. The SQL
    that creates the user is printed on stdout; with --run it is also run.
    """
    if not is_server(store):
        raise RequestError(
            "store grant is for a store on a server; for one in a file, give the rater a pack "
            "(`reviewer study pack`) or a link (`reviewer serve`)."
        )
    with closing(open_store(store, must_exist=True)) as database:
        if revoke:
            _print_sql(take_seat_away(database, study, rater, run=run), run)
        else:
            _grant(database, store, study, rater, user or f"reviewer_{rater}", run)


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
    for right in remaining_rights(database):
        note(f"{user} can still: {right}.")
    note(f"{rater} reviews with: reviewer review {study} --rater {rater} --store {location_for(store, user)}")


def _print_sql(statements: list[str], ran: bool) -> None:
    for statement in statements:
        click.echo(f"{statement};")
    note("These statements were run." if ran else "Run these statements as the server's administrator.")
