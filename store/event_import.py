"""Taking in events that were made elsewhere: a set union by id, in one transaction."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import func, insert
from sqlmodel import Session, col, select

from reviewer.core.sanitize import one_line
from store.clock import instant, now_ms
from store.database import Database
from store.reading import portions
from store.records import Assignment, Event, KeptAside
from store.tables import ArrivalRow, AssignmentRow, EventRow, KeptAsideRow, StudyRow


@dataclass(frozen=True, slots=True)
class Missing:
    """An event that is not there, and the rater and the id of one that follows it or refers to it."""

    event: str
    rater: str
    named_by: str


@dataclass(frozen=True, slots=True)
class Aside:
    """What does not come into the ledger: whole events that wait, and why; and why others were refused."""

    waiting: Sequence[tuple[Event, str]] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportedEvents:
    """What became of events: added, there already, and those whose id the ledger holds with other content.

    ``closed_at`` is the study's, read in the same transaction: where it is set, what was added is late.
    ``elsewhere`` are the raters of whom the ledger holds more than these. ``missing`` are events that neither
    the ledger nor these hold although an added one follows them or refers to them.
    """

    added: tuple[Event, ...]
    known: tuple[Event, ...]
    clashing: tuple[Event, ...]
    closed_at: str | None
    elsewhere: frozenset[str]
    missing: tuple[Missing, ...] = ()


def import_events(
    database: Database,
    study: str,
    events: Sequence[Event],
    source: str,
    newcomers: Sequence[Assignment] = (),
    *,
    aside: Aside | None = None,
    dry_run: bool = False,
) -> ImportedEvents:
    """Add the events of a study that are not there yet, and the raters who are not: all or nothing.

    Digests are expected to be checked. A dry run says what would be added, and writes nothing. Where
    ``aside`` is given, what it holds, and what is missing, is written down in the same transaction.
    """
    with database.read() if dry_run else database.write() as session:
        taken = _sorted_out(session, study, events)
        if aside is not None:
            taken = replace(taken, missing=_missing(session, taken))
        if not dry_run:
            _add(session, study, taken.added, source, newcomers)
        if aside is not None and not dry_run:
            _keep_aside(session, study, taken.missing, source, aside)
    return taken


def waiting_events(database: Database) -> dict[tuple[str, str], list[Event]]:
    """The events that were kept aside whole and are not in the ledger, by study and source."""
    with database.read() as session:
        rows = session.exec(
            select(KeptAsideRow)
            .where(
                col(KeptAsideRow.content).is_not(None), col(KeptAsideRow.event).not_in(select(EventRow.id))
            )
            .order_by(col(KeptAsideRow.event))
        )
        found: dict[tuple[str, str], list[Event]] = {}
        for row in rows:
            found.setdefault((row.study, row.source), []).append(Event.model_validate(row.content))
    return found


def _sorted_out(session: Session, study: str, events: Sequence[Event]) -> ImportedEvents:
    unique = list({event.id: event for event in events}.values())
    kept = _digests(session, [event.id for event in unique])
    closed_at = session.exec(select(StudyRow.closed_at).where(StudyRow.name == study)).first()
    known = tuple(event for event in unique if kept.get(event.id) == event.digest)
    return ImportedEvents(
        added=tuple(event for event in unique if event.id not in kept),
        known=known,
        clashing=tuple(event for event in unique if kept.get(event.id, event.digest) != event.digest),
        closed_at=closed_at,
        elsewhere=_raters_with_more(session, study, known),
    )


def _digests(session: Session, ids: Sequence[str]) -> dict[str, str]:
    """Of the events of these ids that the ledger holds."""
    return {
        event_id: digest
        for some in portions(ids)
        for event_id, digest in session.exec(
            select(EventRow.id, EventRow.digest).where(col(EventRow.id).in_(some))
        )
    }


def _missing(session: Session, taken: ImportedEvents) -> tuple[Missing, ...]:
    named = {other: event for event in reversed(taken.added) for other in event.names}
    here = {event.id for event in (*taken.added, *taken.known)}
    there = _digests(session, sorted(named.keys() - here))
    return tuple(
        Missing(other, named[other].rater, named[other].id)
        for other in sorted(named.keys() - here - there.keys())
    )


def _keep_aside(session: Session, study: str, missing: Sequence[Missing], source: str, aside: Aside) -> None:
    at = instant(now_ms())
    rows = {
        lack.event: KeptAside(
            event=one_line(lack.event, 64),
            study=study,
            rater=lack.rater,
            source=source,
            why=aside.refused.get(lack.event, "the file does not hold it"),
            at=at,
        )
        for lack in missing
    }
    for event, why in aside.waiting:
        content = event.model_dump()
        rows[event.id] = KeptAside(
            event=event.id, study=study, rater=event.rater, source=source, why=why, at=at, content=content
        )
    for row in rows.values():
        if session.get(KeptAsideRow, row.event) is None:
            session.execute(insert(KeptAsideRow), row.model_dump())


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
