"""Signed counts of the contents of a study, so that later deletions and changes are noticed.

A count covers the study with its seed and questions, the sample with its roles, its people, the lead's acts
(such as closing), known answers, published values, and the events of each rater: their number, and a digest
over their ids and digests. Later work only adds to this and never changes what a count covers. Each count
lists the events that no earlier count lists, and names the count before it.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from reviewer.core.errors import RequestError
from store.clock import instant, is_event_id, next_id, now_ms
from store.database import Database
from store.records import (
    JsonValue,
    Measurement,
    Occasion,
    PublishedPlace,
    SignedCount,
    canonical_json,
    digest_of,
    digested_fields,
)
from store.signed_counts import Countable, Holding, Ids, MakeCount, add_signed_count, countable

_FORMAT = "dilemma-reviewer count 1.0"


@dataclass(frozen=True, slots=True)
class Counted:
    """The digest over what a study holds, and its signed count; None if there is nothing new to save."""

    digest: str
    count: SignedCount | None


def sign_count(database: Database, study: str, occasion: Occasion) -> str:
    """Count what the study holds, save the signed count, and return its digest. Raises RequestError."""
    counted = count_study(database, study, occasion)
    keep_count(database, counted)
    return counted.digest


def keep_count(database: Database, counted: Counted) -> None:
    """Save a count, if it is new."""
    if counted.count is not None:
        add_signed_count(database, counted.count)


def making_count(occasion: Occasion) -> MakeCount:
    """A function that makes the count that creating or closing a study saves with it."""
    return lambda countable: _counted(countable, occasion, now_ms()).count


def count_study(
    database: Database, study: str, occasion: Occasion, clock: Callable[[], int] = now_ms
) -> Counted:
    """Count what the study holds and sign the count. Nothing is saved yet.

    The count is None if the newest saved one already says the same, and in packs and rescued files, which
    have no secret.
    Raises RequestError if there is no such study.
    """
    return _counted(_countable(database, study), occasion, clock())


def _counted(countable: Countable, occasion: Occasion, milliseconds: int) -> Counted:
    holding, secret = countable.holding, countable.secret
    parts = counted_parts(holding)
    digest = digest_of(parts)
    if secret is None:
        return Counted(digest, None)
    # `store check` reports the others
    before = [count for count in countable.before if is_genuine(count, secret)]
    if before and before[-1].content["parts"] == parts:
        return Counted(digest, None)
    draft = SignedCount(
        id=next_id(before[-1].id if before else None, milliseconds),
        study=holding.study.name,
        occasion=occasion,
        at=instant(milliseconds),
        digest=digest,
        content={
            "parts": parts,
            "previous": before[-1].id if before else None,
            "listed": _new_in(countable.events, before),
        },
        signature="0" * 64,
    )
    return Counted(digest, draft.model_copy(update={"signature": signature(draft, secret)}))


def counted_parts(holding: Holding) -> dict[str, JsonValue]:
    """The content of a count, for each part that it covers."""
    sample = sorted(holding.sample, key=lambda place: place.case)
    study = digested_fields(holding.study, {"closed_at"})
    return {
        "format": _FORMAT,
        "study": holding.study.name,
        "seed": holding.study.seed,
        "questions": digest_of(study.pop("questions", [])),
        "design": digest_of({name: value for name, value in study.items() if name != "seed"}),
        "sample": digest_of([digested_fields(place, {"role"}) for place in sample]),
        "roles": digest_of([[place.case, place.role] for place in sample]),
        "known answers": digest_of(
            sorted(canonical_json(digested_fields(answer)) for answer in holding.known_answers)
        ),
        "people": {person.rater: [person.role, person.order_seed] for person in holding.people},
        "acts": {act.id: digest_of(digested_fields(act)) for act in holding.acts},
        "published": _by_dataset(holding.published),
        "events": dict(sorted(holding.events.items())),
        "records": record_digests(holding.places),
        "kept aside": {row.event: digest_of(digested_fields(row)) for row in holding.aside},
    }


def record_digests(places: Iterable[PublishedPlace]) -> dict[str, str]:
    """Dataset → the digest over what places hold, with their records of the imported file."""
    return _by_dataset(places, {"position"})


def signature(count: SignedCount, secret: str) -> str:
    """The signature of a count, which needs the study's secret."""
    content = canonical_json(count.model_dump(exclude={"signature"}))
    return hmac.new(bytes.fromhex(secret), content.encode(), hashlib.sha256).hexdigest()


def is_genuine(count: SignedCount, secret: str) -> bool:
    """Whether a count has the content that was signed, in the format of signed counts."""
    try:
        signed = hmac.compare_digest(signature(count, secret), count.signature)
        _Content.model_validate(count.content)
    except ValueError:  # no release signs content that JSON or counts cannot hold
        return False
    return signed and is_event_id(count.id)


class _Parts(BaseModel):
    """The parts of a count that a check reads. Somebody with the secret may have signed other content."""

    model_config = ConfigDict(strict=True)

    seed: int
    questions: str
    design: str
    sample: str
    roles: str
    known_answers: str = Field(alias="known answers")
    people: dict[str, JsonValue]
    acts: dict[str, str]
    published: dict[str, str]
    events: dict[str, dict[str, JsonValue]]
    records: dict[str, str]
    aside: dict[str, str] = Field(alias="kept aside")


class _Content(BaseModel):
    """The content of a count that a check reads."""

    parts: _Parts
    previous: str | None
    listed: dict[str, list[tuple[str, str]]]


def _by_dataset(
    values: Iterable[Measurement | PublishedPlace], without: Iterable[str] = ()
) -> dict[str, str]:
    """Dataset → the digest over its records, of which only the texts are held."""
    by_dataset: dict[str, list[str]] = {}
    for value in values:
        by_dataset.setdefault(value.dataset, []).append(canonical_json(digested_fields(value, without)))
    return {dataset: digest_of(sorted(texts)) for dataset, texts in sorted(by_dataset.items())}


def _new_in(events: Ids, before: Iterable[SignedCount]) -> dict[str, JsonValue]:
    """Rater → the events that no earlier count lists, each with its digest."""
    listed = {
        (rater, key)
        for count in before
        for rater, some in count.content["listed"].items()
        for key, _digest in some
    }
    return {
        rater: new
        for rater, held in sorted(events.items())
        if (new := sorted([key, digest] for key, digest in held.items() if (rater, key) not in listed))
    }


def _countable(database: Database, study: str) -> Countable:
    with database.read() as session:
        study_content = countable(session, study)
    if study_content is None:
        raise RequestError(f"study {study!r} is not in the store; see `reviewer study list`.")
    return study_content
