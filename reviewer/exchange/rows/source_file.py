"""Opening files that others made: only regular files within a size limit, and the text of rows in them.

Files that are compressed with gzip are unpacked as they are read, within a limit. The encoding is found or
told, and each line has a limited length.
"""

import codecs
import gzip
import io
import os
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line, printable, shown
from reviewer.core.source_text import read_source_text
from reviewer.core.source_text import unreadable as unreadable

MOST_BYTES = 512 * 1024 * 1024
"""Limit of one file, which holds more than 100,000 pairs of the published kind."""


def shown_path(path: Path) -> str:
    """A path for use in a sentence."""
    return f"'{one_line(printable(str(path)), 200)}'"


RELEASE_MARKS = ("release.json", "checksums.sha256")
"""The manifest and the checksums of a release, by which its folder is known."""


def is_release(folder: Path) -> bool:
    """Whether a folder looks like a release: it has a manifest and checksums."""
    return all(os.path.lexists(folder / name) for name in RELEASE_MARKS)


def names_declaration(protocol: str) -> bool:
    """Whether what somebody gave for a protocol or a layout is a file that declares it."""
    return protocol.casefold().endswith(".toml")


def read_text(path: Path, where: str, most_bytes: int = MOST_BYTES) -> str:
    """The file's text without a byte order mark; raises InputError, naming the file as ``where`` says."""
    return read_source_text(path, where, most_bytes, "save its content to a file and give that")


Opener = Callable[[], BinaryIO]
"""Opens the bytes of a file at their beginning."""
GZIP_MARK = b"\x1f\x8b"
_ENDING = ".gz"
_MOST_TIMES, _ALWAYS = 200, 16 << 20
"""Text has rarely a fiftieth of its size when it is compressed; small files may unpack to 16 MB."""


def plain_path(path: Path) -> Path:
    """The path without the ending of compressed files, which the kind of rows does not depend on."""
    return path.with_suffix("") if path.suffix.casefold() == _ENDING else path


def most_unpacked(path: Path) -> int:
    """The bytes that a compressed file may unpack to."""
    return min(MOST_BYTES, max(_ALWAYS, _MOST_TIMES * path.stat().st_size))


def opener(path: Path, where: str) -> Opener:
    """Opens the bytes of a file, unpacked if it is compressed."""
    with path.open("rb") as file:
        packed = file.read(len(GZIP_MARK)) == GZIP_MARK
    return PackedFile(path, where) if packed else lambda: path.open("rb")


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A compressed file, opened again by each call."""

    path: Path
    where: str

    def __call__(self) -> BinaryIO:
        """Its unpacked bytes; reading raises InputError for damage, and beyond the limit."""
        return cast("BinaryIO", io.BufferedReader(_Unpacked(self.path, self.where, most_unpacked(self.path))))


class _Unpacked(io.RawIOBase):
    """The bytes of a compressed file, counted."""

    def __init__(self, path: Path, where: str, most: int) -> None:
        self._file, self._where = gzip.open(path), where  # noqa: SIM115  # closed with this one
        self._most, self._size = most, 0

    def readable(self) -> bool:
        """Always."""
        return True

    # Only these buffers are passed by the readers of the standard library.
    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Unpack the next bytes; raises InputError."""
        try:
            chunk = self._file.read(len(buffer))
        except (EOFError, OSError, zlib.error) as error:
            remedy = "pack it again, or give it unpacked"
            raise InputError(self._where, "is not gzip that can be unpacked to its end", remedy) from error
        self._size += len(chunk)
        if self._size > self._most:
            wrong = f"unpacks to more than {self._most:,} bytes"
            raise InputError(self._where, wrong, "check that it is the right file, or give it unpacked")
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        """Close the file too."""
        self._file.close()
        super().close()


LONGEST_ROW = 16_000_000
"""Characters of one row. A row with eighty texts of the greatest length has fewer."""
FROM_HERE = "so the file cannot be read from here on"
"""Rows behind such a place are unknown. The file is refused as a whole, also if bad rows may be skipped."""
_CHUNK = 1 << 20
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# What texts in Windows-1252 commonly hold, without the bytes that other encodings and UTF-8 use more often.
_WESTERN = bytes(range(0x80)) + "…‘’“”–—£§©«»°·ÄÇÈÉÊËÍÎÏÑÓÔÖÚÜßàáâäçèéêëíîïñóôöùúûü".encode("cp1252")
# Signs whose bytes are letters in the encodings of DOS and of old Macs, or parts of a letter in UTF-8. In
# Windows-1252 no letter is beside a euro, before a bullet or an opening quote, behind a trade mark, or on
# both sides of a closing quote; an œ is before a u; no great letter is within a word, and no Ç, Ñ or Ô alone.
_LETTER = rb"[A-Za-z\xc0-\xff]"
_SMALL = rb"[a-z\xdf-\xff]"
_GAP = rb"""[\s,.;:!?"'()]"""
_OUT_OF_PLACE = re.compile(
    rb"%b[\x80\x82\x84\x95]|[\x80\x99]%b|[\x80-\xff]\x99|%b[\x93\x94]%b" % ((_LETTER,) * 4)
    + rb"|[\x8c\x9c][^uU]|%b[\x8c\xc0-\xde]|%b[\xc7\xd1\xd4]%b" % (_SMALL, _GAP, _GAP)
)
_SIGNS = "€‚„™•Œœ".encode("cp1252")
_SUGGESTED = ("cp1252", "cp1250", "cp1251", "mac-roman")
# A word with bytes that are not UTF-8, and without other letters beyond ASCII: in UTF-8 with one bad byte,
# another encoding would spoil the rest.
_UNREAD = re.compile(r"[^\s,;\"]{0,12}[\udc80-\udcff][^\s,;\"]{0,12}")
_NAMES = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16", "cp1252": "Windows-1252"}


