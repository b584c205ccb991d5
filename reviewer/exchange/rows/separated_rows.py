"""Rows of CSV and TSV files: the separator found or told, and every cell in its column."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Literal, TextIO

from reviewer.core.errors import InputError, RequestError
from reviewer.core.formula_guard import FileGuards
from reviewer.core.sanitize import one_line, shown
from reviewer.exchange.rows.row_text import FROM_HERE, RowText, bounded_lines, not_text
from reviewer.protocols.formats import SourceRow, SourceRows
from store.records import JsonValue

_SEPARATORS = (",", ";", "\t", "|")
_NAMED = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_SAMPLE = 30
_LONGEST_CELL = 1_000_000
_MOST_COLUMNS = 10_000
_QUOTES = "put a text that holds separators or line ends into double quotes"


def separated_rows(text: RowText, where: str, told: str | None) -> SourceRows:
    """The rows of a CSV file; raises InputError for a head that names no columns, or one twice."""
    separator = _told(told) if told else _found(text, where)
    head = next(_records(text, where, separator), None)
    if head is None:
        raise InputError(where, "is empty", "check that it is the right file and complete")
    line, cells = head
    if isinstance(cells, InputError):
        raise cells
    names, nameless = _columns(cells, f"{where}, line {line}")
    guards = FileGuards.of(names, _whole_records(text, where, separator))
    notices = [*([text.notice] if text.notice else []), *nameless]
    read = partial(_rows, text, where, separator, guards, len(names), notices)
    return SourceRows(where, guards.columns, False, notices, read)


def _whole_records(text: RowText, where: str, separator: str) -> Iterator[Sequence[str]]:
    """The records below the head that can be read."""
    with suppress(InputError):
        for _, cells in islice(_records(text, where, separator), 1, None):
            if not isinstance(cells, InputError):
                yield cells


def _told(separator: str) -> str:
    sign = _NAMED.get(separator.casefold(), "\t" if separator == "\\t" else separator)
    if len(sign) != 1 or sign in '"\r\n':
        raise RequestError(
            f"{shown(separator)!r} cannot separate columns; give one sign, or one of {', '.join(_NAMED)}."
        )
    return sign


def _found(text: RowText, where: str) -> str:
    """The separator that splits the first rows most evenly, and into most columns."""

    def evenness(separator: str) -> tuple[float, int]:
        records: list[tuple[int, list[str] | InputError]] = []
        try:
            records.extend(islice(_records(text, where, separator), _SAMPLE))
        except InputError as error:
            records.append((0, error))
        sizes = [len(cells) for _, cells in records if not isinstance(cells, InputError)]
        if not sizes or sizes[0] < 2:
            return 0.0, 0
        return sum(size == sizes[0] for size in sizes) / len(records), sizes[0]

    return max(_SEPARATORS, key=evenness)


def _columns(cells: Sequence[str], where: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the columns, with notices about those that have none."""
    if len(cells) > _MOST_COLUMNS:
        wrong = f"names {len(cells):,} columns; at most {_MOST_COLUMNS:,} are read"
        raise InputError(where, wrong, "check that it is the right file")
    named = [cell.replace("\ufeff", "").strip() for cell in cells]
    columns = tuple(name or f"column {number}" for number, name in enumerate(named, 1))
    twice = [name for name, count in Counter(columns).items() if count > 1]
    if twice:
        raise InputError(where, f"names the column {shown(twice[0])!r} twice", "rename one of the two")
    nameless = [number for number, name in enumerate(named, 1) if not name]
    return columns, tuple(
        f"{where}: column {number} has no name and is called 'column {number}'" for number in nameless
    )


def _rows(
    text: RowText, where: str, separator: str, guards: FileGuards, width: int, notices: list[str]
) -> Iterator[SourceRow]:
    """The rows; at their end, the notices tell of the apostrophes that were kept."""
    guards.kept = 0
    for count, (line, cells) in enumerate(islice(_records(text, where, separator), 1, None), 1):
        at = f"{where}, line {line}"
        if isinstance(cells, InputError):
            yield SourceRow(count, at, cells)
        elif len(cells) != width:
            wrong = f"has {len(cells)} cells where the first line has {width}"
            yield SourceRow(count, at, InputError(at, wrong, _QUOTES))
        else:
            yield SourceRow(count, at, _by_column(guards.without(cells), guards.columns, at, text.encoding))
    if guards.notice and (notice := f"{where}: {guards.notice}") not in notices:
        notices.append(notice)


