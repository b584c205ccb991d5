"""The published file of a library: one JSON object, in which each name of a bias has a definition."""

from collections.abc import Sequence
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import kind_of, repetition_in
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import JsonFormat, ReadCase, Reading, Source, StoredCase
from reviewer.protocols.intake import (
    CORRECT,
    HAND_WRITTEN,
    Intake,
    check_field_names,
    check_kept,
    known_group,
    valid_case,
)
from reviewer.protocols.judge_pairs.payloads import KNOWN, same_bias
from store.records import Case, JsonValue

_FIELDS: Final = {
    "definition": "Definition",
    "manifestations": "Manifestations",
    "nearest": "Nearest",
    "nearest_definition": "Definition of nearest",
}
_ORIGIN: Final = "Origin"
_ALWAYS: Final = ("definition", "manifestations")
"""The fields of published libraries. The others are written where an entry has them."""
_SHAPE = 'give one object, such as {"Length bias": {"Definition": "…", "Manifestations": "…"}}'
_DISTINCT = "join them under one name"


class BiasLibrary(JsonFormat):
    """The published library of known biases."""

    name = "a library in JSON"
    endings = (".json",)

    def read(self, content: JsonValue, protocol: Protocol, source: Source) -> Reading:
        """An entry for each name; raises InputError for a value of another form, and for a repeated name."""
        if not isinstance(content, dict):
            raise InputError(source.shown, f"holds {kind_of(content)}, not an object", _SHAPE)
        if fault := repetition_in(content):
            raise InputError(source.shown, fault, _DISTINCT)
        intake, named = Intake(), dict[str, str]()
        for position, (name, fields) in enumerate(content.items()):
            with intake.attempt():
                where = f"{source.shown}, {shown(name)!r}"
                if earlier := named.get(same_bias(name)):
                    raise InputError(where, f"names the same bias as {shown(earlier)!r}", _DISTINCT)
                named[same_bias(name)] = name
                intake.add(_entry(name, fields, position, where, protocol), where)
        return intake.result()

    def is_record(self, raw: JsonValue) -> bool:
        """An object with one name, whose value has a definition."""
        return isinstance(raw, dict) and any(
            isinstance(fields, dict) and _FIELDS["definition"] in fields for fields in raw.values()
        )

    def write(self, cases: Sequence[StoredCase], protocol: Protocol) -> JsonValue:
        """The object with all entries, each as it was imported if that was stored."""
        written: dict[str, JsonValue] = {}
        for stored in cases:
            written |= stored.raw if isinstance(stored.raw, dict) else _named(stored.case)
        return written


def _named(case: Case) -> dict[str, JsonValue]:
    """The name of an entry with its fields."""
    payload = case.payload
    fields: dict[str, JsonValue] = {
        column: payload[name] for name, column in _FIELDS.items() if name in _ALWAYS or payload[name]
    }
    return {str(payload["bias"]): fields | ({_ORIGIN: case.group} if case.group != KNOWN else {})}


def _entry(name: str, fields: JsonValue, position: int, where: str, protocol: Protocol) -> ReadCase:
    if not isinstance(fields, dict):
        raise InputError(where, f"is {kind_of(fields)}, not an object", _SHAPE)
    check_field_names(fields, where)
    payload = {kept: fields[column] for kept, column in _FIELDS.items() if column in fields}
    origin = fields.get(_ORIGIN, KNOWN)
    if not isinstance(origin, str):
        raise InputError(f"{where}, field {_ORIGIN!r}", f"is {kind_of(origin)}, not a text", CORRECT)
    group = known_group(protocol, origin, f"{where}, field {_ORIGIN!r}")
    case = valid_case(protocol, group, {"bias": name, **payload}, where, {**_FIELDS, "bias": "name"})
    extra = {column: value for column, value in fields.items() if column not in (*_FIELDS.values(), _ORIGIN)}
    check_kept(extra, where)
    return ReadCase(
        case=case,
        key=str(case.payload["bias"]),
        position=position,
        generator=HAND_WRITTEN,
        origin="seed",
        extra=extra,
        raw={name: fields},
    )
