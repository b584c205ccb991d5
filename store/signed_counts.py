"""What a study holds, read in the form in which it is counted; and the signed counts themselves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import insert
from sqlmodel import Session, col, select

from store.cases import get_measurements
from store.database import Database
from store.ledger import next_id
from store.records import (
    Assignment,
    KnownAnswer,
    Measurement,
    SignedCount,
    Study,
    StudyAct,
    StudyCase,
)
from store.studies import find_study, known_answers_of, raters_of, sample_of
from store.study_log import acts_of
from store.tables import EventRow, SignedCountRow

Ids = Mapping[str, Mapping[str, str]]
"""The digests of events, by rater and id."""


@dataclass(frozen=True, slots=True)
class Holding:
    """All of a study that a count covers."""

    study: Study
    sample: Sequence[StudyCase]
    people: Sequence[Assignment]
    acts: Sequence[StudyAct]
    known_answers: Sequence[KnownAnswer]
    published: Sequence[Measurement]
    """Values that were published with the sample's cases, at the places that they were drawn from."""
    events: Ids


def holding_of(session: Session, name: str) -> Holding | None:
    """What a store holds of a study; None where there is none of this name."""
    study = find_study(session, name)
    if study is None:
        return None
    sample = sample_of(session, name)
    found = get_measurements(session, [place.case for place in sample])
    rows = session.execute(select(EventRow.rater, EventRow.id, EventRow.digest).where(EventRow.study == name))
    return Holding(
        study,
        sample,
        raters_of(session, name),
        acts_of(session, name),
        known_answers_of(session, name),
        published_here(sample, [value for values in found.values() for value in values]),
        by_rater((str(row[0]), str(row[1]), str(row[2])) for row in rows),
    )


def published_here(sample: Iterable[StudyCase], found: Iterable[Measurement]) -> list[Measurement]:
    """What each case came with at the place that it was drawn from: published, or measured by its run."""
    places = {(place.case, place.dataset, place.key) for place in sample}
    return [
        value for value in found if value.came_with_place and (value.case, value.dataset, value.key) in places
    ]


def by_rater(events: Iterable[tuple[str, str, str]]) -> Ids:
    """Digests by rater and id, from raters, ids and digests."""
    found: dict[str, dict[str, str]] = {}
    for rater, event_id, digest in events:
        found.setdefault(rater, {})[event_id] = digest
    return found


def signed_counts(session: Session, study: str) -> list[SignedCount]:
    """The signed counts of a study, oldest first."""
    rows = session.exec(
        select(SignedCountRow).where(SignedCountRow.study == study).order_by(col(SignedCountRow.id))
    )
    return [SignedCount.model_validate(row.model_dump()) for row in rows]


def add_signed_count(database: Database, count: SignedCount) -> None:
    """Keep one more."""
    with database.write() as session:
        session.execute(insert(SignedCountRow), count.model_dump())


def id_after(counts: Sequence[SignedCount], milliseconds: int) -> str:
    """An id for the next one."""
    return next_id(counts[-1].id if counts else None, milliseconds)
