"""Reading filled sheets, whatever a spreadsheet did to their encoding, separators and line ends."""

import csv
import io
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from lzma import LZMAError
from pathlib import Path, PurePosixPath

from reviewer.core.errors import InputError
from reviewer.core.formula_guard import FileGuards
from reviewer.core.sanitize import shown
from reviewer.exchange.rows.source_file import shown_path, unreadable
from reviewer.protocols.sheets import ValidationSheet

MOST_BYTES = 16 * 1024 * 1024
"""Limit of one unpacked file; the largest sheet of a thousand cases has a few megabytes."""
_MOST_FILES = 2_000
_MOST_IN_ALL = 64 * 1024 * 1024
_SEPARATORS = (",", ";", "\t")
DIGEST_COLUMN = "digest"
"""The column of our own sheets that names the case of each row. Only sheets with it have formula guards."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error at a place in a file, because of which nothing is imported."""

    file: str
    line: int | None
    column: str | None
    wrong: str

    def __str__(self) -> str:
        place = [self.file]
        place += [f"line {self.line}"] if self.line else []
        place += [f"column {self.column}"] if self.column else []
        return f"{', '.join(place)}: {self.wrong}"


@dataclass(frozen=True, slots=True)
class FilledRow:
    """One row of a sheet: its file and line, and the cells that it has by column."""

    file: str
    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FilledSheet:
    """One file: the folder above it, the sheet it is, the columns that it still has, and its rows."""

    file: str
    folder: str
    sheet: ValidationSheet
    columns: tuple[str, ...]
    rows: tuple[FilledRow, ...]

    @property
    def has_digests(self) -> bool:
        """Whether this program wrote the sheet. Sheets from elsewhere are read as they are."""
        return DIGEST_COLUMN in self.columns


@dataclass
class FilledSheets:
    """All files of a rater, with problems and notices."""

    sheets: list[FilledSheet] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def read_filled(path: Path, sheets: Sequence[ValidationSheet]) -> FilledSheets:
    """Every sheet in a ZIP or folder; raises InputError if there is none."""
    found = FilledSheets()
    for name, content in _contents(path):
        if content is None:
            found.problems.append(Problem(name, None, None, f"has more than {MOST_BYTES:,} bytes"))
        else:
            _read_one(name, content, sheets, found)
    if not found.sheets and not found.problems:
        files = ", ".join(sheet.file for sheet in sheets)
        raise InputError(shown_path(path), "holds no validation sheet", f"it should hold {files}")
    return found


def _contents(path: Path) -> Iterator[tuple[str, bytes | None]]:
    """CSV files by their path inside; None in place of one that is too large."""
    where = shown_path(path)
    try:
        if path.is_dir():
            yield from _folder_contents(path)
            return
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(where, "is not a regular file", "give a ZIP or a folder")
        with zipfile.ZipFile(path) as archive:
            yield from _zip_contents(archive, where)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, LZMAError) as error:
        wrong = "is not a readable ZIP file" if "password" not in str(error) else "is locked by a password"
        raise InputError(where, wrong, "give the ZIP or the folder that the export made") from error
    except OSError as error:
        raise unreadable(where, error) from error


def _folder_contents(path: Path) -> Iterator[tuple[str, bytes | None]]:
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if file.is_file() and _is_wanted(name):
            yield name, file.read_bytes() if file.stat().st_size <= MOST_BYTES else None


def _zip_contents(archive: zipfile.ZipFile, where: str) -> Iterator[tuple[str, bytes | None]]:
    members = [member for member in archive.infolist() if not member.is_dir() and _is_wanted(member.filename)]
    if len(members) > _MOST_FILES:
        raise InputError(where, f"holds {len(members):,} CSV files", "give the ZIP that the export made")
    stated, left = sum(min(member.file_size, MOST_BYTES + 1) for member in members), _MOST_IN_ALL
    if stated > left:
        raise _too_much(where)
    for member in sorted(members, key=lambda member: member.filename):
        with archive.open(member) as file:
            content = file.read(MOST_BYTES + 1)  # what the directory says of the size may be a lie
        left -= len(content)
        if left < 0:
            raise _too_much(where)
        yield member.filename, content if len(content) <= MOST_BYTES else None


def _too_much(where: str) -> InputError:
    return InputError(where, f"unpacks to more than {_MOST_IN_ALL:,} bytes", "give the ZIP of the export")


def _is_wanted(name: str) -> bool:
    """CSV files, except those that archive programs and systems add."""
    parts = PurePosixPath(name).parts
    return name.lower().endswith(".csv") and not any(part.startswith((".", "__")) for part in parts)


