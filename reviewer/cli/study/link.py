"""``reviewer study link``: a secret link for a rater."""

import sys
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.streams import output_is_closed
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.study.design.study_bundle import load_study
from store.database import Database
from store.links import keep_link, new_link, revoke_links

if TYPE_CHECKING:
    pass

DAYS = 30.0


@click.command("link", epilog="Example: reviewer study link pilot --rater anna --days 14")
@click.argument("study")
@click.option("--rater", required=True, help="The rater who gets the link.")
@click.option(
    "--days",
    default=DAYS,
    show_default=True,
    type=click.FloatRange(0, 3650, min_open=True),
    help="Number of days that the link is valid.",
)
@click.option("--revoke", is_flag=True, help="Revoke the rater's links instead of creating one.")
@click.option(
    "--url",
    default="http://127.0.0.1:8000",
    show_default=True,
    help="Address under which raters reach `reviewer serve`.",
)
@store_option
def study_link_command(study: str, rater: str, days: float, revoke: bool, url: str, store: str) -> None:
    """Create a secret link for one rater of STUDY. The link is shown only once.

    With --revoke, the rater's links are revoked instead."""
    with closing(open_store(store, must_exist=True)) as database:
        known = [assignment.rater for assignment in load_study(database, study).raters]
        if rater not in known:
            raise RequestError(
                f"rater {rater!r} is not in study {study!r}, whose raters are {', '.join(known)}."
            )
        if revoke:
            note(f"{counted(revoke_links(database, study, rater), 'link')} of {rater} revoked.")
        else:
            print_new_link(database, study, rater, days, checked_address("--url", url))


def checked_address(option: str, url: str) -> str:
    """A web address without a slash at its end; raises RequestError for anything else."""
    try:
        parts = urlsplit(url)
        right = parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable()
    except ValueError:  # brackets that hold no address
        right = False
    if not right:
        raise RequestError(f"{option} {url!r} is not a web address; give one like https://example.org.")
    return url.rstrip("/")


def print_new_link(database: Database, study: str, rater: str, days: float, base: str) -> None:
    """Shown, then kept: a link that nobody could read opens nothing."""
    if output_is_closed():
        raise RequestError("the output is closed, and a link is shown only there; no link was made.")
    secret, link = new_link(study, rater, days)
    click.echo(f"{rater}: {base}/r/{secret}/")
    sys.stdout.flush()
    keep_link(database, link)
    note(f"Give this link to {rater} alone. It is valid until {link.expires_at[:10]} and is not shown again.")