def _by_column(
    cells: Sequence[str], columns: Sequence[str], where: str, encoding: str
) -> Mapping[str, JsonValue] | InputError:
    row: dict[str, JsonValue] = {}
    for column, cell in zip(columns, cells, strict=True):
        if "\0" in cell:
            return InputError(f"{where}, column {shown(column)!r}", "holds a NUL byte", "take it out")
        if not cell.isascii() and any("\ud800" <= sign <= "\udfff" for sign in cell):
            return not_text(f"{where}, column {shown(column)!r}", encoding, text=cell)
        row[column] = cell
    return row


def _records(text: RowText, where: str, separator: str) -> Iterator[tuple[int, list[str] | InputError]]:
    """Each record with the line on which it begins, without blank ones; for one that is too long, the error.

    Raises InputError where it is not known how the records go on.
    """
    with text.opened("") as file:
        lines = _Lines(file, where, separator)
        reader = csv.reader(lines, delimiter=separator, strict=True)
        while True:
            begins = lines.begin_record()
            try:
                cells = _next_record(reader)
            except StopIteration:
                return
            except InputError as error:
                yield begins, lines.without_record(begins, error.wrong)
                continue
            except csv.Error as error:
                if "field limit" not in str(error):
                    raise _broken(f"{where}, line {begins}", error) from None
                wrong = f"has a cell with more than {_LONGEST_CELL:,} characters"
                yield begins, lines.without_record(begins, wrong)
                continue
            if (
                cells
                and not (begins == 1 and cells[0].casefold().startswith("sep="))
                and any(map(str.strip, cells))
            ):
                yield begins, cells


def _next_record(reader: Iterator[list[str]]) -> list[str]:
    # The limit is the whole process's, so it is put back.
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        return next(reader)
    finally:
        csv.field_size_limit(limit)


def _broken(where: str, error: csv.Error) -> InputError:
    if "end of data" in str(error):
        return _not_closed(where)
    wrong = one_line(str(error).replace("'\t'", "a tab"))
    return InputError(where, f"is not CSV ({wrong}), {FROM_HERE}", _QUOTES)


def _not_closed(where: str) -> InputError:
    remedy = "close it, or write it twice if it is part of a text"
    return InputError(where, f"has a double quote that is not closed, {FROM_HERE}", remedy)


class _Lines(Iterator[str]):
    """The lines of a file for a CSV reader. It keeps those of the record that is read."""

    def __init__(self, file: TextIO, where: str, separator: str) -> None:
        self._lines = bounded_lines(file, where, self._pass_over)
        self._where, self._separator = where, separator
        self._number = 0
        self._record: list[str] = []
        self._quotes: _Quotes | None = None

    def __next__(self) -> str:
        self._number, line = next(self._lines)
        if isinstance(line, InputError):
            raise line
        self._record.append(line)
        return line

    def begin_record(self) -> int:
        """The number of the line on which the next record begins."""
        self._record.clear()
        self._quotes = None
        return self._number + 1

    def without_record(self, begins: int, wrong: str) -> InputError:
        """The error for a left out record, after its last line; raises InputError if none is known."""
        quotes = self._followed()
        while quotes.is_open:
            self._number, line = next(self._lines, (0, ""))
            if not self._number:
                break
            if isinstance(line, str):
                quotes.follow(line)
        if quotes.is_open or quotes.is_doubtful:
            raise _not_closed(f"{self._where}, line {begins}")
        lines = f"line {begins}" if self._number == begins else f"lines {begins} to {self._number}"
        return InputError(f"{self._where}, {lines}", wrong, "shorten the row, or leave it out")

    def _pass_over(self, piece: str) -> None:
        self._followed().follow(piece)

    def _followed(self) -> "_Quotes":
        if self._quotes is None:
            self._quotes = _Quotes(self._separator)
            for line in self._record:
                self._quotes.follow(line)
        return self._quotes


class _Quotes:
    """The double quotes of one record, which tell whether it goes on behind the end of a line."""

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self._at: Literal["begin", "plain", "quoted", "closed"] = "begin"
        self.is_doubtful = False
        """A text goes on behind the quote that closed it."""

    @property
    def is_open(self) -> bool:
        """Whether a text began with a double quote and did not end."""
        return self._at == "quoted"

    def follow(self, text: str) -> None:
        """Go through the next piece of the record."""
        place = 0
        while place < len(text):
            if self._at in ("quoted", "plain"):
                place = text.find('"' if self._at == "quoted" else self._separator, place) + 1
                if not place:
                    return
                self._at = "closed" if self._at == "quoted" else "begin"
            else:
                self._take(text[place])
                place += 1

    def _take(self, sign: str) -> None:
        """The sign at the beginning of a cell, or behind a quote in one."""
        if sign == '"':
            self._at = "quoted"
        elif sign == self._separator:
            self._at = "begin"
        else:
            self.is_doubtful |= self._at == "closed" and sign not in "\r\n"
            self._at = "plain"
