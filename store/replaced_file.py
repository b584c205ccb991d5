"""Checks that a store's open file is still the one at its path and holds what was committed.

After an open file was deleted, moved or replaced, it still takes writes, and they are lost. SQLite does not
notice this, so the store checks before each write and after each commit. A check costs a few system calls.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from reviewer.core.errors import StoreGoneError
from reviewer.core.sanitize import one_line

_HEADER, _FRAME_HEADER = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)
_LARGEST_CHECKED = 16 << 20
"""Files up to this size (bytes) are checked whole after another program wrote them: about 20 ms."""
_OTHER_CONTENT = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ", "SQLITE_ERROR")


class _Status(NamedTuple):
    """Which file is at a path (None if there is none), its size, and when it was changed."""

    identity: tuple[int, int] | None = None
    size_and_time: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class LogPosition:
    """A state of the write-ahead log: its header (with salts), and the end of its last whole commit."""

    header: bytes = b""
    end: int = 0
    stamp: tuple[int, int] = (0, 0)
    """The log's size and modification time. A commit without changes writes nothing."""


class OpenFile:
    """The file of an open store, with its write-ahead log if it has one."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        # SQLite keeps the log beside the file itself, not beside a symbolic link to it.
        self._log_path = Path(f"{os.path.realpath(path)}-wal")
        self._identity: tuple[int, int] | None = None
        self._log_identity: tuple[int, int] | None = None
        self._position = LogPosition()
        self._seen = (0, 0)
        self._turn = threading.RLock()  # a signal handler may write in the middle
        self.witness: str | None = None
        """The id of an event that the file must hold."""

    def note(self) -> None:
        """Remember which files are open. Call this while a connection has them open."""
        self._identity, self._seen = _status(self._path)
        self._log_identity = _status(self._log_path).identity

    @property
    def log_bytes(self) -> int:
        """The size of the log in bytes."""
        return _status(self._log_path).size_and_time[0]

    def forget(self) -> None:
        """Forget the files after they were closed."""
        self._identity = self._log_identity = None
        self._position = LogPosition()

    def note_own_write(self) -> None:
        """Remember the file's size and time after this program has written to it."""
        self._seen = _status(self._path).size_and_time

    def before_write(self) -> LogPosition:
        """Check before a write, under the write lock; raises StoreGoneError."""
        if self._identity is None:
            self.note()
        self.check()
        with self._turn:
            self._position = self._advanced(self._position)
            return self._position

    def after_commit(self, before: LogPosition) -> None:
        """Check after a commit with changes; raises StoreGoneError if the file does not hold it."""
        self._check_places()
        if self._log_identity is None:
            self.note_own_write()
            return
        with self._turn:
            after = self._advanced(before)
            self._position = after
        if not after.header:
            self._check_content()  # the log is empty: a program has probably moved it into the file
        elif after.header == before.header and after.end <= before.end and after.stamp != before.stamp:
            # A writer that was killed in a commit may have left frames after the end, which are overwritten.
            self._check_content()
        self.note_own_write()

    def check(self) -> None:
        """Check that the open files are those at the path, and their content if another program wrote."""
        if self._identity is None:
            return
        seen = self._check_places()
        if seen != self._seen:
            self._check_content()
            self._seen = seen

    def check_after(self, error: BaseException | None) -> None:
        """Check after an error that can come from other content, also of the log; raises StoreGoneError."""
        name = getattr(error, "sqlite_errorname", "")
        if self._identity is not None and name.startswith(_OTHER_CONTENT):
            self._check_places()
            self._check_content()

    def _check_places(self) -> tuple[int, int]:
        """The file's size and time; raises StoreGoneError if it or its log is not the one that is open."""
        now, size_and_time = _status(self._path)
        if now != self._identity:
            raise self._gone("another file is in its place" if now else "there is no file at its path")
        if self._log_identity is not None and _status(self._log_path).identity != self._log_identity:
            raise self._gone("its log (-wal) was deleted or replaced")
        return size_and_time

    def _check_content(self) -> None:
        """Read the file as another program would, without what this connection has in memory."""
        try:
            with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as fresh:
                if self._seen[0] <= _LARGEST_CHECKED:
                    (verdict,) = fresh.execute("PRAGMA quick_check(1)").fetchone()
                    if verdict != "ok":
                        raise self._gone("its content was cut or replaced")
                known = fresh.execute("SELECT 1 FROM events WHERE id = ?", (self.witness,)).fetchone()
        except sqlite3.DatabaseError as error:
            if not error.sqlite_errorname.startswith(_OTHER_CONTENT):
                return  # such as a full disk or a lock, which says nothing about the content
            raise self._gone("its content was cut or replaced") from error
        if self.witness is not None and known is None:
            raise self._gone("its content was replaced")

    def _advanced(self, before: LogPosition) -> LogPosition:
        """The end of the log's last whole commit now; raises StoreGoneError if the log was cut."""
        if self._log_identity is None:
            return before
        try:
            with self._log_path.open("rb", buffering=0) as log:
                found, header = os.fstat(log.fileno()), os.pread(log.fileno(), _HEADER, 0)
                size = found.st_size
                if size == 0:
                    return LogPosition()  # a checkpoint has emptied it
                if int.from_bytes(header[:4]) not in _MAGIC:
                    raise self._gone("its log (-wal) was cut or replaced")
                if header == before.header and size < before.end:
                    raise self._gone("its log (-wal) was cut")
                start = before.end if header == before.header else _HEADER
                ends = _commits(log.fileno(), header, start)
                return LogPosition(header, max(ends, default=start), (size, found.st_mtime_ns))
        except OSError as error:
            raise self._gone("its log (-wal) cannot be read") from error

    def _gone(self, how: str) -> StoreGoneError:
        return StoreGoneError(
            f"the store {one_line(str(self._path), 120)!r} was moved or deleted ({how}); "
            "nothing more can be saved in it."
        )


def _commits(log: int, header: bytes, start: int) -> Iterator[int]:
    """The ends of the whole commits from ``start`` on, by SQLite's log format (sqlite.org/fileformat)."""
    page = int.from_bytes(header[8:12])
    at = start
    while True:
        frame = os.pread(log, _FRAME_HEADER, at)
        if len(frame) < _FRAME_HEADER or frame[8:16] != header[16:24]:
            return
        at += _FRAME_HEADER + page
        if frame[4:8] != b"\0\0\0\0":
            yield at


def _status(path: Path) -> _Status:
    try:
        status = path.stat()
    except OSError:
        return _Status()
    return _Status((status.st_dev, status.st_ino), (status.st_size, status.st_mtime_ns))
