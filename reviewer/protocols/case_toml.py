"""The form of hand-written cases that every protocol has: TOML with a table [[case]] for each case.

A table has what a line of JSON Lines has (``case_lines``). The fields of the payload stand beside the group,
or in a table ``payload``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import shown
from reviewer.core.source_text import toml_content
from reviewer.protocols.base import Protocol
from reviewer.protocols.case_lines import CaseLines, case_of_line, line_of_case
from reviewer.protocols.formats import CaseFormat, Reading, Source, SourceRow, StoredCase, TextFormat
from reviewer.protocols.intake import Intake
from store.records import JsonValue

ENDING: Final = ".toml"
_TABLE: Final = "case"
_BESIDE: Final = ("protocol", "group", "key", "generator", "origin", "run", "published", "extra")
_HEADER: Final = re.compile(rf"^[ \t]*\[\[[ \t]*{_TABLE}[ \t]*\]\]", re.MULTILINE)
_BEGIN: Final = f"begin each case with [[{_TABLE}]]"


class CaseToml(TextFormat):
    """Cases of any protocol."""

    name = "TOML"
    endings = (ENDING,)

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
    """The line of a case as a table without what is empty; raises RequestError for what TOML cannot hold.

    The payload stands beside the rest if no name stands for both.
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
