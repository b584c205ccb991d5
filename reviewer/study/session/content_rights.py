"""Decides who may change the content of cases: repair, withdraw, revert, import over revisions.

No other module decides this. Every front end asks here before it opens an editor and before it saves.
"""

import os

from reviewer.core.errors import RequestError
from reviewer.study.session.blinding import Influence, why_not_influence
from reviewer.study.session.rater_progress import study_progress
from store.database import Database
from store.database_users import has_seat
from store.location import file_of
from store.sqlite import is_single_file

_BROWSER = "TEXTUAL_DRIVER"
"""Set in the processes of browser windows."""


def why_not_change(
    database: Database, dataset: str, person: str | None, *, in_browser: bool = False
) -> str | None:
    """A sentence on why this person may not change cases of the dataset; None if they may.

    ``person`` is None while nobody has given a name yet; then only the place of work is judged.
    """
    if in_browser or os.environ.get(_BROWSER):
        return "A browser window serves one rater; change cases on the machine of the store."
    if (path := file_of(database.opened_with)) and is_single_file(path):
        return "This file is a pack, and its cases are sealed; change cases in the store that it was made in."
    if database.on_server and _is_rater_user(database):
        return "Your database user is a rater; only the owner of the store can change cases."
    return person and why_not_influence(database, study_progress(database), person, dataset, Influence.REPAIR)


def check_may_change(database: Database, dataset: str, person: str | None) -> None:
    """Raise RequestError with the sentence of ``why_not_change`` if there is one."""
    if reason := why_not_change(database, dataset, person):
        raise RequestError(reason[0].lower() + reason[1:])


def _is_rater_user(database: Database) -> bool:
    with database.read() as session:
        return has_seat(session)
