"""Dismissals of findings on cases and about datasets. A finding that somebody dismissed stays unchanged."""

from collections.abc import Iterable, Sequence

from sqlalchemy import and_, func, insert, update
from sqlmodel import Session, col, select

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import is_blank, too_long
from store.clock import instant, next_id, now_ms
from store.database import Database
from store.records import DatasetDismissal, Dismissal, Finding
from store.row_records import portions, records, select_as, upsert
from store.tables import DatasetDismissalRow, DismissalRow, FindingRow, MembershipRow

DISMISSED = and_(
    col(DismissalRow.case) == col(FindingRow.case),
    col(DismissalRow.check) == col(FindingRow.check),
    col(DismissalRow.check_version) == col(FindingRow.check_version),
    col(DismissalRow.why) != "",
)
"""Condition that joins a finding with its dismissal, unless somebody restored it."""
FindingKey = tuple[str, str, int]
"""Case, check and version of the check: what one dismissal is about."""
_IDENTITY = ("case", "check", "check_version")
_OF = {name: col(getattr(DismissalRow, name)) for name in _IDENTITY}


def dismiss(database: Database, finding: Finding, who: str, why: str) -> Dismissal:
    """Dismiss a finding with a reason; raises RequestError without one. A later reason replaces it."""
    return dismiss_each(database, [(finding, why)], who)[0]


def dismiss_each(database: Database, reasons: Sequence[tuple[Finding, str]], who: str) -> list[Dismissal]:
    """Dismiss each finding with its reason, in one transaction; raises RequestError if one has no reason."""
    at = instant(now_ms())
    dismissals = [
        Dismissal(
            case=finding.case,
            check=finding.check,
            check_version=finding.check_version,
            who=who,
            why=_checked(why),
            at=at,
        )
        for finding, why in reasons
    ]
    with database.write() as session:
        _put(session, dismissals)
    return dismissals


def _put(session: Session, dismissals: Iterable[Dismissal]) -> None:
    """Write dismissals, each in the place of the one that the finding has."""
    connection = session.connection()
    for dismissal in dismissals:
        row = dismissal.model_dump()
        changed = {name: value for name, value in row.items() if name not in _IDENTITY}
        connection.execute(
            upsert(connection, DismissalRow)
            .values(**row)
            .on_conflict_do_update(index_elements=_IDENTITY, set_=changed)
        )


def _checked(why: str) -> str:
    if is_blank(why):
        raise RequestError(
            "to dismiss a finding you need a reason; say in a few words why it does not matter."
        )
    if long := too_long(why.strip()):
        raise RequestError(f"the reason has {long}; shorten it.")
    return why.strip()


def restore(database: Database, finding: Finding, who: str) -> None:
    """Undo the dismissal of a finding, if it has one; those of earlier versions of its check stay.

    It counts as later than the dismissal even if that came from a machine whose clock is ahead.
    """
    of_finding = and_(*(_OF[name] == getattr(finding, name) for name in _IDENTITY))
    with database.write() as session:
        at = func.max if session.connection().dialect.name == "sqlite" else func.greatest
        session.execute(
            update(DismissalRow)
            .where(of_finding)
            .values(who=who, why="", at=at(col(DismissalRow.at), instant(now_ms())))
        )


def dismissals_in(session: Session, dataset: str) -> dict[tuple[str, str], list[Dismissal]]:
    """Case and check → every dismissal on the cases of a dataset, newest version of the check last, without
    those of restored findings.
    """
    rows = session.exec(
        select(DismissalRow)
        .join(MembershipRow, col(MembershipRow.case) == col(DismissalRow.case))
        .where(col(MembershipRow.dataset) == dataset, col(DismissalRow.why) != "")
        .order_by(col(DismissalRow.check_version))
    )
    dismissals: dict[tuple[str, str], list[Dismissal]] = {}
    for row in rows:
        dismissals.setdefault((row.case, row.check), []).append(Dismissal.model_validate(row.model_dump()))
    return dismissals


def dismissals_on(session: Session, digests: Iterable[str]) -> dict[FindingKey, Dismissal]:
    """Every dismissal on these cases, in any dataset, with those of restored findings."""
    dismissals: dict[FindingKey, Dismissal] = {}
    for some in portions(list(digests)):
        wanted = select_as(Dismissal, DismissalRow).where(col(DismissalRow.case).in_(some))
        for each in records(session, Dismissal, wanted):
            dismissals[each.case, each.check, each.check_version] = each
    return dismissals


def put_dismissals(
    session: Session, on_cases: Sequence[Dismissal], on_datasets: Sequence[DatasetDismissal]
) -> None:
    """Write dismissals that came from another store."""
    _put(session, on_cases)
    if on_datasets:
        session.execute(insert(DatasetDismissalRow), [each.model_dump() for each in on_datasets])


def dataset_dismissal_ids(session: Session) -> set[str]:
    """The ids of all dismissals about datasets."""
    return set(session.exec(select(DatasetDismissalRow.id)))


def put_dataset_dismissal(
    database: Database, dataset: str, *, check: str, check_version: int, found: str, who: str, why: str | None
) -> None:
    """Append that somebody dismissed a finding about a dataset; without a reason, that they restored it."""
    milliseconds = now_ms()
    reason = None if why is None else _checked(why)
    with database.write() as session:
        greatest = session.exec(select(func.max(DatasetDismissalRow.id))).one()
        dismissal = DatasetDismissal(
            id=next_id(greatest, milliseconds),
            dataset=dataset,
            check=check,
            check_version=check_version,
            found=found,
            restored=reason is None,
            who=who,
            why=reason or "",
            at=instant(milliseconds),
        )
        session.execute(insert(DatasetDismissalRow), dismissal.model_dump())


def dataset_dismissals(session: Session, dataset: str) -> dict[str, DatasetDismissal]:
    """Check → the newest dismissal of its finding about a dataset, unless that was restored."""
    wanted = select_as(DatasetDismissal, DatasetDismissalRow).where(
        col(DatasetDismissalRow.dataset) == dataset
    )
    ordered = records(session, DatasetDismissal, wanted.order_by(col(DatasetDismissalRow.id)))
    newest = {row.check: row for row in ordered}
    return {check: row for check, row in newest.items() if not row.restored}
