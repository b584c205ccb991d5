"""Rows of CSV and TSV files: the separator found or told, and every cell in its column."""

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import dropwhile, islice

from reviewer.core.csv_text import FileGuards
from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line, shown
from reviewer.exchange.rows.source_file import FROM_HERE, LONGEST_ROW, RowText, bounded_lines
from reviewer.protocols.formats import SourceRow, SourceRows
from store.records import JsonValue

_SEPARATORS = (",", ";", "\t", "|")
_NAMED = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_SAMPLE = 30
_LONGEST_NAME = 60
_LONGEST_CELL = 1_000_000
MOST_COLUMNS = 10_000
_QUOTES = "put a text that holds separators or line ends into double quotes"
_Record = tuple[int, list[str] | InputError]
_ReadRecords = Callable[[], Iterator[_Record]]
_TOO_LONG = "shorten the row, and close its double quotes"


def separated_rows(
    text: RowText,
    where: str,
    told: str | None = None,
    *,
    ragged: bool = False,
    header: int = 1,
    may_say: bool = False,
) -> SourceRows:
    """The rows of a CSV file; raises InputError for a head that names no columns, or one twice.

    ``ragged``: rows may lack blank cells at their end, or have more of them. ``header`` is the line of the
    columns' names; what stands above it is not read. ``may_say``: the command has an option to name it.
    """
    separator = _told(told) if told else _found(text, where, header)
    records = partial(_records, text, where, separator, header)
    head = next(records(), None)
    if head is None:
        wrong = "is empty" if header == 1 else f"has nothing from line {header:,} on"
        raise InputError(where, wrong, "check that it is the right file and complete")
    line, cells = head
    if isinstance(cells, InputError):
        raise cells
    if ragged:
        cells = cells[: max(number for number, cell in enumerate(cells, 1) if cell.strip())]
    hint = header_hint(cells, [*_whole_records(records, _SAMPLE)]) if may_say else ""
    names, nameless = columns_named(cells, f"{where}, line {line}", hint)
    guards = FileGuards.of(names, (record for _, record in _whole_records(records)))
    notices = [*([text.notice] if text.notice else []), *nameless]
    read = partial(_rows, text, where, records, guards, len(names), notices, ragged, hint)
    return SourceRows(where, guards.columns, False, notices, read, hint)


def header_hint(head: Sequence[str], below: Iterable[tuple[int, Sequence[str]]]) -> str:
    """The end of a remedy if one of the first rows names more columns, and all rows below are as wide."""
    named = len(_filled(head))
    rows = [(number, _filled(row)) for number, row in below]
    wider = dropwhile(lambda row: len(row[1]) <= named, rows)
    number, names = next(wider, (0, []))
    are_names = len({*names}) == len(names) and all(len(name) <= _LONGEST_NAME for name in names)
    others = [len(cells) for _, cells in wider]
    if not (are_names and others and all(named < width <= len(names) for width in others)):
        return ""
    return f"; if row {number} has the names of the columns, give --header-row {number}"


def _filled(cells: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in cells if cell.strip()]


def _whole_records(records: _ReadRecords, last: int | None = None) -> Iterator[tuple[int, list[str]]]:
    """The records below the head that can be read, or those of the first ones up to the ``last``."""
    with suppress(InputError):
        for line, cells in islice(records(), 1, last):
            if not isinstance(cells, InputError):
                yield line, cells


def _told(separator: str) -> str:
    sign = _NAMED.get(separator.casefold(), "\t" if separator == "\\t" else separator)
    if len(sign) != 1 or sign in '"\r\n':
        raise RequestError(
            f"{shown(separator)!r} cannot separate columns; give one sign, or one of {', '.join(_NAMED)}."
        )
    return sign


def _found(text: RowText, where: str, header: int) -> str:
    """The separator that splits the first rows most evenly, and into most columns."""

    def evenness(separator: str) -> tuple[float, int]:
        records: list[tuple[int, list[str] | InputError]] = []
        try:
            records.extend(islice(_records(text, where, separator, header), _SAMPLE))
        except InputError as error:
            records.append((0, error))
        sizes = [len(cells) for _, cells in records if not isinstance(cells, InputError)]
        if not sizes or sizes[0] < 2:
            return 0.0, 0
        return sum(size == sizes[0] for size in sizes) / len(records), sizes[0]

    return max(_SEPARATORS, key=evenness)