def _read_one(name: str, content: bytes, sheets: Sequence[ValidationSheet], found: FilledSheets) -> None:
    file = shown(name)
    text, encoding = _decoded(content)
    if encoding not in ("UTF-8",):
        found.notices.append(f"{file} is not UTF-8 and was read as {encoding}")
    try:
        sheet, records = _records(text, sheets)
    except csv.Error as error:
        found.problems.append(Problem(file, None, None, f"is not CSV that can be read ({error})"))
        return
    if sheet is None:
        _without_judgement(file, name, sheets, found)
        return
    head_line, head = records[0]
    columns = tuple(_plain(cell) for cell in head)
    known = {_plain(column.name): column.name for column in sheet.columns} | dict.fromkeys(
        (_plain(sheet.judgement), DIGEST_COLUMN), ""
    )
    extra = [
        shown(cell) for cell, column in zip(head, columns, strict=True) if column and column not in known
    ]
    ignored = [cell for cell in extra if _plain(cell) not in COMMENT_COLUMNS]
    if ignored:
        found.notices.append(f"{file}, line {head_line}: ignored column {', '.join(ignored)}")
    for column in (sheet.judgement, *(beside.name for beside in sheet.columns), DIGEST_COLUMN):
        if columns.count(_plain(column)) > 1:
            found.problems.append(Problem(file, head_line, column, "stands there twice"))
    rows = [row for row in (_row(file, line, columns, cells, found) for line, cells in records[1:]) if row]
    folder = PurePosixPath(name).parent.name
    filled = FilledSheet(file, folder, sheet, columns, tuple(rows))
    found.sheets.append(filled)
    if not filled.has_digests and (notice := _kept_apostrophes(filled)):
        found.notices.append(f"{file}: {notice}")


def _kept_apostrophes(filled: FilledSheet) -> str | None:
    guards = FileGuards(filled.columns, None)
    for row in filled.rows:
        guards.without(list(row.cells.values()))
    return guards.notice


COMMENT_COLUMNS = ("comment", "comments", "note", "notes", "remark", "remarks")


def _row(
    file: str, line: int, columns: Sequence[str], cells: Sequence[str], found: FilledSheets
) -> FilledRow | None:
    """The row by column; None for one without any content."""
    if not any(cell.strip() for cell in cells):
        return None
    if any(cell.strip() for cell in cells[len(columns) :]):
        wrong = f"has {len(cells)} cells where the first line has {len(columns)}: a text without quotes?"
        found.problems.append(Problem(file, line, None, wrong))
        return None
    return FilledRow(file, line, dict(zip(columns, cells, strict=False)))


def _without_judgement(file: str, name: str, sheets: Sequence[ValidationSheet], found: FilledSheets) -> None:
    """A file with the name of a sheet but without its judgement column is a problem; others are ignored."""
    wanted = {sheet.file.lower(): sheet for sheet in sheets}.get(PurePosixPath(name).name.lower())
    if wanted is None:
        found.notices.append(f"{file} is not a validation sheet and was ignored")
    else:
        found.problems.append(Problem(file, 1, wanted.judgement, "the column is not there"))


def _decoded(content: bytes) -> tuple[str, str]:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace"), "UTF-16"
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace"), "Windows-1252"


def _records(
    text: str, sheets: Sequence[ValidationSheet]
) -> tuple[ValidationSheet | None, list[tuple[int, list[str]]]]:
    """The sheet by its judgement column, and the records with the lines on which they begin."""
    # The limit is the whole process's, so it is put back.
    limit = csv.field_size_limit(MOST_BYTES)
    try:
        return _found(text, sheets)
    finally:
        csv.field_size_limit(limit)


def _found(
    text: str, sheets: Sequence[ValidationSheet]
) -> tuple[ValidationSheet | None, list[tuple[int, list[str]]]]:
    first, _, rest = text.partition("\n")
    skipped = 1 if first.strip().lower().startswith("sep=") else 0
    body = rest if skipped else text
    for separator in _SEPARATORS:
        head = next(csv.reader(io.StringIO(body, newline=""), delimiter=separator), [])
        columns = {_plain(cell) for cell in head}
        for sheet in sheets:
            if _plain(sheet.judgement) in columns:
                return sheet, list(_lines(body, separator, skipped))
    return None, []


def _lines(text: str, separator: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    begins = 1 + skipped
    for cells in reader:
        yield begins, cells
        begins = reader.line_num + 1 + skipped


def _plain(name: str) -> str:
    """A column's name without differences in case and blanks."""
    return "_".join(name.replace("\ufeff", "").strip().lower().split())
