"""The content of a study in the form that is counted, and the signed counts themselves."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import insert
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, select

from store.cases import get_measurements
from store.database import Database
from store.records import (
    Assignment,
    JsonValue,
    KeptAside,
    KnownAnswer,
    Measurement,
    PublishedPlace,
    SignedCount,
    Study,
    StudyAct,
    StudyCase,
    canonical_json,
)
from store.row_records import portions
from store.studies import find_study, known_answers_of, raters_of, sample_of, secret_of
from store.study_log import acts_of
from store.study_tables import EventRow, KeptAsideRow, SignedCountRow

Ids = Mapping[str, Mapping[str, str]]
"""Rater → event id → digest."""
CountedEvents = Mapping[str, JsonValue]
"""The ``count`` of one rater's events, and the ``digest`` over their ids and digests."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Everything of a study that a count covers. ``published`` and ``places`` may be read once only."""

    study: Study
    sample: Sequence[StudyCase]
    people: Sequence[Assignment]
    acts: Sequence[StudyAct]
    known_answers: Sequence[KnownAnswer]
    published: Iterable[Measurement]
    """Values that were published with the sample's cases at the places from which they were drawn."""
    places: Sequence[PublishedPlace]
    """The current content of the places from which the sample was drawn."""
    aside: Sequence[KeptAside]
    events: Mapping[str, CountedEvents]
    """The events of each rater, counted."""


@dataclass(frozen=True, slots=True)
class Countable:
    """The input of a new count: the content of a study, its counts (oldest first) and its secret."""

    holding: Holding
    events: Ids
    before: Sequence[SignedCount]
    secret: str | None


MakeCount = Callable[[Countable], SignedCount | None]
"""Makes the next count; None if there is nothing new to save."""


def countable(session: Session, study: str) -> Countable | None:
    """The input of a new count, read in one transaction; None if there is no such study."""
    stored = find_study(session, study)
    if stored is None:
        return None
    rows = session.execute(
        select(EventRow.rater, EventRow.id, EventRow.digest).where(EventRow.study == study)
    )
    events: dict[str, dict[str, str]] = {}
    for rater, event_id, digest in rows:
        events.setdefault(str(rater), {})[str(event_id)] = str(digest)
    sample = sample_of(session, study)
    measurements = get_measurements(session, [place.case for place in sample])
    holding = Holding(
        stored,
        sample,
        raters_of(session, study),
        acts_of(session, study),
        known_answers_of(session, study),
        published_here(sample, [value for values in measurements.values() for value in values]),
        places_of_sample(session, sample),
        kept_aside(session, study),
        {rater: counted_events(sorted(held.items())) for rater, held in events.items()},
    )
    return Countable(holding, events, signed_counts(session, study), secret_of(session, study))


def save_next_count(study: str, make: MakeCount, session: Session) -> None:
    """Make and save a count in the same transaction as the content that it covers."""
    content = countable(session, study)
    if content is not None and (made := make(content)) is not None:
        session.execute(insert(SignedCountRow), made.model_dump())


def published_here(sample: Iterable[StudyCase], values: Iterable[Measurement]) -> Iterator[Measurement]:
    """The values that cases had at the place they were drawn from: published, or measured by their run."""
    places = {(place.case, place.dataset, place.key) for place in sample}
    for value in values:
        if value.came_with_place and (value.case, value.dataset, value.key) in places:
            yield value


def places_of_sample(session: Session, sample: Sequence[StudyCase]) -> list[PublishedPlace]:
    """The places that a sample was drawn from, each with its record of the imported file."""
    keys: dict[str, list[str]] = {}
    for place in sample:
        keys.setdefault(place.dataset, []).append(place.key)
    table = SQLModel.metadata.tables["memberships"]
    columns = [table.c[name] for name in PublishedPlace.model_fields]
    return [
        PublishedPlace.model_validate(dict(row))
        for dataset, wanted in keys.items()
        for some in portions(wanted)
        for row in session.execute(
            select_columns(*columns).where(table.c.dataset == dataset, table.c.key.in_(some))
        ).mappings()
    ]


def kept_aside(session: Session, study: str) -> list[KeptAside]:
    """The events that were kept aside from a study's ledger, by id."""
    rows = session.exec(
        select(KeptAsideRow).where(KeptAsideRow.study == study).order_by(col(KeptAsideRow.event))
    )
    return [KeptAside.model_validate(row.model_dump()) for row in rows]


def counted_events(events: Iterable[tuple[str, str]]) -> CountedEvents:
    """The count of one rater's events, given as ids with digests, the smallest id first."""
    digest, count = hashlib.sha256(b"["), 0
    for count, (key, value) in enumerate(events, start=1):
        pair = canonical_json([key, value]).encode(errors="surrogatepass")
        digest.update(pair if count == 1 else b"," + pair)
    digest.update(b"]")
    return {"count": count, "digest": digest.hexdigest()}


def signed_counts(session: Session, study: str) -> list[SignedCount]:
    """The signed counts of a study, oldest first."""
    rows = session.exec(
        select(SignedCountRow).where(SignedCountRow.study == study).order_by(col(SignedCountRow.id))
    )
    return [SignedCount.model_validate(row.model_dump()) for row in rows]


def add_signed_count(database: Database, count: SignedCount) -> None:
    """Save a signed count."""
    with database.write() as session:
        session.execute(insert(SignedCountRow), count.model_dump())
