"""Opening files that others made: only regular files within a size limit.

Files that are compressed with gzip are unpacked as they are read, within a limit.
"""

import gzip
import io
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line, printable
from reviewer.core.source_text import read_source_text
from reviewer.core.source_text import unreadable as unreadable  # readers of files look for it here

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
