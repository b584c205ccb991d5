"""What readers reported about cases of datasets: appended with their findings, and read."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import func, insert
from sqlmodel import Session, col, select

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import shown
from store.cases import places_of
from store.clock import instant, next_id, now_ms
from store.database import Database
from store.findings import put_findings
from store.records import Complaint, Finding
from store.row_records import portions, records, select_as
from store.tables import ComplaintRow


@dataclass(frozen=True, slots=True)
class NewComplaint:
    """What a reader wrote about the case at a key, and where; ``link`` is "" if nobody says."""

    key: str
    text: str
    link: str


def add_complaints(
    database: Database,
    dataset: str,
    said: Sequence[NewComplaint],
    who: str,
    finding_of: Callable[[Sequence[Complaint]], Finding],
) -> list[Complaint]:
    """Append in one transaction those that the dataset does not have yet, and the finding on each case.

    Raises RequestError for a key without a case. ``finding_of`` gets all complaints about one content, oldest
    first.
    """
    milliseconds = now_ms()
    with database.write() as session:
        known = {(each.key, each.text, each.link) for each in complaints_about(session, dataset)}
        new = [each for each in dict.fromkeys(said) if (each.key, each.text, each.link) not in known]
        places = {place.key: place.case for place in places_of(session, dataset)}
        if gone := next((each.key for each in new if each.key not in places), None):
            raise RequestError(f"dataset {dataset!r} has no case {shown(gone)!r} any more; import again.")
        greatest = session.exec(select(func.max(ComplaintRow.id))).one()
        made: list[Complaint] = []
        for each in new:
            greatest = next_id(greatest, milliseconds)
            made.append(
                Complaint(
                    id=greatest,
                    dataset=dataset,
                    key=each.key,
                    case=places[each.key],
                    text=each.text,
                    link=each.link,
                    who=who,
                    at=instant(milliseconds),
                )
            )
        put_complaints(session, made, finding_of)
    return made


def put_complaints(
    session: Session, made: Sequence[Complaint], finding_of: Callable[[Sequence[Complaint]], Finding]
) -> None:
    """Append complaints, and the finding on each case that they are about."""
    if made:
        session.execute(insert(ComplaintRow), [each.model_dump() for each in made])
        contents = complaints_on(session, dict.fromkeys(each.case for each in made))
        put_findings(session, [finding_of(some) for some in contents.values()])


def complaint_ids(session: Session) -> set[str]:
    """The ids of all complaints."""
    return set(session.exec(select(ComplaintRow.id)))


def complaints_about(session: Session, dataset: str) -> list[Complaint]:
    """The complaints about cases of a dataset, oldest first."""
    wanted = select_as(Complaint, ComplaintRow).where(col(ComplaintRow.dataset) == dataset)
    return list(records(session, Complaint, wanted.order_by(col(ComplaintRow.id))))


def complaints_on(session: Session, digests: Iterable[str]) -> dict[str, list[Complaint]]:
    """Case → the complaints about it in any dataset, oldest first, for the cases that have some."""
    contents: dict[str, list[Complaint]] = {}
    for some in portions(list(digests)):
        wanted = select_as(Complaint, ComplaintRow).where(col(ComplaintRow.case).in_(some))
        for each in records(session, Complaint, wanted.order_by(col(ComplaintRow.id))):
            contents.setdefault(each.case, []).append(each)
    return contents
