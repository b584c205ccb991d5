"""Taking in events that were made elsewhere: a set union by id, in one transaction."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, insert
from sqlmodel import Session, col, select

from store.clock import instant, now_ms
from store.database import Database
from store.reading import portions
from store.records import Assignment, Event
from store.tables import ArrivalRow, AssignmentRow, EventRow, StudyRow


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of events: added, there already, and those whose id the ledger holds with other content.

    ``closed_at`` is the study's, read in the same transaction: where it is set, what was added is late.
    ``elsewhere`` are the raters of whom the ledger holds more than these.
    """

    added: tuple[Event, ...]
    known: tuple[Event, ...]
    clashing: tuple[Event, ...]
    closed_at: str | None
    elsewhere: frozenset[str]


def take_in(
    database: Database,
    study: str,
    events: Sequence[Event],
    source: str,
    newcomers: Sequence[Assignment] = (),
    *,
    dry_run: bool = False,
) -> Taken:
    """Add the events of a study that are not there yet, and the raters who are not: all or nothing.

    Digests are expected to be checked. A dry run says what would be added, and writes nothing.
    """
    with database.read() if dry_run else database.write() as session:
        taken = _sorted_out(session, study, events)
        if not dry_run:
            _add(session, study, taken.added, source, newcomers)
    return taken


def _sorted_out(session: Session, study: str, events: Sequence[Event]) -> Taken:
    unique = list({event.id: event for event in events}.values())
    kept = {
        event_id: digest
        for some in portions(unique)
        for event_id, digest in session.exec(
            select(EventRow.id, EventRow.digest).where(col(EventRow.id).in_([event.id for event in some]))
        )
    }
    closed_at = session.exec(select(StudyRow.closed_at).where(StudyRow.name == study)).first()
    known = tuple(event for event in unique if kept.get(event.id) == event.digest)
    return Taken(
        added=tuple(event for event in unique if event.id not in kept),
        known=known,
        clashing=tuple(event for event in unique if kept.get(event.id, event.digest) != event.digest),
        closed_at=closed_at,
        elsewhere=_raters_with_more(session, study, known),
    )


def _raters_with_more(session: Session, study: str, known: Sequence[Event]) -> frozenset[str]:
    here = Counter(event.rater for event in known)
    counts = session.exec(
        select(EventRow.rater, func.count()).where(EventRow.study == study).group_by(col(EventRow.rater))
    )
    return frozenset(rater for rater, count in counts if count > here[rater])


def _add(
    session: Session, study: str, events: Sequence[Event], source: str, newcomers: Sequence[Assignment]
) -> None:
    for newcomer in newcomers:
        if session.get(AssignmentRow, (newcomer.study, newcomer.rater)) is None:
            session.execute(insert(AssignmentRow), newcomer.model_dump())
    for some in portions(events):
        session.execute(insert(EventRow), [event.model_dump() for event in some])
    at = instant(now_ms())
    for rater, count in sorted(Counter(event.rater for event in events).items()):
        arrival = {"study": study, "rater": rater, "source": source, "events": count, "at": at}
        session.execute(insert(ArrivalRow), arrival)
