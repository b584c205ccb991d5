"""Files of rows that are compressed with gzip: unpacked as they are read, within a limit."""

import gzip
import io
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from reviewer.core.errors import InputError
from reviewer.exchange.rows.row_text import Opener
from reviewer.exchange.rows.source_file import MOST_BYTES

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
