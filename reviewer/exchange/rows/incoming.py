"""What was read from a file or folder, before any of it is written."""

import json
from dataclasses import dataclass

from reviewer.core.errors import InputError
from reviewer.protocols.formats import ReadCase, Reading
from store.cases import Entry
from store.records import JsonValue, Measurement, Membership


@dataclass(frozen=True, slots=True)
class Incoming:
    """Valid entries, notices of what was normalised, and an error for everything that is not valid."""

    entries: tuple[Entry, ...]
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]


def incoming_of(reading: Reading, dataset: str) -> Incoming:
    """What a reader found, as entries of a dataset."""
    entries = tuple(_entry(read, dataset) for read in reading.cases)
    return Incoming(entries, reading.notices, reading.problems)


def raw_text(raw: JsonValue) -> str:
    """A record of a file as it is kept: in its own order and spelling."""
    return json.dumps(raw, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _entry(found: ReadCase, dataset: str) -> Entry:
    place = Membership(
        dataset=dataset,
        key=found.key,
        case=found.case.digest,
        position=found.position,
        generator=found.generator,
        run=found.run,
        origin=found.origin,
        extra=found.extra,
    )
    published = tuple(
        Measurement(
            case=place.case, name=name, source="published", dataset=dataset, key=place.key, value=value
        )
        for name, value in found.published.items()
    )
    return Entry(found.case, place, published, None if found.raw is None else raw_text(found.raw))
