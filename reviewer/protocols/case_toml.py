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
        """Never: a case is kept as its line of JSON Lines."""
        return False

    def write(self, cases: Sequence[StoredCase], protocol: Protocol) -> str:
        """A table for each case."""
        import tomlkit  # loads where a file is written

        return tomlkit.dumps({_TABLE: [_table(line_of_case(stored, protocol)) for stored in cases]})


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
        yield SourceRow(number, where, {**beside, "payload": table.get("payload", payload)})


def _table(line: Mapping[str, Any]) -> dict[str, Any]:
    """A line as a table without what is empty, its payload beside the rest if no name stands for both.

    Raises RequestError for what TOML cannot hold.
    """
    payload = line["payload"]
    beside = {name: value for name, value in line.items() if name != "payload" and value not in (None, {})}
    nested = payload.keys() & {*_BESIDE, "payload"}
    table = beside | ({"payload": payload} if nested else dict(payload))
    if _has_null(table):
        raise RequestError(
            f"case {shown(str(line['key']))!r} has an empty value (null), which TOML cannot hold; "
            "give a file whose name ends in .jsonl."
        )
    return table


def _has_null(value: JsonValue) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(_has_null, inner))
