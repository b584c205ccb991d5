"""Writing a dataset as PROBE-SWE's published JSON, which the published scripts and our import read."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path

from reviewer.core.errors import RequestError
from reviewer.exchange.probe_swe_values import MEASURED_AS
from reviewer.exchange.study_export import write_texts
from reviewer.protocols.registry import protocol_named
from store.cases import Filter, find_dataset, get_measurements, list_places
from store.database import Database
from store.records import Case, JsonValue, Measurement, Membership

_PROTOCOL = "probe-swe"
_NUMBER = re.compile(r".*/(?:seed-|(?:[0-9]+-)?)([0-9]{1,9})")
_PORTION = 400


def write_dataset_json(database: Database, dataset: str, file: Path) -> int:
    """Write every case of a dataset, by group; the number of cases. Raises RequestError."""
    with database.read() as session:
        header = find_dataset(session, dataset)
        if header is None:
            raise RequestError(f"dataset {dataset!r} is not in the store; see `reviewer datasets`.")
        if header.protocol != _PROTOCOL:
            raise RequestError(f"dataset {dataset!r} is of protocol {header.protocol!r}, not {_PROTOCOL!r}.")
        places = list_places(session, Filter(datasets=(dataset,)))
        digests = list(dict.fromkeys(place.case for place, _ in places))
        values: dict[str, list[Measurement]] = {}
        for start in range(0, len(digests), _PORTION):
            values |= get_measurements(session, digests[start : start + _PORTION])
    groups = [group.name for group in protocol_named(_PROTOCOL).groups]
    whole = {group: _records(group, places, values) for group in groups}
    text = json.dumps(
        {group: records for group, records in whole.items() if records}, ensure_ascii=False, indent=4
    )
    write_texts(file.parent, {file.name: text + "\n"})
    return len(places)


def _records(
    group: str, places: Iterable[tuple[Membership, Case]], values: Mapping[str, Sequence[Measurement]]
) -> list[dict[str, JsonValue]]:
    taken: set[tuple[int | None, int]] = set()
    return [
        _record(place, case, _published(place, values[case.digest]), _numbers(place, taken))
        for place, case in places
        if case.group == group
    ]


def _record(
    place: Membership, case: Case, published: Mapping[str, JsonValue], numbers: tuple[int | None, int]
) -> dict[str, JsonValue]:
    run, pair = numbers
    values = {field: published.get(name) for field, name in MEASURED_AS.items()}
    return {
        "run_id": run,
        "AI_generated": place.origin == "generated",
        "pair": pair,
        **case.payload,
        **values,
        "valid": True,
        **place.extra,
    }


def _numbers(place: Membership, taken: set[tuple[int | None, int]]) -> tuple[int | None, int]:
    """Run and pair as they were, or the next free pair where another generator's case has them."""
    run = int(place.run) if place.run and place.run.isascii() and place.run.isdigit() else None
    found = _NUMBER.fullmatch(place.key)
    pair = int(found[1]) if found else 1
    free = next(number for number in count(pair) if (run, number) not in taken)
    taken.add((run, free))
    return run, free


def _published(place: Membership, values: Sequence[Measurement]) -> dict[str, JsonValue]:
    return {
        value.name: value.value
        for value in values
        if value.source == "published" and (value.dataset, value.key) == (place.dataset, place.key)
    }
