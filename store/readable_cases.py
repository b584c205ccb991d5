"""Cases for screens. A row that was damaged and cannot be read does not hide the others."""

from typing import Any

from sqlalchemy import Select, Text, cast
from sqlmodel import Session, col, select

from reviewer.core.errors import StoreError
from store.cases import Filter, conditions
from store.records import Case, Membership
from store.row_records import readable, records, select_as
from store.tables import CaseRow, MembershipRow


def readable_cases(session: Session, statement: Select[Any]) -> list[Case]:
    """The cases of a ``select_as(Case, CaseRow)``, in its order.

    An unreadable row becomes a case without content, which is never whole.
    """
    found, unreadable = readable(session, Case, statement, col(CaseRow.digest))
    if not unreadable:
        return found
    order = list(session.execute(statement.with_only_columns(col(CaseRow.digest))).scalars())
    by_digest = {case.digest: case for case in found}
    by_digest |= {row.key: _without_content(session, row.key) for row in unreadable}
    return [by_digest[digest] for digest in order]


def readable_case(session: Session, digest: str) -> Case:
    """The case with this digest; raises StoreError if there is none."""
    cases = readable_cases(session, select_as(Case, CaseRow).where(col(CaseRow.digest) == digest))
    if not cases:
        raise StoreError(
            f"case {digest[:12]} is no longer in the store: another program removed it. "
            "Run `reviewer store check` to list all changes, and work with a backup."
        )
    return cases[0]


def readable_places(
    session: Session, wanted: Filter, limit: int | None = None
) -> list[tuple[Membership, Case]]:
    """Places with their cases, by dataset and position."""
    statement = (
        select_as(Membership, MembershipRow)
        .join(CaseRow, col(CaseRow.digest) == col(MembershipRow.case))
        .where(*conditions(session, wanted))
        .order_by(col(MembershipRow.dataset), col(MembershipRow.position))
        .limit(limit)
    )
    places = list(records(session, Membership, statement))
    digests = list({place.case for place in places})
    asked = select_as(Case, CaseRow).where(col(CaseRow.digest).in_(digests))
    cases = {case.digest: case for case in readable_cases(session, asked)}
    return [(place, cases[place.case]) for place in places]


def _without_content(session: Session, digest: str) -> Case:
    """An unreadable case without its content: digest, protocol and group."""
    asked = select(cast(CaseRow.protocol, Text), cast(CaseRow.group, Text))
    protocol, group = session.exec(asked.where(CaseRow.digest == digest)).one()
    return Case(digest=digest, protocol=protocol, group=group, payload_version=0, payload={})
