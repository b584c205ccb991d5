"""Copies of a store's file, made while other programs use it."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from reviewer.core.errors import StoreError
from reviewer.core.whole_files import drafted

_BESIDE = ("-wal", "-journal")
_PAGES_AT_ONCE = 2_000
_COPY = """
import shutil, sys
try:
    shutil.copyfile(sys.argv[1], sys.argv[2])
except OSError as error:
    sys.exit(error.errno or 1)
"""


def copy_file(source: Path, target: Path) -> None:
    """Copy a store's file, with the files beside it, as it is at one moment. The source is not changed.

    Raises sqlite3.Error or OSError.
    """
    try:
        _copy_pages(source, target)
    except sqlite3.Error:
        # The file is damaged, or a crash left a log beside it in a read-only folder. SQLite may be able to
        # recover the same files elsewhere.
        target.unlink(missing_ok=True)
        _copy_bytes(source, target)
        for ending in _BESIDE:
            if (companion := source.with_name(source.name + ending)).exists():
                _copy_bytes(companion, target.with_name(target.name + ending))


def _copy_pages(source: Path, target: Path) -> None:
    read_only = f"{source.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(read_only, uri=True)) as reading,
        closing(sqlite3.connect(target)) as writing,
    ):
        reading.backup(writing, pages=_PAGES_AT_ONCE)


def _copy_bytes(source: Path, target: Path) -> None:
    """Copy the bytes of a file in another process; raises OSError.

    Under POSIX, a process that closes a file loses all its locks on that file. This process may have the
    store open, and another program could then remove the log that it uses.
    """
    command = [sys.executable, "-I", "-S", "-c", _COPY, str(source.absolute()), str(target.absolute())]
    code = subprocess.run(  # noqa: S603 (this interpreter, and a program of our own)
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    ).returncode
    if code:
        raise OSError(code, os.strerror(code), str(target))


def back_up(source: Path, target: Path) -> int:
    """Copy a store while people use it, check the copy, and return its bytes. Raises StoreError."""
    if target.exists():
        raise StoreError(f"file {str(target)!r} already exists; give another name.")
    try:
        with drafted(target) as draft:
            copy_file(source, draft)
            _check_whole(draft)
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            draft.rename(target)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # messages may quote bytes of a damaged file
        raise StoreError(
            f"store {str(source)!r} cannot be copied ({error}); see `reviewer store check`."
        ) from error
    except OSError as error:
        raise StoreError(
            f"file {str(target)!r} cannot be written ({error.strerror}); choose another."
        ) from error
    return target.stat().st_size


def _check_whole(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
        (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)