def columns_named(
    cells: Sequence[str], where: str, hint: str = ""
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the columns, with notices about those that have none; raises InputError."""
    if len(cells) > MOST_COLUMNS:
        wrong = f"names {len(cells):,} columns; at most {MOST_COLUMNS:,} are read"
        raise InputError(where, wrong, "check that it is the right file")
    named = [cell.replace("\ufeff", "").strip() for cell in cells]
    columns = tuple(name or f"column {number}" for number, name in enumerate(named, 1))
    twice = [name for name, count in Counter(columns).items() if count > 1]
    if twice:
        raise InputError(where, f"names the column {shown(twice[0])!r} twice", "rename one of the two")
    nameless = [number for number, name in enumerate(named, 1) if not name]
    return columns, tuple(
        f"{where}: column {number} has no name and is called 'column {number}'{hint}" for number in nameless
    )


def _rows(
    text: RowText,
    where: str,
    records: _ReadRecords,
    guards: FileGuards,
    width: int,
    notices: list[str],
    ragged: bool,  # a partial gives it
    hint: str,
) -> Iterator[SourceRow]:
    """The rows; at their end, the notices tell of the apostrophes that were kept."""
    guards.kept = 0
    for count, (line, cells) in enumerate(islice(records(), 1, None), 1):
        at = f"{where}, line {line}"
        if isinstance(cells, InputError):
            yield SourceRow(count, at, cells)
            continue
        fitted = _fitted(cells, width) if ragged else cells
        if len(fitted) != width:
            wrong = f"has {len(cells)} cells where the first line has {width}"
            yield SourceRow(count, at, InputError(at, wrong, f"{_QUOTES}{hint}"))
        else:
            yield SourceRow(count, at, _by_column(guards.without(fitted), guards.columns, at, text))
    if guards.notice and (notice := f"{where}: {guards.notice}") not in notices:
        notices.append(notice)


def _fitted(cells: list[str], width: int) -> list[str]:
    """The cells of a row as wide as the head: spreadsheets leave blank ones out at its end, or add some."""
    rest = cells[width:]
    return cells if any(map(str.strip, rest)) else [*cells[:width], *[""] * (width - len(cells))]


def _by_column(
    cells: Sequence[str], columns: Sequence[str], where: str, text: RowText
) -> Mapping[str, JsonValue] | InputError:
    row: dict[str, JsonValue] = {}
    for column, cell in zip(columns, cells, strict=True):
        if "\0" in cell:
            return InputError(f"{where}, column {shown(column)!r}", "holds a NUL byte", "take it out")
        if not cell.isascii() and any("\ud800" <= sign <= "\udfff" for sign in cell):
            return text.fault(f"{where}, column {shown(column)!r}", text=cell)
        row[column] = cell
    return row


def _records(text: RowText, where: str, separator: str, header: int) -> Iterator[_Record]:
    """Each record from the header on, with the line on which it begins, without blank ones.

    Too long a cell is an error.

    Raises InputError where it is not known how the records go on.
    """
    lines = _RecordLines(text, where)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        begins = lines.begin_record()
        try:
            cells = _next_record(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _broken(f"{where}, line {begins}", error) from None
        if begins < header:
            continue
        if lines.size > _LONGEST_CELL and max(map(len, cells)) > _LONGEST_CELL:
            place = f"line {begins}" if lines.number == begins else f"lines {begins} to {lines.number}"
            wrong = f"has a cell with more than {_LONGEST_CELL:,} characters"
            yield begins, InputError(f"{where}, {place}", wrong, "shorten the row, or leave it out")
        elif any(map(str.strip, cells)) and not (begins == 1 and cells[0].casefold().startswith("sep=")):
            yield begins, cells


def _next_record(reader: Iterator[list[str]]) -> list[str]:
    # The limit is the whole process's, so it is put back.
    limit = csv.field_size_limit(LONGEST_ROW)
    try:
        return next(reader)
    finally:
        csv.field_size_limit(limit)


def _broken(where: str, error: csv.Error) -> InputError:
    if "end of data" in str(error):
        remedy = "close it, or write it twice if it is part of a text"
        return InputError(where, f"has a double quote that is not closed, {FROM_HERE}", remedy)
    wrong = one_line(str(error).replace("'\t'", "a tab"))
    return InputError(where, f"is not CSV ({wrong}), {FROM_HERE}", _QUOTES)


class _RecordLines(Iterator[str]):
    """The lines of a file for a CSV reader, which may not read a record of more than the greatest length."""

    def __init__(self, text: RowText, where: str) -> None:
        self._lines, self._where = bounded_lines(text, where, ""), where
        self._begins = 1
        self.number = self.size = 0

    def begin_record(self) -> int:
        """The number of the line on which the next record begins."""
        self._begins, self.size = self.number + 1, 0
        return self._begins

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        if isinstance(line, InputError) or (size := self.size + len(line)) > LONGEST_ROW:
            wrong = f"has more than {LONGEST_ROW:,} characters, {FROM_HERE}"
            raise InputError(f"{self._where}, line {self._begins}", wrong, _TOO_LONG)
        self.size = size
        return line
