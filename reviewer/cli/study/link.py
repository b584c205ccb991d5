"""``reviewer study link``: a secret link for a rater."""

import sys
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from reviewer.cli.options import note, open_store
from reviewer.cli.streams import output_is_closed
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.options.study import StudyLinkOptions
from reviewer.study.design.study_bundle import load_study
from store.database import Database
from store.links import keep_link, new_link, revoke_links

if TYPE_CHECKING:
    pass

DAYS = 30.0


def study_link_command(options: StudyLinkOptions) -> None:
    """Carry out ``reviewer study link``."""
    with closing(open_store(options.store, must_exist=True)) as database:
        known = [assignment.rater for assignment in load_study(database, options.study).raters]
        if options.rater not in known:
            raise RequestError(
                f"rater {options.rater!r} is not in study {options.study!r}, "
                f"whose raters are {', '.join(known)}."
            )
        if options.revoke:
            note(
                f"{counted(revoke_links(database, options.study, options.rater), 'link')} of "
                f"{options.rater} revoked."
            )
        else:
            print_new_link(
                database, options.study, options.rater, options.days, checked_address("--url", options.url)
            )


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
