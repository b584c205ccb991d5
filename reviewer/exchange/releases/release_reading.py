"""Reading the folder of a release that somebody else made. Nothing in it is trusted.

Only the files of a release are read, by their known names: no path of the folder's own is followed. Links,
other kinds of files and files above their limit are refused before anything is read.
"""

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import fault_in, parse
from reviewer.exchange.releases.release_content import FORMAT, FORMATS_BEFORE, ReleaseManifest
from reviewer.exchange.releases.release_layout import (
    CARD,
    CHANGELOG,
    CHECKSUMS,
    CITATION,
    CROISSANT,
    DECLARATION,
    MANIFEST,
    OWN,
    PARQUET,
    ROWS,
    checksum_lines,
)
from reviewer.exchange.releases.release_rows import ROW_FIELDS, DataRow
from reviewer.exchange.rows.source_file import MOST_BYTES, shown_path, unreadable
from reviewer.protocols.declared.reading import MOST_BYTES as MOST_BYTES_OF_DECLARATION
from reviewer.protocols.intake import invalid
from store.migrations import MADE_BEFORE

_TEXT_BYTES = 32 * 1024 * 1024
LIMITS: Mapping[str, int] = {
    **dict.fromkeys((CARD, CHANGELOG, CITATION, CROISSANT, CHECKSUMS), _TEXT_BYTES),
    MANIFEST: 128 * 1024 * 1024,
    ROWS: MOST_BYTES,
    OWN: MOST_BYTES,
    DECLARATION: MOST_BYTES_OF_DECLARATION,
    PARQUET: MOST_BYTES,
}
"""The most bytes of each file of a release."""
NEEDED = frozenset(LIMITS) - {DECLARATION, OWN, PARQUET}
_MOST_ENTRIES = 1000
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
GET_AGAIN = "get the release again"


@dataclass(frozen=True, slots=True)
class FolderOfRelease:
    """The files of a release by path, with their bytes, and the paths of whatever else is in the folder."""

    files: Mapping[str, bytes]
    extra: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The needed files that are not there."""
        return tuple(sorted(NEEDED - self.files.keys()))


def read_folder(folder: Path) -> FolderOfRelease:
    """Every file of a release; raises InputError for a link, another kind of file, or a file too large."""
    where = shown_path(folder)
    try:
        held = dict(_entries(folder, ""))
        if "data" in held and stat.S_ISDIR(held["data"].st_mode):
            held |= _entries(folder / "data", "data/")
    except (OSError, ValueError) as error:
        raise unreadable(where, error) from error
    for path, status in held.items():
        if stat.S_ISLNK(status.st_mode):
            raise InputError(f"{where}, {shown(path)}", "is a link, and a release has none", GET_AGAIN)
        if path in LIMITS and status.st_size > LIMITS[path]:
            wrong = f"has {status.st_size:,} bytes; at most {LIMITS[path]:,} are read"
            raise InputError(f"{where}, {path}", wrong, "check that it is a release of this program")
    files = {
        path: _content(folder / path, f"{where}, {path}", LIMITS[path]) for path in LIMITS if path in held
    }
    folders = {"data"} if "data" in held and stat.S_ISDIR(held["data"].st_mode) else set()
    return FolderOfRelease(files, tuple(sorted(held.keys() - files.keys() - folders)))


def _entries(folder: Path, below: str) -> list[tuple[str, os.stat_result]]:
    """What is in a folder, without following links; raises InputError for too many entries."""
    files = []
    with os.scandir(folder) as entries:
        for entry in entries:
            files.append((f"{below}{entry.name}", entry.stat(follow_symlinks=False)))
            if len(files) > _MOST_ENTRIES:
                raise InputError(shown_path(folder), f"has over {_MOST_ENTRIES:,} files", GET_AGAIN)
    return files


def _content(path: Path, where: str, most: int) -> bytes:
    """The bytes of a regular file, even if it is exchanged for a link or grows meanwhile."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(number, "rb") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise InputError(where, "is not a regular file", GET_AGAIN)
            content = file.read(most + 1)
    except OSError as error:
        raise unreadable(where, error) from error
    if len(content) > most:
        raise InputError(where, f"has more than {most:,} bytes", GET_AGAIN)
    return content


def utf8_text(content: bytes, where: str) -> str:
    """The text of a file; raises InputError if it is not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError(where, f"is not UTF-8 text (byte {error.start:,})", GET_AGAIN) from None


def manifest_of(content: bytes) -> ReleaseManifest:
    """The manifest; raises InputError, naming the field, for anything else."""
    value = parse(utf8_text(content, MANIFEST), MANIFEST)
    stated = value.get("format", "nothing") if isinstance(value, dict) else "nothing"
    if stated in FORMATS_BEFORE:
        raise InputError(MANIFEST, "; ".join(MADE_BEFORE).removeprefix("it "), GET_AGAIN)
    if stated != FORMAT:
        wrong = f"is not in the format {FORMAT!r} (it says {shown(str(stated))!r})"
        raise InputError(MANIFEST, wrong, "check it with the release of the program that made it")
    if fault := fault_in(value):
        raise InputError(MANIFEST, f"has a value that {fault}", GET_AGAIN)
    try:
        return ReleaseManifest.model_validate_json(content)
    except ValidationError as error:
        raise invalid(MANIFEST, error) from None


def checksums_of(content: bytes) -> dict[str, str]:
    """Path → SHA-256; raises InputError for a line that is none, or a path that no release has."""
    sums: dict[str, str] = {}
    text = utf8_text(content, CHECKSUMS)
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        match = _LINE.fullmatch(line)
        where = f"{CHECKSUMS}, line {number}"
        if match is None:
            raise InputError(where, "is not a digest and a path", GET_AGAIN)
        if match[2] not in LIMITS or match[2] in sums:
            raise InputError(
                where, f"names {shown(match[2])!r}, which is not one file of a release", GET_AGAIN
            )
        sums[match[2]] = match[1]
    if text != checksum_lines(sums):
        raise InputError(CHECKSUMS, "has other lines than were written", GET_AGAIN)
    return sums


def rows_of(content: bytes) -> list[DataRow]:
    """The rows of the data; raises InputError for the first line that is not a row of a release."""
    rows = []
    for number, line in enumerate(utf8_text(content, ROWS).split("\n"), 1):
        if line:
            where = f"{ROWS}, line {number}"
            row = parse(line, where)
            if not _is_row(row):
                raise InputError(where, "is not a row of a release", GET_AGAIN)
            if fault := fault_in(row):
                raise InputError(where, f"has a value that {fault}", GET_AGAIN)
            rows.append(row)
    return rows


def _is_row(row: object) -> bool:
    """Whether a value has the fields of a row, each of its type."""
    if not isinstance(row, dict) or set(row) != ROW_FIELDS:
        return False
    texts = all(isinstance(row[name], str) for name in ("protocol", "group", "key", "generator", "origin"))
    nested = all(isinstance(row[name], dict) for name in ("payload", "published", "extra"))
    return texts and nested and isinstance(row["run"], str | None)
