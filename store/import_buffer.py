"""Bytes beside the memory: what a large import has checked, until it is written to the store."""

import os
import tempfile
import weakref
from pathlib import Path

from reviewer.core.temporary_files import no_temporary_room

_MOST_HELD = 4 << 20


class Spool:
    """Pieces of bytes in a temporary file without a name, which vanishes with the process.

    The newest pieces are held in memory, so that few of them need no file at all.
    """

    def __init__(self) -> None:
        self._held, self._written = bytearray(), 0
        self._file: int | None = None

    def add(self, piece: bytes) -> int:
        """Keep a piece; returns where it starts. Raises StoreError if there is no room for it."""
        start = self._written + len(self._held)
        self._held += piece
        if len(self._held) > _MOST_HELD:
            self._write()
        return start

    def piece(self, start: int, size: int) -> bytes:
        """The bytes of a piece."""
        if start >= self._written:
            return bytes(self._held[start - self._written :][:size])
        assert self._file is not None
        return os.pread(self._file, size, start)

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = _unnamed_file()
                weakref.finalize(self, os.close, self._file)
            left = memoryview(self._held)
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            raise no_temporary_room("the rows of the file", error) from error
        self._written += len(self._held)
        self._held = bytearray()


def _unnamed_file() -> int:
    file, path = tempfile.mkstemp(prefix="reviewer-")
    Path(path).unlink()
    return file
