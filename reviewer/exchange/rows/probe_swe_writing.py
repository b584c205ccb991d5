"""Writing a dataset as PROBE-SWE's published JSON, which the published scripts and our import read."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from reviewer.core.errors import RequestError, StoreError
from reviewer.core.sanitize import one_line
from reviewer.exchange.exports.study_export import write_texts
from reviewer.exchange.rows.file_pieces import Piece, joined, read_piece
from reviewer.exchange.rows.probe_swe_values import MEASURED_AS
from reviewer.protocols.registry import protocol_named
from store.cases import Filter, find_dataset, get_measurements, list_places, raw_records
from store.database import Database
from store.records import Case, JsonValue, Measurement, Membership

_PROTOCOL = "probe-swe"
_NUMBER = re.compile(r".*/(?:seed-|(?:[0-9]+-)?)([0-9]{1,9})")
_PORTION = 400


@dataclass(frozen=True, slots=True)
class Written:
    """How many cases were written, and how many of them without the record that was published with them."""

    cases: int
    not_as_published: int


def write_dataset_json(database: Database, dataset: str, file: Path) -> Written:
    """Write every case of a dataset, as it was published where that was kept. Raises RequestError."""
    with database.read() as session:
        header = find_dataset(session, dataset)
        if header is None:
            raise RequestError(f"dataset {dataset!r} is not in the store; see `reviewer datasets`.")
        if header.protocol != _PROTOCOL:
            raise RequestError(f"dataset {dataset!r} is of protocol {header.protocol!r}, not {_PROTOCOL!r}.")
        places = list_places(session, Filter(datasets=(dataset,)))
        raw = raw_records(session, dataset)
        digests = list(dict.fromkeys(place.case for place, _ in places))
        values: dict[str, list[Measurement]] = {}
        for start in range(0, len(digests), _PORTION):
            values |= get_measurements(session, digests[start : start + _PORTION])
    kept = {place.key: _kept(place, raw[place.key]) for place, _ in places if place.key in raw}
    whole = joined([*_in_order(places, kept, values)])
    write_texts(file.parent, {file.name: json.dumps(whole, ensure_ascii=False, indent=4) + "\n"})
    return Written(len(places), len(places) - len(kept))


def _kept(place: Membership, text: str) -> Piece:
    try:
        return read_piece(text)
    except ValueError as error:
        raise StoreError(
            f"the record that was kept of {place.dataset}:{place.key} cannot be read "
            f"({one_line(str(error), 60)}); it was altered or damaged: import the dataset again, or work "
            "with a backup of the store."
        ) from error


def _in_order(
    places: Sequence[tuple[Membership, Case]],
    kept: Mapping[str, Piece],
    values: Mapping[str, Sequence[Measurement]],
) -> Iterator[Piece]:
    """The pieces of the file: as they were kept, in their order; the others by group, as they always were."""
    taken: dict[str, set[tuple[int | None, int]]] = defaultdict(set)
    names: dict[str, str] = {}
    for place, case in places:
        if place.key in kept:
            names[case.group], numbers = _spelled(kept[place.key])
            taken[case.group].add(numbers)
            yield kept[place.key]
    for group in (group.name for group in protocol_named(_PROTOCOL).groups):
        for place, case in places:
            if case.group == group and place.key not in kept:
                numbers = _numbers(place, taken[group])
                record = _record(place, case, _published(place, values[case.digest]), numbers)
                yield {names.get(group, group): [record]}


def _spelled(piece: Piece) -> tuple[str, tuple[int | None, int]]:
    """How a piece names the group of its record, with the record's run and pair."""
    group, record = next((group, records[0]) for group, records in piece.items() if records)
    return group, (record.get("run_id"), record["pair"])


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
