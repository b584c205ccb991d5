"""Dismissals of findings. A finding that somebody dismissed stays unchanged."""

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
"""Condition that joins a finding with its dismissal."""


def dismiss(database: Database, finding: Finding, who: str, why: str) -> Dismissal:
    """Dismiss a finding with a reason; raises RequestError without one. A later reason replaces it."""
    if is_blank(why):
        raise RequestError(
            "to dismiss a finding you need a reason; say in a few words why it does not matter."
        )
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
        identity = ("case", "check")
        changed = {name: value for name, value in row.items() if name not in identity}
        connection.execute(
            upsert(connection, DismissalRow)
            .values(**row)
            .on_conflict_do_update(index_elements=identity, set_=changed)
        )
    return dismissal


def restore(database: Database, finding: Finding) -> None:
    """Remove a dismissal."""
    with database.write() as session:
        session.connection().execute(
            delete(DismissalRow).where(
                col(DismissalRow.case) == finding.case, col(DismissalRow.check) == finding.check
            )
        )
