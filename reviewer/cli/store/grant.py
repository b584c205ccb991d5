"""``reviewer store grant``: a rater let into a store on a server."""

import secrets
from contextlib import closing

import click

from reviewer.cli.options import note, open_store
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.exchange.packs.working_copy import seat_with_pack
from reviewer.options.store import StoreGrantOptions
from store.database import Database
from store.location import is_server, location_for
from store.rater_seats import admission, give_seat, remaining_rights, take_seat_away, user_exists


def store_grant_command(options: StoreGrantOptions) -> None:
    """Carry out ``reviewer store grant``."""
    if not is_server(options.store):
        raise RequestError(
            "store grant is for a store on a server; for one in a file, give the rater a pack "
            "(`reviewer study pack`) or a link (`reviewer serve`)."
        )
    with closing(open_store(options.store, must_exist=True)) as database:
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
    for right in remaining_rights(database):
        note(f"{user} can still: {right}.")
    note(f"{rater} reviews with: reviewer review {study} --rater {rater} --store {location_for(store, user)}")


def _print_sql(statements: list[str], ran: bool) -> None:
    for statement in statements:
        click.echo(f"{statement};")
    note("These statements were run." if ran else "Run these statements as the server's administrator.")
