"""The bounds of Excel workbooks (.xlsx), checked in their packed text before openpyxl reads them."""

import re
import zipfile
from pathlib import Path
from typing import IO

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line, shown
from reviewer.exchange.rows.source_file import most_unpacked

ANOTHER = "check that it is the right file and complete, or save its table as CSV"
FAULTS = (
    OSError,
    ValueError,
    KeyError,
    LookupError,
    TypeError,
    AttributeError,
    SyntaxError,
    zipfile.BadZipFile,
)
CHUNK, LONGEST_TAG = 1 << 20, 200
_MOST_PARTS = 10_000
_MOST_IN_A_ROW = 16_384
_MOST_TAGS, _MOST_OF_SHEETS = 200_000, 20_000
"""Of styles and lists of sheets, whose elements take a kilobyte each once they are read."""
_ALWAYS_TAGS, _TAGS_OF_A_BYTE = 500_000, 10
"""Tables have about a tag for each byte of the packed file. Three million empty texts took a minute."""
_CONTENT = "workbook.xml"
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


def check_workbook(path: Path, where: str) -> None:
    """Raise InputError for a file that says to unpack to far more than its size; parts cannot exceed it."""
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = [part.file_size for part in archive.infolist()]
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise unread_workbook(where, error) from error
    most = most_unpacked(path)
    if sum(sizes) > most or len(sizes) > _MOST_PARTS:
        raise InputError(where, f"unpacks to more than {most:,} bytes", ANOTHER)
    try:
        with zipfile.ZipFile(path) as archive:
            left = _ALWAYS_TAGS + _TAGS_OF_A_BYTE * path.stat().st_size
            for part in archive.namelist():
                with archive.open(part) as file:
                    left -= _checked_part(part, file, where)
                if left < 0:
                    raise InputError(where, "has far more elements than its size allows", ANOTHER)
    except FAULTS as error:
        raise unread_workbook(where, error) from error


def _checked_part(part: str, file: IO[bytes], where: str) -> int:
    """The number of tags in a part; raises InputError for a row or for settings that would fill the memory.

    openpyxl reads a row and each part of settings as a whole. Behind a comment, which may hold tags, rows do
    not tell cells apart.
    """
    tags = in_row = 0
    has_comments = False
    rest, is_settings = b"", part.endswith(_SETTINGS)
    most = _MOST_OF_SHEETS if part.endswith(_CONTENT) else _MOST_TAGS
    while chunk := file.read(CHUNK):
        if len(chunk) == CHUNK and b"<" not in chunk and part.endswith(_OF_TAGS):
            raise InputError(where, f"has more than {CHUNK:,} bytes in one element of {shown(part)}", ANOTHER)
        text = rest + chunk
        if not tags and text.startswith(_UTF_16):
            raise InputError(where, f"has {shown(part)} in UTF-16", ANOTHER)
        has_comments = has_comments or b"<!" in text
        cut = max(text.rfind(b"<"), len(text) - LONGEST_TAG)
        text, rest = text[:cut], text[cut:]
        tags += text.count(b"<")
        if is_settings and tags > most:
            raise InputError(where, f"has more than {most:,} elements in {shown(part)}", ANOTHER)
        for match in _ROW_OR_CELL.finditer(text):
            in_row = in_row + 1 if match[1] == b"c" else in_row * has_comments
            if in_row > _MOST_IN_A_ROW:
                raise InputError(where, f"has a row of more than {_MOST_IN_A_ROW:,} cells", ANOTHER)
    return tags


def unread_workbook(where: str, error: Exception) -> InputError:
    """The error for a file that openpyxl or the ZIP reader refuses."""
    return InputError(where, f"is not a workbook that can be read ({one_line(str(error), 80)})", ANOTHER)
