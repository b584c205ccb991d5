"""The format that every protocol has: JSON Lines, one case a line, with its place and published values.

``group`` and ``payload`` are required. ``protocol``, ``key``, ``generator``, ``origin`` (generated or seed),
``run``, ``published`` and ``extra`` are optional; ``published`` and ``extra`` are objects.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.errors import InputError
from reviewer.core.sanitize import is_single_line, shown
from reviewer.core.strict_json import MOST_CHARACTERS, kind_of
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import CaseFormat, Lines, LinesFormat, ReadCase, Reading, Source, StoredCase
from reviewer.protocols.intake import (
    CORRECT,
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
from store.records import JsonValue, canonical_json

ENDING = ".jsonl"
_LONGEST_KEY = 200
_SHAPE = 'give one object a line, such as {"group": "…", "payload": {…}}'


class _Line(BaseModel):
    """One line, before its payload is validated."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    group: str
    payload: dict[str, Any]
    protocol: str | None = None
    key: str | None = Field(default=None, min_length=1, max_length=_LONGEST_KEY)
    generator: str | None = None
    origin: Literal["seed", "generated"] = "generated"
    run: str | None = None
    published: dict[str, Any] = {}
    extra: dict[str, Any] = {}


class CaseLines(LinesFormat):
    """Cases of any protocol."""

    name = "JSON Lines"

    def recognises(self, name: str, *, is_folder: bool) -> bool:
        """Files whose name ends in ``.jsonl``."""
        return not is_folder and name.casefold().endswith(ENDING)

    def read(self, lines: Lines, protocol: Protocol, source: Source) -> Reading:
        """One case from each line."""
        intake = Intake()
        for position, (number, content) in enumerate(lines):
            where = f"{source.shown}, line {number}"
            with intake.attempt():
                intake.add(_case(content, position, number, where, protocol, source), where)
        return intake.result()

    def is_record(self, raw: JsonValue) -> bool:
        """An object with a group and a payload."""
        return isinstance(raw, dict) and isinstance(raw.get("payload"), dict) and "group" in raw

    def write(self, cases: Sequence[StoredCase], protocol: Protocol) -> Sequence[JsonValue]:
        """The line of each case: as it was imported if that was stored, else written from the case."""
        return [_written(stored, protocol) if stored.raw is None else stored.raw for stored in cases]


def protocol_named_in(lines: Lines) -> str | None:
    """The protocol that the first line names; None if it names none."""
    first = lines[0][1] if lines else None
    named = first.get("protocol") if isinstance(first, dict) else None
    return named if isinstance(named, str) else None


def formats_of(protocol: Protocol) -> tuple[CaseFormat, ...]:
    """The protocol's own formats, then the one that every protocol has."""
    return (*protocol.formats(), CaseLines())


def _case(
    content: JsonValue | InputError,
    position: int,
    number: int,
    where: str,
    protocol: Protocol,
    source: Source,
) -> ReadCase:
    if isinstance(content, InputError):
        raise content
    line = _line(content, where, source)
    if line.protocol not in (None, protocol.name):
        wrong = f"belongs to protocol {shown(str(line.protocol))!r}, not to {protocol.name!r}"
        remedy = "leave --protocol out, or import" if source.protocol else "import"
        raise InputError(where, wrong, f"{remedy} the cases of each protocol from a file of their own")
    group = known_group(protocol, line.group, where)
    by = line.generator or source.generator or UNKNOWN_GENERATOR
    return ReadCase(
        case=valid_case(protocol, group, line.payload, where),
        key=line.key or f"{group}/{number}",
        position=position,
        generator=by if line.origin == "generated" else HAND_WRITTEN,
        origin=line.origin,
        run=line.run,
        published=line.published,
        extra=line.extra,
        raw=content,
    )


def _line(content: JsonValue, where: str, source: Source) -> _Line:
    """A line of the right shape; raises InputError."""
    if not isinstance(content, dict):
        raise InputError(where, f"is {kind_of(content)}, not an object", _SHAPE)
    check_field_names(content, where)
    beside = {name: value for name, value in content.items() if name != "payload"}
    check_kept(content, where)
    try:
        line = _Line.model_validate(content)
    except ValidationError as error:
        fault = invalid(where, error)
        if not {"group", "payload"} <= content.keys():
            raise InputError(fault.where, fault.wrong, source.or_name_protocol("add it")) from None
        raise fault from None
    for name, text in (("key", line.key), ("run", line.run)):
        if text is not None and not is_single_line(text):
            raise InputError(f"{where}, field {name!r}", "is not one line", CORRECT)
    if line.generator is not None and not is_generator_name(line.generator):
        raise InputError(f"{where}, field 'generator'", "cannot be the name of a generator", CORRECT)
    if (size := len(canonical_json(beside))) > MOST_CHARACTERS:
        wrong = f"has {size:,} characters beside its payload, more than {MOST_CHARACTERS:,}"
        raise InputError(where, wrong, "leave some of them out")
    return line


def _written(stored: StoredCase, protocol: Protocol) -> JsonValue:
    place = stored.place
    return {
        "protocol": protocol.name,
        "group": stored.case.group,
        "key": place.key,
        "generator": place.generator,
        "origin": place.origin,
        "run": place.run,
        "payload": stored.case.payload,
        "published": dict(stored.published),
        "extra": place.extra,
    }
