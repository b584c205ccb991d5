"""``reviewer study links``: the links of a study."""

from contextlib import closing
from typing import TYPE_CHECKING

import click

from reviewer.cli.options import format_option, open_store, print_table, store_option
from reviewer.core.table import Table
from reviewer.options.shared import Format
from reviewer.study.design.study_bundle import load_study
from store.links import is_valid, links_of
from store.records import Link

if TYPE_CHECKING:
    pass


@click.command("links", epilog="Example: reviewer study links pilot")
@click.argument("study")
@format_option
@store_option
def study_links_command(study: str, form: Format, store: str) -> None:
    """List the links of STUDY. The secrets themselves are not kept."""
    with closing(open_store(store, must_exist=True)) as database:
        load_study(database, study)
        with database.read() as session:
            links = links_of(session, study)
    rows = [(link.rater, _state(link), link.made_at, link.expires_at, link.revoked_at) for link in links]
    print_table(Table.of(("rater", "state", "made_at", "expires_at", "revoked_at"), rows), form)


def _state(link: Link) -> str:
    if link.revoked_at is not None:
        return "revoked"
    return "valid" if is_valid(link) else "expired"
