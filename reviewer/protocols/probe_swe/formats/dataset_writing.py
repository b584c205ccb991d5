"""Writing a dataset as PROBE-SWE's published JSON, which the authors' scripts and our import read."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from reviewer.protocols.base import Group
from reviewer.protocols.formats import StoredCase, damaged_record
from reviewer.protocols.probe_swe.formats.file_pieces import Piece, checked_piece, joined
from reviewer.protocols.probe_swe.formats.published_values import MEASURED_AS
from store.records import Case, JsonValue, Membership

_NUMBER = re.compile(r".*/(?:seed-|(?:[0-9]+-)?)([0-9]{1,9})")


def dataset_value(cases: Sequence[StoredCase], groups: Sequence[Group]) -> Piece:
    """The value of the file: group → records."""
    return joined([*_in_order(cases, groups)])


def _in_order(cases: Sequence[StoredCase], groups: Sequence[Group]) -> Iterator[Piece]:
    """The pieces of the file: first the stored ones in their order, then the other cases by group."""
    taken: dict[str, set[tuple[int | None, int]]] = defaultdict(set)
    names: dict[str, str] = {}
    for stored in cases:
        if stored.raw is not None:
            piece = _kept(stored)
            names[stored.case.group], numbers = _spelled(piece)
            taken[stored.case.group].add(numbers)
            yield piece
    for group in (group.name for group in groups):
        for stored in cases:
            if stored.case.group == group and stored.raw is None:
                numbers = _numbers(stored.place, taken[group])
                record = _record(stored.place, stored.case, stored.published, numbers)
                yield {names.get(group, group): [record]}


def _kept(stored: StoredCase) -> Piece:
    try:
        return checked_piece(stored.raw)
    except ValueError as error:
        raise damaged_record(stored.place, str(error)) from error


def _spelled(piece: Piece) -> tuple[str, tuple[int | None, int]]:
    """The group as a piece spells it, and the run and pair of its record."""
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
    """The run and pair of the key, or the next free pair if another generator's case has the same."""
    run = int(place.run) if place.run and place.run.isascii() and place.run.isdigit() else None
    match = _NUMBER.fullmatch(place.key)
    pair = int(match[1]) if match else 1
    free = next(number for number in count(pair) if (run, number) not in taken)
    taken.add((run, free))
    return run, free
