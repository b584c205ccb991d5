"""Rows of a sheet of an Excel workbook (.xlsx), read as texts within bounds. openpyxl is loaded here.

Values of formulas are those that the spreadsheet kept. Where a cell has no value of its own, because it is
merged or its formula was never computed, nothing is guessed.
"""

import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import date, datetime, time
from functools import partial
from itertools import chain, islice, repeat
from pathlib import Path
from typing import IO, Any

from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import closest
from reviewer.core.sanitize import enumerated, one_line, shown
from reviewer.exchange.rows.separated_rows import columns_named, header_hint
from reviewer.exchange.rows.source_file import most_unpacked
from reviewer.protocols.formats import SourceRow, SourceRows
from store.records import JsonValue

ZIP_MARK = b"PK\x03\x04"
_NO_OPENPYXL = "Excel files need openpyxl; install it with: pip install 'dilemma-reviewer[excel]'."
_CONTENT = "xl/workbook.xml"
_MOST_ROWS = 1_048_576
_ALWAYS_CELLS, _CELLS_OF_A_BYTE = 1_000_000, 10
"""Tables have fewer cells than the packed sheet has bytes. Blank cells up to column XFD took 14 seconds."""
_NAMED = 10
_SAMPLE = 30
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\s[^>]*?ref=["']([A-Z]+)(\d+):([A-Z]+)(\d+)["']""")
_FAR_ROW = re.compile(rb"""<(?:\w+:)?row\s[^>]*?\br=["']0*(\d{7,})["']""")

Cells = Sequence[Any]


def is_workbook(path: Path) -> bool:
    """Whether a ZIP file holds an Excel workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _CONTENT in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return path.suffix.casefold() in (".xlsx", ".xlsm")


def workbook_rows(path: Path, where: str, sheet: str | None, header: int) -> SourceRows:
    """The rows of a sheet, all values as texts; raises InputError where their content is not clear.

    ``header`` is the row with the names of the columns; rows above it are not read.
    """
    with _opened(path, where) as workbook:
        chosen = _chosen(workbook, where, sheet)
        at = f"{where}, sheet {shown(chosen.title)}"
        has_formulas, merged = _marks(path, where, chosen)
        below = (row for row in _numbered(chosen, at) if row[0] >= header and _has_content(row[1]))
        begins, head = next(below, (0, None))
        texts = ((number, [_text(cell.value) for cell in row]) for number, row in islice(below, _SAMPLE))
        hint = header_hint([_text(cell.value) for cell in head or ()], texts)
        title = chosen.title
    if head is None:
        raise InputError(at, "has no row with names of columns", "check that it is the right sheet")
    cells = [_text(cell.value) for cell in head]
    while cells and not cells[-1].strip():
        cells.pop()
    names, nameless = columns_named(cells, f"{at}, row {begins}", hint)
    for first, last in merged:
        if last[1] >= begins:
            wrong, remedy = _of_merged(first, last)
            raise InputError(at, wrong, remedy + hint)
    notices = [*nameless]
    if has_formulas:
        notices.append(f"{at}: holds formulas; their values are those that the spreadsheet kept")
    read = partial(_rows, path, where, at, title, names, begins, has_formulas, hint)
    return SourceRows(at, names, False, notices, read, hint)


def _of_merged(first: tuple[str, int], last: tuple[str, int]) -> tuple[str, str]:
    cells = f"{first[0]}{first[1]} to {last[0]}{last[1]}"
    wrong = f"has merged cells ({cells}), of which only the first has a value"
    return wrong, "split them in the spreadsheet, and fill in each"


# -- opening ---------------------------------------------------------------------------------------


@contextmanager
def _opened(path: Path, where: str, *, formulas: bool = False) -> Iterator[Any]:
    """The workbook, its rows read one after the other; raises InputError for one that cannot be read."""
    try:
        import openpyxl
    except ModuleNotFoundError as error:
        raise RequestError(_NO_OPENPYXL) from error
    _check_bounds(path, where)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that no value depends on
            workbook = openpyxl.load_workbook(path, read_only=True, data_only=not formulas, keep_links=False)
    except _FAULTS as error:
        raise _unread(where, error) from error
    try:
        yield workbook
    finally:
        workbook.close()


def _chosen(workbook: Any, where: str, wanted: str | None) -> Any:
    """The named sheet, else the only one with content; raises InputError if there are several, or none."""
    sheets = [_sheet(workbook, sheet.title) for sheet in workbook.worksheets]
    if wanted is not None:
        by_name = {sheet.title: sheet for sheet in sheets}
        if wanted not in by_name:
            raise InputError(
                where, f"has no sheet {shown(wanted)!r}", closest(wanted, list(by_name), "name one of")
            )
        return by_name[wanted]
    filled = [sheet for sheet in sheets if any(_has_content(row) for _, row in _numbered(sheet, where))]
    if not filled:
        raise InputError(where, "has no sheet with content", "check that it is the right file and complete")
    if len(filled) > 1:
        names = [shown(sheet.title) for sheet in filled]
        more = [f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else []
        wrong = f"has {len(names):,} sheets with content ({enumerated([*names[:_NAMED], *more])})"
        raise InputError(where, wrong, "name one with --sheet")
    return filled[0]


def _marks(path: Path, where: str, sheet: Any) -> tuple[bool, list[tuple[tuple[str, int], tuple[str, int]]]]:
    """Whether a sheet has formulas, and its merged cells. Both are found in its text, in pieces."""
    formulas, merged, rest = False, list[tuple[tuple[str, int], tuple[str, int]]](), b""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(sheet._worksheet_path) as file:
            while chunk := file.read(_CHUNK):
                text = rest + chunk
                if any(int(number[:20]) > _MOST_ROWS for number in _FAR_ROW.findall(text)):
                    raise _too_many(where)
                formulas = formulas or bool(_FORMULA.search(text))
                for match in _MERGED.finditer(text):
                    left, top, right, bottom = (part.decode() for part in match.groups())
                    merged.append(((left, int(top)), (right, int(bottom))))
                rest = text[-_LONGEST_TAG:]
    except _FAULTS as error:
        raise _unread(where, error) from error
    return formulas, merged


# -- rows ------------------------------------------------------------------------------------------


def _numbered(sheet: Any, where: str) -> Iterator[tuple[int, Cells]]:
    """The rows with their numbers; raises InputError for one that cannot be read, and for too many."""
    rows, number, cells = sheet.iter_rows(), 0, 0
    packed = sheet.parent._archive.getinfo(sheet._worksheet_path).compress_size
    most = _ALWAYS_CELLS + _CELLS_OF_A_BYTE * packed
    while True:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                row = next(rows, None)
        except _FAULTS as error:
            wrong = f"cannot be read ({one_line(str(error), 80)})"
            raise InputError(f"{where}, after row {number}", wrong, _ANOTHER) from error
        if row is None:
            return
        number += 1
        if number > _MOST_ROWS:
            raise _too_many(where)
        cells += len(row)
        if cells > most:
            raise InputError(where, f"has more than {most:,} cells, blank ones too", _ANOTHER)
        yield number, row


def _too_many(where: str) -> InputError:
    return InputError(where, f"has more than {_MOST_ROWS:,} rows", _ANOTHER)


def _has_content(row: Cells) -> bool:
    return any(cell.value is not None and str(cell.value).strip() for cell in row)


def _sheet(workbook: Any, title: str) -> Any:
    """The sheet; a file may say that it has another size than its rows."""
    sheet = workbook[title]
    sheet.reset_dimensions()
    return sheet


def _rows(
    path: Path,
    where: str,
    at: str,
    title: str,
    names: Sequence[str],
    begins: int,
    has_formulas: bool,  # a partial gives it
    hint: str,
) -> Iterator[SourceRow]:
    """The rows below the names of the columns, without blank ones."""
    second = _opened(path, where, formulas=True) if has_formulas else nullcontext()
    with _opened(path, where) as workbook, second as written:
        of_formulas = (row for _, row in _numbered(_sheet(written, title), at)) if written else repeat(())
        count = 0
        for (number, row), formulas in zip(_numbered(_sheet(workbook, title), at), of_formulas, strict=False):
            if number > begins and (_has_content(row) or _has_content(formulas)):
                count += 1
                place = f"{at}, row {number}"
                yield SourceRow(count, place, _by_column(row, formulas, names, place, hint))


def _by_column(
    row: Cells, formulas: Cells, names: Sequence[str], place: str, hint: str
) -> dict[str, JsonValue] | InputError:
    """The texts of a row by column, or the fault of one of its cells."""
    if fault := next(filter(None, map(_fault, row, chain(formulas, repeat(None)))), None):
        return InputError(f"{place}, cell {fault[0]}", *fault[1:])
    texts = [_text(cell.value) for cell in row]
    if any(text.strip() for text in texts[len(names) :]):
        wrong = f"has {len(texts)} cells where the columns are {len(names)}"
        return InputError(place, wrong, f"name the column, or empty the cell{hint}")
    filled = [*texts, *[""] * (len(names) - len(texts))]
    return dict(zip(names, filled, strict=False))


def _fault(cell: Any, formula: Any) -> tuple[str, str, str] | None:
    """The cell's name, its fault and the remedy."""
    if formula is not None and formula.data_type == "f" and cell.value is None:
        wrong = "holds a formula whose value the file does not have"
        return formula.coordinate, wrong, "open it in a spreadsheet and save it, or write the value"
    if cell.data_type == "e":
        return (
            cell.coordinate,
            f"holds an error ({one_line(str(cell.value), 20)})",
            "correct it, or empty the cell",
        )
    if isinstance(cell.value, str) and any(
        sign == "\0" or "\ud800" <= sign <= "\udfff" for sign in cell.value
    ):
        return cell.coordinate, "holds a character that no text has", "take it out"
    return None


def _text(value: Any) -> str:
    """A value as a spreadsheet shows it without formats: whole numbers without a point, dates by ISO 8601."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime() | date() | time():
            return value.isoformat()
        case str():
            return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
    return str(value)


_ESCAPED = re.compile(r"_x(00(?:0[9ADad]|5[Ff]))_")
"""Line ends, tabs and underscores, which the format writes so in a text."""


# -- bounds ----------------------------------------------------------------------------------------
# They are checked in the packed text of a file, before openpyxl reads it.

_ANOTHER = "check that it is the right file and complete, or save its table as CSV"
_FAULTS = (
    OSError,
    ValueError,
    KeyError,
    LookupError,
    TypeError,
    AttributeError,
    SyntaxError,
    zipfile.BadZipFile,
)
_CHUNK, _LONGEST_TAG = 1 << 20, 200
_MOST_PARTS = 10_000
_MOST_IN_A_ROW = 16_384
_MOST_TAGS, _MOST_OF_SHEETS = 200_000, 20_000
"""Of styles and lists of sheets, whose elements take a kilobyte each once they are read."""
_ALWAYS_TAGS, _TAGS_OF_A_BYTE = 500_000, 10
"""Tables have about a tag for each byte of the packed file. Three million empty texts took a minute."""
_SHEETS_LIST = "workbook.xml"
_ROW_OR_CELL = re.compile(rb"<(?:\w+:)?(row|c)[\s/>]")
_SETTINGS = (
    "styles.xml",
    "workbook.xml",
    "[Content_Types].xml",
    "core.xml",
    "app.xml",
    "custom.xml",
    ".rels",
)
_OF_TAGS = (".xml", ".rels")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")


def _check_bounds(path: Path, where: str) -> None:
    """Raise InputError for a file that says to unpack to far more than its size; parts cannot exceed it."""
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = [part.file_size for part in archive.infolist()]
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise _unread(where, error) from error
    most = most_unpacked(path)
    if sum(sizes) > most or len(sizes) > _MOST_PARTS:
        raise InputError(where, f"unpacks to more than {most:,} bytes", _ANOTHER)
    try:
        with zipfile.ZipFile(path) as archive:
            left = _ALWAYS_TAGS + _TAGS_OF_A_BYTE * path.stat().st_size
            for part in archive.namelist():
                with archive.open(part) as file:
                    left -= _checked_part(part, file, where)
                if left < 0:
                    raise InputError(where, "has far more elements than its size allows", _ANOTHER)
    except _FAULTS as error:
        raise _unread(where, error) from error


def _checked_part(part: str, file: IO[bytes], where: str) -> int:
    """The number of tags in a part; raises InputError for a row or for settings that would fill the memory.

    openpyxl reads a row and each part of settings as a whole. Behind a comment, which may hold tags, rows do
    not tell cells apart.
    """
    tags = in_row = 0
    has_comments = False
    rest, is_settings = b"", part.endswith(_SETTINGS)
    most = _MOST_OF_SHEETS if part.endswith(_SHEETS_LIST) else _MOST_TAGS
    while chunk := file.read(_CHUNK):
        if len(chunk) == _CHUNK and b"<" not in chunk and part.endswith(_OF_TAGS):
            raise InputError(
                where, f"has more than {_CHUNK:,} bytes in one element of {shown(part)}", _ANOTHER
            )
        text = rest + chunk
        if not tags and text.startswith(_UTF_16):
            raise InputError(where, f"has {shown(part)} in UTF-16", _ANOTHER)
        has_comments = has_comments or b"<!" in text
        cut = max(text.rfind(b"<"), len(text) - _LONGEST_TAG)
        text, rest = text[:cut], text[cut:]
        tags += text.count(b"<")
        if is_settings and tags > most:
            raise InputError(where, f"has more than {most:,} elements in {shown(part)}", _ANOTHER)
        for match in _ROW_OR_CELL.finditer(text):
            in_row = in_row + 1 if match[1] == b"c" else in_row * has_comments
            if in_row > _MOST_IN_A_ROW:
                raise InputError(where, f"has a row of more than {_MOST_IN_A_ROW:,} cells", _ANOTHER)
    return tags


def _unread(where: str, error: Exception) -> InputError:
    """The error for a file that openpyxl or the ZIP reader refuses."""
    return InputError(where, f"is not a workbook that can be read ({one_line(str(error), 80)})", _ANOTHER)
