"""``reviewer study links``: the links of a study."""

from contextlib import closing
from typing import TYPE_CHECKING

from reviewer.cli.options import open_store, print_table
from reviewer.core.table import Table
from reviewer.options.study import StudyLinksOptions
from reviewer.study.design.study_bundle import load_study
from store.links import is_valid, links_of
from store.records import Link

if TYPE_CHECKING:
    pass


def study_links_command(options: StudyLinksOptions) -> None:
    """Carry out ``reviewer study links``."""
    with closing(open_store(options.store, must_exist=True)) as database:
        load_study(database, options.study)
        with database.read() as session:
            links = links_of(session, options.study)
    rows = [(link.rater, _state(link), link.made_at, link.expires_at, link.revoked_at) for link in links]
    print_table(Table.of(("rater", "state", "made_at", "expires_at", "revoked_at"), rows), options.form)


def _state(link: Link) -> str:
    if link.revoked_at is not None:
        return "revoked"
    return "valid" if is_valid(link) else "expired"
