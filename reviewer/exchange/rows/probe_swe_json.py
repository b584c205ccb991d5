"""PROBE-SWE's published JSON: an object of bias → list of records, one record a pair."""

from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from reviewer.core.errors import InputError
from reviewer.exchange.rows.file_pieces import FilePieces
from reviewer.exchange.rows.incoming import (
    CORRECT,
    HAND_WRITTEN,
    Incoming,
    Intake,
    invalid,
    is_generator_name,
    known_group,
    valid_case,
)
from reviewer.exchange.rows.probe_swe_values import PublishedRecord
from reviewer.exchange.rows.source_file import read_text, shown, shown_path
from reviewer.exchange.rows.strict_json import MOST_CHARACTERS, fault_in, kind_of, parse, repetition_in
from reviewer.protocols.base import Protocol
from store.cases import Entry
from store.records import JsonValue, Membership, canonical_json

_SHAPE = "give an object of bias → list of records"


def read_dataset_json(path: Path, protocol: Protocol, dataset: str, generator: str) -> Incoming:
    """Everything in the file; raises InputError where the file as a whole cannot be read.

    ``generator`` wrote the generated cases whose record does not name another one.
    """
    records = _Records(protocol, dataset, generator)
    source, positions = shown(path.name), count()
    for name, found in _groups(path).items():
        with records.intake.attempt():
            group = known_group(protocol, name, source)
            where = f"{source}, {group}"
            if not isinstance(found, list):
                raise InputError(where, f"holds {kind_of(found)}, not a list", _SHAPE)
            if name != group:
                records.intake.notice(f"{source}: group {shown(name)!r} is read as {group!r}")
            records.pieces.begin(name)
            for number, record in enumerate(found, 1):
                with records.intake.attempt():
                    records.add(record, group, next(positions), f"{where}, record {number}")
    return records.pieces.added_to(records.intake.result())


def _groups(path: Path) -> dict[str, JsonValue]:
    where = shown_path(path)
    groups = parse(read_text(path, where), where)
    if not isinstance(groups, dict):
        raise InputError(where, f"holds {kind_of(groups)}", _SHAPE)
    if fault := repetition_in(groups):
        raise InputError(where, fault, "join them under one name")
    return groups


@dataclass(frozen=True, slots=True)
class _Records:
    """Turns the records of one file into entries."""

    protocol: Protocol
    dataset: str
    generator: str
    intake: Intake = field(default_factory=Intake)
    pieces: FilePieces = field(default_factory=FilePieces)

    def add(self, record: JsonValue, group: str, position: int, where: str) -> None:
        """Take one record; raises InputError where it is not valid."""
        if not isinstance(record, dict):
            raise InputError(where, f"is {kind_of(record)}, not an object", _SHAPE)
        texts = self.protocol.payload_model.model_fields.keys()
        beside = {name: value for name, value in record.items() if name not in texts}
        _check(record, beside, where)
        try:
            published = PublishedRecord.model_validate(beside)
        except ValidationError as error:
            raise invalid(where, error) from None
        payload = {name: record[name] for name in texts if name in record}
        case = valid_case(self.protocol, group, payload, where)
        place = self._place(published, case.digest, group, position, _extra(beside, where))
        self.intake.add(Entry(case, place, published.measurements(place)), where)
        self.pieces.add(place.key, record)
        if notice := published.notice_of(record.get("correct_option")):
            self.intake.notice(f"{where}: {notice}")

    def _place(
        self, published: PublishedRecord, case: str, group: str, position: int, extra: dict[str, Any]
    ) -> Membership:
        generated = published.AI_generated
        named = extra.get("generator")
        generator = named if isinstance(named, str) and is_generator_name(named) else self.generator
        return Membership(
            dataset=self.dataset,
            key=f"{group}/{published.number}",
            case=case,
            position=position,
            generator=generator if generated else HAND_WRITTEN,
            run=None if published.run_id is None else str(published.run_id),
            origin="generated" if generated else "seed",
            extra=extra,
        )


def _check(record: dict[str, JsonValue], beside: dict[str, JsonValue], where: str) -> None:
    """What JSON leaves open: names that come twice or cannot be kept, and values beside the texts."""
    if fault := repetition_in(record):
        raise InputError(where, fault, CORRECT)
    for name, value in beside.items():
        if fault := fault_in(name):
            raise InputError(f"{where}, name of a field", fault, CORRECT)
        if fault := fault_in(value):
            raise InputError(f"{where}, field {shown(name)!r}", fault, CORRECT)


def _extra(beside: dict[str, JsonValue], where: str) -> dict[str, JsonValue]:
    extra = {name: value for name, value in beside.items() if name not in PublishedRecord.model_fields}
    if (size := len(canonical_json(extra))) > MOST_CHARACTERS:
        wrong = f"has {size:,} characters in fields that are only kept, more than {MOST_CHARACTERS:,}"
        raise InputError(where, wrong, "leave some of them out")
    return extra