@dataclass(frozen=True, slots=True)
class RowText:
    """A file as text: how it is opened, its encoding as Python names it, and a notice if that was guessed.

    ``may_name``: the command has the option --encoding.
    """

    source: Opener
    may_name: bool
    encoding: str = "utf-8-sig"
    notice: str | None = None

    def opened(self, newline: str) -> TextIO:
        """The file as text. Bytes that are not text in this encoding become lone surrogates."""
        errors = "surrogatepass" if self.encoding.startswith("utf-16") else "surrogateescape"
        return io.TextIOWrapper(self.source(), self.encoding, errors, newline)

    def fault(self, where: str, error: UnicodeError | None = None, text: str = "") -> InputError:
        """The error for bytes that are not text in this encoding; ``text`` has them as lone surrogates.

        It says how encodings would read them, so that a person sees which one is right.
        """
        reason = f" ({error.reason})" if isinstance(error, UnicodeDecodeError) else ""
        wrong = f"is not {_NAMES.get(self.encoding, self.encoding)} text{reason}"
        if not self.may_name:
            return InputError(where, wrong, "save it as UTF-8")
        readings = ", ".join(f"{name} reads {word!r}" for word, name in _readings(text).items())
        remedy = "save it as UTF-8, or give --encoding" + f" ({readings})" * bool(readings)
        return InputError(where, wrong, remedy)


def encoded_text(source: Opener, where: str, told: str | None = None, *, may_name: bool = False) -> RowText:
    """A file with its encoding: told, by its byte order mark, UTF-8, or Windows-1252 without doubt."""
    if told is not None:
        return RowText(source, may_name, _known_encoding(told))
    with source() as file:
        head = file.read(4096)
    if head.startswith(_UTF_16_MARKS):
        return RowText(source, may_name, "utf-16")
    is_utf_8 = _is_utf_8(source)
    if 10 * head.count(0) > len(head) or (0 in head and not is_utf_8):
        remedy = _for_nul_bytes(head) if may_name else "save it as UTF-8"
        raise InputError(where, "holds NUL bytes, so it is not UTF-8 text", remedy)
    if not is_utf_8 and _is_western(source):
        notice = f"{where} is not UTF-8 and was read as Windows-1252"
        notice += "; name another encoding with --encoding" if may_name else ""
        return RowText(source, may_name, "cp1252", notice)
    return RowText(source, may_name)


def _for_nul_bytes(head: bytes) -> str:
    """UTF-16 without a mark has nearly all its NUL bytes before, or all behind, signs such as commas."""
    first, second = head[::2].count(0), head[1::2].count(0)
    if min(first, second) * 4 > max(first, second):
        return "give the right file, or name its encoding with --encoding"
    name = "utf-16-be" if first > second else "utf-16-le"
    return f"it looks like UTF-16 without a byte order mark: give --encoding {name}, or save it as UTF-8"


def _known_encoding(told: str) -> str:
    try:
        b"".decode(told)
        name = codecs.lookup(told).name
    except (LookupError, ValueError):
        raise RequestError(
            f"there is no encoding {shown(told)!r}; give one such as utf-8, utf-16, cp1252 or latin-1."
        ) from None
    return "utf-8-sig" if name == "utf-8" else name


def _is_utf_8(source: Opener) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for chunk in _chunks(source):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_western(source: Opener) -> bool:
    """Whether all bytes are common in Windows-1252, and its rarer signs are where such signs belong."""
    before = b""
    for chunk in _chunks(source):
        if chunk.translate(None, _WESTERN + _SIGNS) or _OUT_OF_PLACE.search(before + chunk):
            return False
        before = (before + chunk)[-2:]
    return True


def _chunks(source: Opener) -> Iterator[bytes]:
    with source() as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def bounded_lines(text: RowText, where: str, newline: str) -> Iterator[tuple[int, str | InputError]]:
    """Each line with its number; for one that is too long the error.

    Raises InputError where the encoding does not allow to read on.
    """
    number = 0
    with text.opened(newline) as file:
        try:
            while line := file.readline(LONGEST_ROW + 1):
                number += 1
                yield number, line if len(line) <= LONGEST_ROW else _too_long(f"{where}, line {number}")
                while len(line) > LONGEST_ROW and not line.endswith("\n"):
                    line = file.readline(LONGEST_ROW + 1)
        except UnicodeError as error:
            raise text.fault(f"{where}, line {number + 1}", error) from None


def _readings(text: str) -> dict[str, str]:
    """How encodings read the first word that is not text, each reading with the first that gives it."""
    word = _UNREAD.search(text)
    if word is None or re.search(r"[\x80-\ud7ff\ue000-\U0010ffff]", text):
        return {}
    content = word[0].encode("utf-8", "surrogateescape")
    readings: dict[str, str] = {}
    for name in _SUGGESTED:
        reading = content.decode(name, "replace")
        if reading.isprintable() and "\ufffd" not in reading:
            readings.setdefault(reading, name)
    return readings


def _too_long(where: str) -> InputError:
    wrong = f"has more than {LONGEST_ROW:,} characters"
    return InputError(where, wrong, "check that the file has line ends and is the right one")
