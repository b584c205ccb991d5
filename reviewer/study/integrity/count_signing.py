"""Counting what a study holds, and signing the count, so that what is gone or changed later is noticed.

A count covers the study with its seed and questions, the sample with its roles, its people, what its lead
did (closing it, say), known answers and published values, and every event by its rater: how many there are,
and a digest over their ids and digests. Later work only adds to this: what a count covers stays. Each count
lists the events that are in no earlier one, and names the count before it.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from reviewer.core.errors import RequestError
from reviewer.study.design.study_design import is_counted
from reviewer.study.transfer.pack_manifest import said
from store.clock import instant, now_ms
from store.database import Database
from store.ledger import is_event_id
from store.records import (
    JsonValue,
    Measurement,
    Occasion,
    PublishedPlace,
    Record,
    SignedCount,
    canonical_json,
    digest_of,
)
from store.signed_counts import Countable, Holding, Ids, MakeCount, add_signed_count, countable, id_after

_FORMAT = "dilemma-reviewer count 1"
_COUNTED_SINCE = ("records", "kept aside")
"""Parts that counts of earlier releases did not have."""


def ledger_digest(database: Database, study: str) -> str:
    """The one digest over all that a study holds; the same wherever it is computed. Raises RequestError."""
    return digest_over(counted_parts(_countable(database, study).holding))


@dataclass(frozen=True, slots=True)
class Counted:
    """The digest over what a study holds, and the signed count; None where there is nothing new to keep."""

    digest: str
    count: SignedCount | None


def sign_count(database: Database, study: str, occasion: Occasion) -> str:
    """Count what the study holds, keep the count signed, and return its digest; raises RequestError."""
    counted = count_study(database, study, occasion)
    keep_count(database, counted)
    return counted.digest


def keep_count(database: Database, counted: Counted) -> None:
    """Keep a count, if it is new."""
    if counted.count is not None:
        add_signed_count(database, counted.count)


def making_count(occasion: Occasion) -> MakeCount:
    """What makes the count that a study's making or closing writes along."""
    return lambda countable: _counted(countable, occasion, now_ms()).count


def count_study(
    database: Database, study: str, occasion: Occasion, clock: Callable[[], int] = now_ms
) -> Counted:
    """Count what the study holds and sign the count; nothing is written yet.

    There is none to keep where the newest one says the same already, and in a pack, which has no secret.
    Raises RequestError where there is no such study.
    """
    return _counted(_countable(database, study), occasion, clock())


def _counted(countable: Countable, occasion: Occasion, milliseconds: int) -> Counted:
    holding, secret = countable.holding, countable.secret
    parts = counted_parts(holding)
    digest = digest_over(parts)
    if secret is None:
        return Counted(digest, None)
    # `store check` names the others
    before = [count for count in countable.before if is_genuine(count, secret)]
    if before and before[-1].content["parts"] == parts:
        return Counted(digest, None)
    draft = SignedCount(
        id=id_after(before, milliseconds),
        study=holding.study.name,
        occasion=occasion,
        at=instant(milliseconds),
        digest=digest,
        content={
            "parts": parts,
            "previous": before[-1].id if before else None,
            "listed": _new_in(holding.events, before),
        },
        signature="0" * 64,
    )
    return Counted(digest, draft.model_copy(update={"signature": signature(draft, secret)}))


def counted_parts(holding: Holding) -> dict[str, JsonValue]:
    """What a count says of each part that it covers."""
    sample = sorted(holding.sample, key=lambda place: place.case)
    study = said(holding.study, {"closed_at"})
    parts = {
        "format": _FORMAT,
        "study": holding.study.name,
        "seed": holding.study.seed,
        "questions": digest_of(study.pop("questions", [])),
        "design": digest_of({name: value for name, value in study.items() if name != "seed"}),
        "sample": digest_of([said(place, {"role"}) for place in sample]),
        "roles": digest_of([[place.case, place.role] for place in sample]),
        "known answers": _digest_over(holding.known_answers),
        "people": {each.rater: [each.role, each.order_seed] for each in holding.people},
        "acts": {act.id: digest_of(said(act)) for act in holding.acts},
        "published": _by_dataset(holding.published),
        "events": {rater: counted_events(events) for rater, events in sorted(holding.events.items())},
        "records": _by_dataset(holding.places, {"position"}),
        "kept aside": {row.event: digest_of(said(row)) for row in holding.aside},
    }
    return parts | ({"counted": True} if is_counted(holding.study) else {})


def digest_over(parts: Mapping[str, JsonValue]) -> str:
    """The one digest over what a count says; of an earlier release's study, what that release counted."""
    return digest_of(
        parts if "counted" in parts else {name: parts[name] for name in parts if name not in _COUNTED_SINCE}
    )


def counted_events(events: Mapping[str, str]) -> dict[str, JsonValue]:
    """The number of one rater's events, and the digest over their ids and digests."""
    return {"count": len(events), "digest": digest_of(sorted([key, value] for key, value in events.items()))}


def signature(count: SignedCount, secret: str) -> str:
    """What whoever has the study's secret signs a count with."""
    content = canonical_json(count.model_dump(exclude={"signature"}))
    return hmac.new(bytes.fromhex(secret), content.encode(), hashlib.sha256).hexdigest()


def is_genuine(count: SignedCount, secret: str) -> bool:
    """Whether it says what was signed, in the form in which counts are signed."""
    try:
        signed = hmac.compare_digest(signature(count, secret), count.signature)
        _Content.model_validate(count.content)
    except ValueError:  # it holds what no JSON or no count can, so no release signed it
        return False
    return signed and is_event_id(count.id)


class _Parts(BaseModel):
    """What a check reads of the parts of a count, which who has the secret may have signed otherwise."""

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
    records: dict[str, str] = {}
    aside: dict[str, str] = Field({}, alias="kept aside")


class _Content(BaseModel):
    """What a check reads of a count."""

    parts: _Parts
    previous: str | None
    listed: dict[str, list[tuple[str, str]]]


def _by_dataset(
    values: Iterable[Measurement | PublishedPlace], without: Iterable[str] = ()
) -> dict[str, str]:
    """Dataset → the digest over what its records say."""
    by_dataset: dict[str, list[Record]] = {}
    for value in values:
        by_dataset.setdefault(value.dataset, []).append(value)
    return {dataset: _digest_over(some, without) for dataset, some in sorted(by_dataset.items())}


def _digest_over(records: Iterable[Record], without: Iterable[str] = ()) -> str:
    return digest_of(sorted(canonical_json(said(record, without)) for record in records))


def _new_in(events: Ids, before: Iterable[SignedCount]) -> dict[str, JsonValue]:
    """The events that no earlier count lists, each with its digest, by rater."""
    listed = {
        (rater, key)
        for count in before
        for rater, some in count.content.get("listed", {}).items()
        for key, _digest in some
    }
    return {
        rater: new
        for rater, held in sorted(events.items())
        if (new := sorted([key, digest] for key, digest in held.items() if (rater, key) not in listed))
    }


def _countable(database: Database, study: str) -> Countable:
    with database.read() as session:
        found = countable(session, study)
    if found is None:
        raise RequestError(f"study {study!r} is not in the store; see `reviewer study list`.")
    return found
