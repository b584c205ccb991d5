"""What the commands share that change the content of cases: options, and who may."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from reviewer.cli.options import note, open_store
from reviewer.runs.repair.revise import read_place
from reviewer.runs.repair.revision_tables import SHORT_ID
from reviewer.study.session.content_rights import check_may_change
from store.database import Database
from store.records import Revision
from store.revisions import PlaceNow
from store.studies import open_studies_with


@contextmanager
def place_for_change(store: str, dataset: str, key: str, author: str) -> Iterator[tuple[Database, PlaceNow]]:
    """The store and the place, if this author may change it; raises RequestError."""
    with closing(open_store(store, must_exist=True)) as database:
        check_may_change(database, dataset, author)
        yield database, read_place(database, dataset, key)


def tell_revision(database: Database, revision: Revision, what: str) -> None:
    """Say what was done, and which open studies show the old content."""
    note(f"{revision.dataset}: {revision.key} {what} (revision {revision.id[:SHORT_ID]}).")
    with database.read() as session:
        studies = open_studies_with(session, revision.dataset, revision.case_before)
    for study in studies:
        if revision.case_after is None:
            said = "its sample stays as it is"
        else:
            said = "its raters still see the old content, and verdicts on it are stale"
        note(f"Note: the case is in study {study}, which is open; {said}.")
