"""The formats that every protocol has: JSON Lines, one case a line, with its place and published values.

Cases that people write by hand are TOML with a table [[case]] for each, which has what a line has. There the
fields of the payload stand beside the group, or in a table ``payload``.

``group`` and ``payload`` are required. ``protocol``, ``key``, ``generator``, ``origin`` (who wrote the case:
people, ``seed``; a model, ``generated``; or unknown, ``imported``), ``run``, ``published`` and ``extra`` are
optional; ``published`` and ``extra`` are objects.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import is_single_line, shown
from reviewer.core.source_text import toml_content
from reviewer.core.strict_json import MOST_CHARACTERS
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import (
    CaseFormat,
    ReadCase,
    Reading,
    RowsFormat,
    Source,
    SourceRow,
    SourceRows,
    StoredCase,
    TextFormat,
)
from reviewer.protocols.intake import (
    CORRECT,
    HAND_WRITTEN,
    UNKNOWN_GENERATOR,
    UNSTATED_GENERATOR,
    Intake,
    check_kept,
    invalid,
    is_generator_name,
    known_group,
    origin_of,
    valid_case,
)
from store.records import JsonValue, Origin, canonical_json

_LONGEST_KEY = 200


class _Line(BaseModel):
    """One line, before its payload is validated."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    group: str
    payload: dict[str, Any]
    protocol: str | None = None
    key: str | None = Field(default=None, min_length=1, max_length=_LONGEST_KEY)
    generator: str | None = None
    origin: Origin | None = None
    run: str | None = None
    published: dict[str, Any] = {}
    extra: dict[str, Any] = {}


class CaseLines(RowsFormat):
    """Cases of any protocol."""

    name = "JSON Lines"
    endings = (".jsonl",)

    def reader(self, rows: SourceRows, protocol: Protocol, source: Source) -> Callable[[SourceRow], ReadCase]:
        """One case from each line."""
        return lambda row: case_of_line(row, protocol, source)

    def is_record(self, raw: JsonValue) -> bool:
        """An object with a group and a payload."""
        return isinstance(raw, dict) and isinstance(raw.get("payload"), dict) and "group" in raw

    def write(self, cases: Iterable[StoredCase], protocol: Protocol) -> Iterator[dict[str, JsonValue]]:
        """The line of each case: as it was imported if that was stored, else written from the case."""
        return (line_of_case(stored, protocol) if stored.raw is None else stored.raw for stored in cases)


def protocol_named_in(rows: SourceRows) -> str | None:
    """The protocol that the first line names; None if it names none."""
    first = next(rows.read(), None)
    named = first.content.get("protocol") if first and not isinstance(first.content, InputError) else None
    return named if isinstance(named, str) else None


def case_of_line(row: SourceRow, protocol: Protocol, source: Source) -> ReadCase:
    """The case of one line; raises InputError."""
    where, content = row.where, dict(row.cells)
    line = _line(content, where, source)
    if line.protocol not in (None, protocol.name):
        wrong = f"belongs to protocol {shown(str(line.protocol))!r}, not to {protocol.name!r}"
        remedy = "leave --protocol out, or import" if source.protocol else "import"
        raise InputError(where, wrong, f"{remedy} the cases of each protocol from a file of their own")
    group = known_group(protocol, line.group, where)
    generator, origin = _by_whom(line, source)
    return ReadCase(
        case=valid_case(protocol, group, line.payload, where),
        key=line.key or f"{group}/{row.number}",
        position=row.number - 1,
        generator=generator,
        origin=origin,
        run=line.run,
        published=line.published,
        extra=line.extra,
        raw=content,
    )


def _by_whom(line: _Line, source: Source) -> tuple[str, Origin]:
    """The generator of a case, and who wrote it."""
    if line.origin == "seed":
        return HAND_WRITTEN, "seed"
    named = line.generator or source.generator
    if line.origin == "imported":
        return named or UNSTATED_GENERATOR, "imported"
    # Release 1.0 wrote "generated" also for cases that people wrote: the generator tells them.
    by = named or UNKNOWN_GENERATOR
    return by, origin_of(by)


