"""PROBE-SWE's published JSON: an object of bias → list of records, one record a pair."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from pydantic import ValidationError

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import MOST_CHARACTERS, kind_of, repetition_in
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import ReadCase, Reading, Source, StoredCase, WritableJsonFormat
from reviewer.protocols.intake import (
    HAND_WRITTEN,
    UNKNOWN_GENERATOR,
    Intake,
    check_field_names,
    check_kept,
    invalid,
    is_generator_name,
    known_group,
    valid_case,
)
from reviewer.protocols.probe_swe.formats.dataset_writing import dataset_value
from reviewer.protocols.probe_swe.formats.file_pieces import FilePieces
from reviewer.protocols.probe_swe.formats.published_names import generator_of_file
from reviewer.protocols.probe_swe.formats.published_values import PublishedRecord
from store.records import JsonValue, canonical_json

_SHAPE = "give an object of bias → list of records"


class DatasetJson(WritableJsonFormat):
    """The published dataset of one model."""

    name = "PROBE-SWE's JSON"

    def recognises(self, name: str, *, is_folder: bool) -> bool:
        """Every file except JSON Lines and Parquet."""
        return not is_folder and not name.casefold().endswith((".jsonl", ".parquet"))

    def read(self, content: JsonValue, protocol: Protocol, source: Source) -> Reading:
        """Every record; raises InputError if the file as a whole has another form.

        If the record of a generated case names no generator, the generator is that of the source, else the
        one in the name of the file.
        """
        generator = source.generator or generator_of_file(source.name) or UNKNOWN_GENERATOR
        records, positions = _Records(protocol, generator), count()
        for name, found in _groups(content, source.path).items():
            with records.intake.attempt():
                group = known_group(protocol, name, source.shown)
                where = f"{source.shown}, {group}"
                if not isinstance(found, list):
                    raise InputError(where, f"holds {kind_of(found)}, not a list", _SHAPE)
                if name != group:
                    records.intake.notice(f"{source.shown}: group {shown(name)!r} is read as {group!r}")
                records.pieces.begin(name)
                for number, record in enumerate(found, 1):
                    with records.intake.attempt():
                        records.add(record, group, next(positions), f"{where}, record {number}")
        return records.pieces.added_to(records.intake.result())

    def is_record(self, raw: JsonValue) -> bool:
        """An object of group → list of records."""
        return isinstance(raw, dict) and all(isinstance(records, list) for records in raw.values())

    def write(self, cases: Sequence[StoredCase], protocol: Protocol) -> JsonValue:
        """Every case, as it was published if the record was stored."""
        return dataset_value(cases, protocol.groups)


def _groups(groups: JsonValue, where: str) -> dict[str, JsonValue]:
    if not isinstance(groups, dict):
        raise InputError(where, f"holds {kind_of(groups)}", _SHAPE)
    if fault := repetition_in(groups):
        raise InputError(where, fault, "join them under one name")
    return groups


@dataclass(frozen=True, slots=True)
class _Records:
    """Turns the records of one file into cases."""

    protocol: Protocol
    generator: str
    intake: Intake = field(default_factory=Intake)
    pieces: FilePieces = field(default_factory=FilePieces)

    def add(self, record: JsonValue, group: str, position: int, where: str) -> None:
        """Add one record; raises InputError if it is not valid."""
        if not isinstance(record, dict):
            raise InputError(where, f"is {kind_of(record)}, not an object", _SHAPE)
        texts = self.protocol.payload_model.model_fields.keys()
        beside = {name: value for name, value in record.items() if name not in texts}
        check_field_names(record, where)
        check_kept(beside, where)
        try:
            published = PublishedRecord.model_validate(beside)
        except ValidationError as error:
            raise invalid(where, error) from None
        payload = {name: record[name] for name in texts if name in record}
        case = valid_case(self.protocol, group, payload, where)
        generator, extra = self.generator, _extra(beside, where)
        if isinstance(named := extra.get("generator"), str) and is_generator_name(named):
            generator = named
        found = ReadCase(
            case=case,
            key=f"{group}/{published.number}",
            position=position,
            generator=generator if published.AI_generated else HAND_WRITTEN,
            run=None if published.run_id is None else str(published.run_id),
            origin="generated" if published.AI_generated else "seed",
            published=published.measured,
            extra=extra,
        )
        self.intake.add(found, where)
        self.pieces.add(found.key, record)
        if notice := published.notice_of(record.get("correct_option")):
            self.intake.notice(f"{where}: {notice}")


def _extra(beside: dict[str, JsonValue], where: str) -> dict[str, Any]:
    extra = {name: value for name, value in beside.items() if name not in PublishedRecord.model_fields}
    if (size := len(canonical_json(extra))) > MOST_CHARACTERS:
        wrong = f"has {size:,} characters in additional fields, more than {MOST_CHARACTERS:,}"
        raise InputError(where, wrong, "leave some of them out")
    return extra
