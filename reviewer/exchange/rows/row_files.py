"""Files of rows, read in a stream: JSON Lines, JSON, CSV, TSV or Parquet, by content and name.

JSON is a list of objects, or objects that go over several lines each.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TextIO

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown, strange_character
from reviewer.core.source_text import size_of_regular
from reviewer.core.strict_json import first_value, kind_of, parse
from reviewer.exchange.rows.parquet_rows import PARQUET_MARK, parquet_rows
from reviewer.exchange.rows.row_text import (
    FROM_HERE,
    LONGEST_ROW,
    RowText,
    bounded_lines,
    encoded_text,
    not_text,
)
from reviewer.exchange.rows.separated_rows import separated_rows
from reviewer.exchange.rows.source_file import MOST_BYTES, shown_path, unreadable
from reviewer.protocols.formats import SourceRow, SourceRows
from store.records import JsonValue

RowKind = Literal["parquet", "json", "separated"]
_NAMED: Mapping[str, RowKind] = {
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".csv": "separated",
    ".tsv": "separated",
    ".tab": "separated",
}
_IN_WORDS: Mapping[RowKind, str] = {"parquet": "Parquet", "json": "JSON", "separated": "CSV"}
_FOREIGN = {
    b"PK\x03\x04": ("is a ZIP file or a spreadsheet", "save its table as CSV, or unpack it"),
    b"\x1f\x8b": ("is compressed with gzip", "unpack it first"),
    b"SQLite format 3\0": ("is an SQLite database", "export the table as CSV"),
    b"%PDF": ("is a PDF file", "give the data as CSV or JSON Lines"),
}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_CHUNK = 1 << 20
_SHAPE = 'give one object a line, such as {"id": "…", "text": "…"}'


@dataclass(frozen=True, slots=True)
class RowOptions:
    """What a person says about a file of rows: its encoding and the separator of its columns, if any."""

    encoding: str | None = None
    separator: str | None = None


AS_FOUND = RowOptions()
"""Nothing is said: encoding and separator are found in the file."""


def open_rows(path: Path, options: RowOptions = AS_FOUND) -> SourceRows:
    """The rows of a file; raises InputError if the file as a whole cannot be read as rows."""
    where = shown_path(path)
    size = size_of_regular(path, where, "save its content to a file and give that")
    if size > MOST_BYTES:
        wrong = f"has {size:,} bytes; at most {MOST_BYTES:,} are read"
        raise InputError(where, wrong, "split it, or check that it is the right file")
    try:
        with path.open("rb") as file:
            head = file.read(4096)
        return _rows(path, where, head, options)
    except OSError as error:
        raise unreadable(where, error) from error


def _rows(path: Path, where: str, head: bytes, options: RowOptions) -> SourceRows:
    shown_name = shown(path.name)
    if head.startswith(PARQUET_MARK):
        _check_name(path, where, "parquet")
        return parquet_rows(path, shown_name)
    for mark, (wrong, remedy) in _FOREIGN.items():
        if head.startswith(mark):
            raise InputError(where, wrong, remedy)
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        raise InputError(where, "is empty", "check that it is the right file and complete")
    text = encoded_text(path, where, options.encoding)
    try:
        with text.opened("") as opened:
            begin = opened.read(4096).lstrip()
    except UnicodeError as error:
        raise not_text(where, text.encoding, error) from None
    kind: RowKind = "json" if _looks_like_json(begin, path) else "separated"
    if kind == "separated" and _NAMED.get(path.suffix.casefold()) == "json" and _is_json(begin):
        raise InputError(where, "holds JSON values that are not objects", _SHAPE)
    _check_name(path, where, kind)
    if kind == "separated":
        return separated_rows(text, shown_name, options.separator)
    return _json_rows(text, shown_name, begin)


def _looks_like_json(begin: str, path: Path) -> bool:
    """Whether a text begins as JSON does: with an object, or with a list of objects."""
    if re.match(r'\{\s*["}]|\[\s*[{\]]', begin):
        return True
    return _NAMED.get(path.suffix.casefold()) == "json" and begin.startswith(("{", "["))


def _is_json(begin: str) -> bool:
    """Whether the first line is a JSON value."""
    try:
        parse(begin.partition("\n")[0], "")
    except InputError:
        return False
    return True


def _check_name(path: Path, where: str, kind: RowKind) -> None:
    """Raise InputError if the name of a file promises something else than the file holds."""
    named = _NAMED.get(path.suffix.casefold(), kind)
    if named != kind:
        held = _IN_WORDS[kind] if kind != "separated" else f"text that is not {_IN_WORDS[named]}"
        ending = {"parquet": ".parquet", "json": ".jsonl", "separated": ".csv"}[kind]
        wrong = f"is named {path.suffix.casefold()} but holds {held}"
        raise InputError(where, wrong, f"give the right file, or rename it to end in {ending}")


def _json_rows(text: RowText, where: str, begin: str) -> SourceRows:
    is_list = begin.startswith("[")
    goes_on = begin.partition("\n")[0].rstrip().endswith(("{", "[", ","))
    if is_list or goes_on:
        read = partial(_value_rows, text, where, is_list=is_list)
    else:
        read = partial(_line_rows, text, where)
    notices = (text.notice,) if text.notice else ()
    return SourceRows(where, None, True, notices, read)


def _line_rows(text: RowText, where: str) -> Iterator[SourceRow]:
    count = 0
    with text.opened("\n") as file:
        for number, line in bounded_lines(file, where):
            if isinstance(line, InputError) or line.strip():
                count += 1
                at = f"{where}, line {number}"
                yield SourceRow(count, at, _object_of(line, at, text.encoding))


def _object_of(line: str | InputError, where: str, encoding: str) -> Mapping[str, JsonValue] | InputError:
    if isinstance(line, InputError):
        return line
    if strange_character(line):
        return (
            InputError(where, "holds a NUL byte", "take it out")
            if "\0" in line
            else not_text(where, encoding, text=line)
        )
    try:
        return _as_object(parse(line.strip(), where), where)
    except InputError as error:
        return InputError(where, error.wrong.replace(" at line 1, column", " at column"), error.remedy)


def _as_object(value: JsonValue, where: str) -> Mapping[str, JsonValue] | InputError:
    if isinstance(value, dict):
        return value
    return InputError(where, f"is {kind_of(value)}, not an object", _SHAPE)


def _value_rows(text: RowText, where: str, *, is_list: bool) -> Iterator[SourceRow]:
    """The values of a list, or those that follow one another, wherever their lines end."""
    with text.opened("\n") as file:
        decoded = _JsonValues(file, where, text.encoding)
        for count, value in enumerate(decoded.in_list() if is_list else decoded.one_by_one(), 1):
            at = f"{where}, row {count}"
            yield SourceRow(count, at, _as_object(value, at))


class _JsonValues:
    """JSON values, decoded one after the other from a text that is read in pieces."""

    def __init__(self, file: TextIO, where: str, encoding: str) -> None:
        self._file, self._where, self._encoding = file, where, encoding
        self._text, self._at, self._lines = "", 0, 1
        self._count = 0

    def one_by_one(self) -> Iterator[JsonValue]:
        """The values with only blanks between; raises InputError where one is not JSON."""
        while self._next_sign():
            yield self._value()
            self._count += 1

    def in_list(self) -> Iterator[JsonValue]:
        """The values of a list; raises InputError where it ends too early or is not JSON."""
        self._expect("[")
        while self._next_sign() != "]":
            yield self._value()
            self._count += 1
            if self._next_sign() != "]":
                self._expect(",")
        self._at += 1
        if sign := self._next_sign():
            raise self._fault(f"goes on after its list, with {sign!r}")

    def _value(self) -> JsonValue:
        while True:
            try:
                value, self._at = first_value(self._text, self._at)
            except RecursionError:
                raise self._fault("is nested too deeply") from None
            except ValueError as error:
                if len(self._text) - self._at > LONGEST_ROW:
                    raise self._fault(f"has a row of more than {LONGEST_ROW:,} characters") from None
                if not self._more():
                    reason = getattr(error, "msg", "a number with thousands of digits")
                    raise self._fault(f"is not JSON that can be read ({reason})") from None
            else:
                return value

    def _next_sign(self) -> str:
        """The next character that is not a blank; "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _expect(self, sign: str) -> None:
        if self._next_sign() != sign:
            raise self._fault(f"is incomplete JSON or lacks a {sign!r}")
        self._at += 1

    def _more(self) -> bool:
        """Read on, at least as much as is held already, and drop what was decoded."""
        left = len(self._text) - self._at
        try:
            piece = self._file.read(max(_CHUNK, left))
        except UnicodeError as error:
            raise not_text(self._where, self._encoding, error) from None
        self._lines += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :] + piece, 0
        return bool(piece)

    def _fault(self, wrong: str) -> InputError:
        line = self._lines + self._text.count("\n", 0, self._at)
        where = f"{self._where}, row {self._count + 1} (line {line})"
        return InputError(where, f"{wrong}, {FROM_HERE}", "check that the file is the right one and complete")
