"""Files of rows, read in a stream and written: JSON Lines, JSON, CSV, TSV or Parquet, by content and name.

Sheets of Excel files are read, not written. JSON is a list of objects, or objects that go over several lines
each. A person may say which column of a file stands for a column of the format, or its value in each row.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, TextIO

from reviewer.core.csv_text import Cell, csv_lines, exact_csv
from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import closest
from reviewer.core.sanitize import one_line, shown, strange_character
from reviewer.core.source_text import check_regular
from reviewer.core.strict_json import first_value, kind_of, parse, shape_fault
from reviewer.exchange.rows.parquet_rows import PARQUET_MARK, parquet_content, parquet_rows
from reviewer.exchange.rows.separated_rows import separated_rows
from reviewer.exchange.rows.source_file import (
    FROM_HERE,
    GZIP_MARK,
    LONGEST_ROW,
    MOST_BYTES,
    Opener,
    PackedFile,
    RowText,
    bounded_lines,
    encoded_text,
    opener,
    plain_path,
    shown_path,
    unreadable,
)
from reviewer.exchange.rows.workbook_rows import ZIP_MARK, is_workbook, workbook_rows
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
    ZIP_MARK: (
        "is a ZIP file or a spreadsheet",
        "save its table as CSV, or unpack it; a ZIP of filled sheets needs --study and --rater alone",
    ),
    b"\xd0\xcf\x11\xe0": (
        "is an Excel file that has a password, or an old one (.xls)",
        "save it without a password as .xlsx or CSV",
    ),
    GZIP_MARK: ("is compressed with gzip", "unpack it first"),
    b"SQLite format 3\0": ("is an SQLite database", "export the table as CSV"),
    b"%PDF": ("is a PDF file", "give the data as CSV or JSON Lines"),
}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_CHUNK = 1 << 20
_SAVE = "save its content to a file and give that"
_SHAPE = 'give one object a line, such as {"id": "…", "text": "…"}'


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """The name of a column in a format, and the column of the file that it is, or the value of each row."""

    name: str
    column: str
    is_value: bool


@dataclass(frozen=True, slots=True)
class RowOptions:
    """What a person says about a file of rows: its encoding and the separator of its columns, if any.

    ``header_row`` is the line with the names of a CSV file's columns, ``sheet`` the sheet of a workbook, and
    ``columns`` are those with other names in the file. ``may_say``: the command has options to say it.
    """

    encoding: str | None = None
    separator: str | None = None
    header_row: int = 1
    sheet: str | None = None
    columns: tuple[NamedColumn, ...] = ()
    may_say: bool = True


AS_FOUND = RowOptions()
"""Nothing is said: encoding and separator are found in the file."""
_NO_OPTIONS = RowOptions(may_say=False)


def small_rows(path: Path, most_bytes: int) -> SourceRows:
    """The rows of a small file, for a command without options about its rows; raises InputError."""
    return open_rows(path, _NO_OPTIONS, most_bytes)


def open_rows(path: Path, options: RowOptions = AS_FOUND, most_bytes: int = MOST_BYTES) -> SourceRows:
    """The rows of a file; raises InputError if the file as a whole cannot be read as rows."""
    where = shown_path(path)
    check_regular(path, where, _SAVE, most_bytes)
    try:
        source = opener(path, where)
        with source() as file:
            head = file.read(4096)
        rows = _rows(plain_path(path), where, source, head, options)
    except OSError as error:
        raise unreadable(where, error) from error
    return with_names(rows, options.columns) if options.columns else rows


def check_is_text(path: Path, where: str) -> None:
    """Raise InputError for a file that another kind of program reads, such as a spreadsheet or a ZIP."""
    check_regular(path, where, _SAVE, MOST_BYTES)
    try:
        with path.open("rb") as file:
            _check_mark(where, file.read(max(map(len, _FOREIGN))))
    except OSError as error:
        raise unreadable(where, error) from error


def _check_mark(where: str, head: bytes) -> None:
    for mark, (wrong, remedy) in _FOREIGN.items():
        if head.startswith(mark):
            raise InputError(where, wrong, remedy)


def _rows(path: Path, where: str, source: Opener, head: bytes, options: RowOptions) -> SourceRows:
    shown_name = shown(path.name)
    if head.startswith(PARQUET_MARK):
        if isinstance(source, PackedFile):
            raise InputError(where, "holds Parquet that is compressed again", "unpack it first")
        _check_name(path, where, "parquet")
        return parquet_rows(path, shown_name)
    if head.startswith(ZIP_MARK) and is_workbook(path):
        return workbook_rows(path, shown_name, options.sheet, options.header_row)
    if options.sheet is not None:
        raise RequestError("--sheet names a sheet of an Excel file; this file is none, so leave it out.")
    _check_mark(where, head)
    if not head.strip(b" \t\r\n\xef\xbb\xbf"):
        raise InputError(where, "is empty", "check that it is the right file and complete")
    text = encoded_text(source, where, options.encoding, may_name=options.may_say)
    try:
        with text.opened("") as opened:
            begin = opened.read(4096).lstrip()
    except UnicodeError as error:
        raise text.fault(where, error) from None
    kind: RowKind = "json" if _looks_like_json(begin, path) else "separated"
    if kind == "separated" and _NAMED.get(path.suffix.casefold()) == "json" and _is_json(begin):
        raise InputError(where, "holds JSON values that are not objects", _SHAPE)
    _check_name(path, where, kind)
    if kind == "separated":
        head_row, may_say = options.header_row, options.may_say
        return separated_rows(text, shown_name, options.separator, header=head_row, may_say=may_say)
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
    notices = [text.notice] if text.notice else []
    return SourceRows(where, None, True, notices, read)


def _line_rows(text: RowText, where: str) -> Iterator[SourceRow]:
    count = 0
    for number, line in bounded_lines(text, where, "\n"):
        if isinstance(line, InputError) or line.strip():
            count += 1
            at = f"{where}, line {number}"
            yield SourceRow(count, at, _object_of(line, at, text))


def _object_of(line: str | InputError, where: str, text: RowText) -> Mapping[str, JsonValue] | InputError:
    if isinstance(line, InputError):
        return line
    if strange_character(line):
        return (
            InputError(where, "holds a NUL byte", "take it out")
            if "\0" in line
            else text.fault(where, text=line)
        )
    try:
        return _as_object(parse(line.strip(), where), where)
    except InputError as error:
        return InputError(where, error.wrong.replace(" at line 1, column", " at column"), error.remedy)


def _as_object(value: JsonValue, where: str) -> Mapping[str, JsonValue] | InputError:
    if fault := shape_fault(value):
        return InputError(where, fault, "correct it, or leave it out")
    if isinstance(value, dict):
        return value
    return InputError(where, f"is {kind_of(value)}, not an object", _SHAPE)


def _value_rows(text: RowText, where: str, *, is_list: bool) -> Iterator[SourceRow]:
    """The values of a list, or those that follow one another, wherever their lines end."""
    with text.opened("\n") as file:
        decoded = _JsonValues(file, where, text)
        for count, value in enumerate(decoded.in_list() if is_list else decoded.one_by_one(), 1):
            at = f"{where}, row {count}"
            yield SourceRow(count, at, _as_object(value, at))


class _JsonValues:
    """JSON values, decoded one after the other from a text that is read in pieces."""

    def __init__(self, file: TextIO, where: str, source: RowText) -> None:
        self._file, self._where, self._source = file, where, source
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
            raise self._source.fault(self._where, error) from None
        self._lines += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :] + piece, 0
        return bool(piece)

    def _fault(self, wrong: str) -> InputError:
        line = self._lines + self._text.count("\n", 0, self._at)
        where = f"{self._where}, row {self._count + 1} (line {line})"
        return InputError(where, f"{wrong}, {FROM_HERE}", "check that the file is the right one and complete")


def content_of_rows(
    rows: Sequence[Mapping[str, JsonValue]], name: str, *, for_scripts: bool = False
) -> str | bytes:
    """The content of a file with this name; raises RequestError if rows have no form with such an ending.

    The columns are those of all rows, in the order in which they appear. CSV is guarded for spreadsheets,
    unless it is ``for_scripts`` of other people, which would take the guard for a part of the text.
    """
    columns = list(dict.fromkeys(column for row in rows for column in row))
    ending = Path(name).suffix.casefold()
    match ending:
        case ".jsonl" | ".ndjson":
            return "".join(map(json_text, rows))
        case ".json":
            return json_text(rows, indent=1)
        case ".csv" | ".tsv" | ".tab":
            separator = "," if ending == ".csv" else "\t"
            cells = [[_cell(row.get(column)) for column in columns] for row in rows]
            if for_scripts:
                return exact_csv([columns, *cells], separator)
            return "".join(csv_lines(columns, cells, separator))
        case ".parquet":
            return parquet_content(columns, rows)
    raise RequestError(
        f"rows are not written as {name!r}; end the name in .jsonl, .json, .csv, .tsv or .parquet."
    )


def json_text(value: JsonValue, indent: int | None = None) -> str:
    """A value as JSON with a line end; raises ValueError for a number that JSON does not have."""
    return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False) + "\n"


def _cell(value: JsonValue) -> Cell:
    """Texts and numbers as they are, everything else as JSON."""
    if (
        value is None
        or isinstance(value, str)
        or (isinstance(value, int | float) and not isinstance(value, bool))
    ):
        return value
    return json_text(value).removesuffix("\n")


def named_columns(given: Sequence[str]) -> tuple[NamedColumn, ...]:
    """What OURS=THEIRS and OURS==VALUE mean; raises RequestError for another form, or a name given twice."""
    columns: dict[str, NamedColumn] = {}
    for text in given:
        name, sign, rest = text.partition("=")
        column = NamedColumn(name.strip(), rest.removeprefix("=").strip(), rest.startswith("="))
        if not (sign and column.name and column.column):
            raise RequestError(f"--column {one_line(text)!r} is not of the form OURS=THEIRS or OURS==VALUE.")
        if columns.setdefault(column.name, column) is not column:
            raise RequestError(f"--column names {shown(column.name)!r} twice; leave one of them out.")
    return tuple(columns.values())


def with_names(rows: SourceRows, columns: Sequence[NamedColumn]) -> SourceRows:
    """The rows with these columns under the names of a format."""

    def read() -> Iterator[SourceRow]:
        for row in rows.read():
            content = row.content
            yield (
                row
                if isinstance(content, InputError)
                else replace(row, content=_named(content, columns, row.where))
            )

    theirs = {column.column for column in columns if not column.is_value}
    kept = [name for name in rows.columns or () if name not in theirs]
    known = None if rows.columns is None else (*kept, *(column.name for column in columns))
    return replace(rows, columns=known, read=read)


def _named(
    row: Mapping[str, JsonValue], columns: Sequence[NamedColumn], where: str
) -> Mapping[str, JsonValue] | InputError:
    theirs = {column.column for column in columns if not column.is_value}
    named = {name: value for name, value in row.items() if name not in theirs}
    for column in columns:
        if not column.is_value and column.column not in row:
            wrong = f"has no column {shown(column.column)!r}"
            return InputError(where, wrong, closest(column.column, [*row], "name one of"))
        if column.name in named:
            wrong = f"has a column {shown(column.name)!r} already"
            return InputError(where, wrong, "leave it out of --column, or rename it in the file")
        named[column.name] = column.column if column.is_value else row[column.column]
    return named
