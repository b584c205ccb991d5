"""Findings that somebody looked at and dismissed: kept beside what was found, which stays as it is."""

from sqlalchemy import and_, delete
from sqlmodel import col

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import is_blank, too_long
from store.clock import instant, now_ms
from store.database import Database
from store.records import Dismissal, Finding
from store.tables import DismissalRow, FindingRow
from store.upsert import upsert

DISMISSED = and_(
    col(DismissalRow.case) == col(FindingRow.case),
    col(DismissalRow.check) == col(FindingRow.check),
    col(DismissalRow.check_version) == col(FindingRow.check_version),
)
"""Joins a finding with its dismissal."""


def dismiss(database: Database, finding: Finding, who: str, why: str) -> Dismissal:
    """Say why a finding is nothing; raises RequestError without a reason. A later reason takes its place."""
    if is_blank(why):
        raise RequestError("a finding is dismissed with a reason; say in a few words why it is nothing.")
    if long := too_long(why.strip()):
        raise RequestError(f"the reason has {long}; shorten it.")
    dismissal = Dismissal(
        case=finding.case,
        check=finding.check,
        check_version=finding.check_version,
        who=who,
        why=why.strip(),
        at=instant(now_ms()),
    )
    row = dismissal.model_dump()
    with database.write() as session:
        connection = session.connection()
        places = ("case", "check")
        changed = {name: value for name, value in row.items() if name not in places}
        connection.execute(
            upsert(connection, DismissalRow)
            .values(**row)
            .on_conflict_do_update(index_elements=places, set_=changed)
        )
    return dismissal


def restore(database: Database, finding: Finding) -> None:
    """Take a dismissal back."""
    with database.write() as session:
        session.connection().execute(
            delete(DismissalRow).where(
                col(DismissalRow.case) == finding.case, col(DismissalRow.check) == finding.check
            )
        )
