"""Imports events that were made elsewhere: a set union by id, in one transaction."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import func, insert
from sqlmodel import Session, col, select

from reviewer.core.sanitize import one_line
from store.clock import instant, now_ms
from store.database import Database
from store.records import Assignment, Event, KeptAside
from store.row_records import portions
from store.studies import add_assignments
from store.study_tables import ArrivalRow, EventRow, KeptAsideRow, StudyRow


@dataclass(frozen=True, slots=True)
class Missing:
    """A missing event, with the rater and the id of an event that follows it or refers to it."""

    event: str
    rater: str
    named_by: str


@dataclass(frozen=True, slots=True)
class Aside:
    """Events that do not enter the ledger: waiting ones with reasons, and the reasons of refused ones."""

    waiting: Sequence[tuple[Event, str]] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportedEvents:
    """The result of an import: events that were added, known, or clashing (same id, other content).

    ``closed_at`` is the study's, read in the same transaction; if it is set, added events are late.
    ``elsewhere`` are the raters of whom the ledger holds further events. ``missing`` are events that are
    neither in the ledger nor among these, although an added one follows them or refers to them.
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
    """Add events and raters that the study lacks, in one transaction.

    The caller has checked the digests. A dry run returns what would be added, and saves nothing. If ``aside``
    is given, its events and the missing ones are recorded in the same transaction.
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
    """Whole events that were kept aside and are not in the ledger, by study and source."""
    with database.read() as session:
        rows = session.exec(
            select(KeptAsideRow)
            .where(
                col(KeptAsideRow.content).is_not(None), col(KeptAsideRow.event).not_in(select(EventRow.id))
            )
            .order_by(col(KeptAsideRow.event))
        )
        waiting: dict[tuple[str, str], list[Event]] = {}
        for row in rows:
            waiting.setdefault((row.study, row.source), []).append(Event.model_validate(row.content))
    return waiting


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
    """Id → digest, for the ids that the ledger holds."""
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
    add_assignments(session, newcomers)
    for some in portions(events):
        session.execute(insert(EventRow), [event.model_dump() for event in some])
    at = instant(now_ms())
    for rater, count in sorted(Counter(event.rater for event in events).items()):
        arrival = {"study": study, "rater": rater, "source": source, "events": count, "at": at}
        session.execute(insert(ArrivalRow), arrival)