def _line(content: dict[str, JsonValue], where: str, source: Source) -> _Line:
    """A line of the right shape; raises InputError."""
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


def line_of_case(stored: StoredCase, protocol: Protocol) -> dict[str, JsonValue]:
    """The line of a case, with its place and its published values."""
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


_TABLE: Final = "case"
_BESIDE: Final = ("protocol", "group", "key", "generator", "origin", "run", "published", "extra")
_HEADER: Final = re.compile(rf"^[ \t]*\[\[[ \t]*{_TABLE}[ \t]*\]\]", re.MULTILINE)
_BEGIN: Final = f"begin each case with [[{_TABLE}]]"


class CaseToml(TextFormat):
    """Cases of any protocol."""

    name = "TOML"
    endings = (".toml",)

    def read(self, content: str, protocol: Protocol, source: Source) -> Reading:
        """The case of each table."""
        parsed = toml_content(content, source.shown)
        tables = parsed.pop(_TABLE, None)
        if parsed or not isinstance(tables, list) or not tables:
            wrong = f"has {shown(next(iter(parsed)))!r}" if parsed else f"has no table [[{_TABLE}]]"
            raise InputError(source.shown, wrong, source.or_name_protocol(_BEGIN))
        intake = Intake()
        for row in _rows(content, tables, source):
            with intake.attempt():
                intake.add(case_of_line(row, protocol, source), row.where)
        return intake.result()

    def is_record(self, raw: JsonValue) -> bool:
        """A table is kept as its line of JSON Lines."""
        return CaseLines().is_record(raw)

    def write(self, cases: Sequence[StoredCase], protocol: Protocol) -> str:
        """A table for each case: as it was imported if that was stored, else written from the case."""
        import tomlkit  # loads where a file is written

        return tomlkit.dumps({_TABLE: [_table(stored, protocol) for stored in cases]})


def protocol_of_tables(content: str, where: str) -> str | None:
    """The protocol that the first table names; None if it names none; raises InputError."""
    tables = toml_content(content, where).get(_TABLE)
    first = tables[0] if isinstance(tables, list) and tables else None
    named = first.get("protocol") if isinstance(first, dict) else None
    return named if isinstance(named, str) else None


def formats_of(protocol: Protocol) -> tuple[CaseFormat, ...]:
    """The protocol's own formats, then those that every protocol has."""
    return (*protocol.formats(), CaseLines(), CaseToml())


def _rows(content: str, tables: Sequence[Any], source: Source) -> Iterator[SourceRow]:
    """Each table as a line; its place names the line of the file where it begins, if the headers tell it."""
    starts = [content.count("\n", 0, header.end()) + 1 for header in _HEADER.finditer(content)]
    for number, table in enumerate(tables, 1):
        line = f" (line {starts[number - 1]:,})" if len(starts) == len(tables) else ""
        where = f"{source.shown}, case {number:,}{line}"
        if not isinstance(table, dict):
            raise InputError(where, "is not a table", _BEGIN)
        beside = {name: value for name, value in table.items() if name in _BESIDE}
        payload = {name: value for name, value in table.items() if name not in _BESIDE}
        yield SourceRow(number, where, table if "payload" in table else {**beside, "payload": payload})


def _table(stored: StoredCase, protocol: Protocol) -> dict[str, Any]:
    """The line of a case as a table without empty values.

    The fields of the payload become keys of this table unless one of them has a name that the table uses.
    Raises RequestError for a value that TOML cannot hold.
    """
    raw = stored.raw
    line: Mapping[str, Any] = raw if isinstance(raw, dict) else line_of_case(stored, protocol)
    payload = line["payload"]
    line = {"protocol": protocol.name, **line}
    beside = {name: value for name, value in line.items() if name != "payload" and value not in (None, {})}
    nested = payload.keys() & {*_BESIDE, "payload"}
    table = beside | ({"payload": payload} if nested else dict(payload))
    if _has_null(table):
        raise RequestError(
            f"case {shown(stored.place.key)!r} has an empty value (null), which TOML cannot hold; "
            "give a file whose name ends in .jsonl."
        )
    return table


def _has_null(value: JsonValue) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(_has_null, inner))
