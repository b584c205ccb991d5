"""Files and folders that are written whole or not at all, and temporary ones."""

import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from reviewer.core.errors import RequestError, StoreError

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def temporary_folder(what: str) -> Iterator[Path]:
    """A folder that is removed at the end; raises StoreError if it has no room for ``what``."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="reviewer-")
    except OSError as error:
        raise no_temporary_room(what, error) from error
    with folder as path:
        try:
            yield Path(path)
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise no_temporary_room(what, error) from error
            raise


def no_temporary_room(what: str, error: OSError) -> StoreError:
    """The error where the folder for temporary files refused something."""
    return StoreError(
        f"the folder for temporary files refused {what} ({error.strerror}); free room in it, or name another "
        "folder in the variable TMPDIR."
    )


_BESIDE_A_STORE = ("-wal", "-shm", "-journal")


def draft_of(target: Path) -> Path:
    """The draft of a file or folder, beside it: visible, and always of the same name.

    A program that is killed can remove nothing. So what it leaves is seen, and the next attempt replaces it.
    """
    return target.with_name(f"{target.name}.unfinished")


@contextmanager
def drafted(target: Path) -> Iterator[Path]:
    """The draft of a file, which gets its name inside; what is left of it is removed before and after."""
    draft = draft_of(target)
    _remove(draft)
    try:
        yield draft
    finally:
        _remove(draft)


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """A folder, made with those above it; a new one that is empty at the end is removed. Raises OSError."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        with suppress(OSError):  # it holds something, and so do those above it
            for path in new:
                path.rmdir()


def write_private(file: Path, content: bytes) -> None:
    """Write a file that only this user reads, even if the machine stops in between. Raises OSError."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")  # of mode 0600
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _remove(draft: Path) -> None:
    for ending in ("", *_BESIDE_A_STORE):
        with suppress(OSError):  # what could not be made cannot be removed either
            draft.with_name(draft.name + ending).unlink(missing_ok=True)


def write_texts(folder: Path, texts: Mapping[str, str | bytes | Iterator[str]]) -> list[Path]:
    """Write files into a folder, all of them or none; raises RequestError if that fails.

    A text that comes in parts is never held whole.
    """
    drafts: dict[Path, Path] = {}
    try:
        with ExitStack() as left_over:
            for name, text in texts.items():
                path = folder / name
                if path.exists() and not path.is_file():  # it may be a device that others need
                    raise RequestError(
                        f"{str(path)!r} exists and is not a regular file; choose another folder with -o."
                    )
                left_over.enter_context(made_folder(path.parent))
                # A finished file is renamed, so that no reader finds half of it.
                drafts[path] = left_over.enter_context(drafted(path))
                _write(drafts[path], text)
            return [draft.replace(path) for path, draft in drafts.items()]
    except OSError as error:
        raise RequestError(
            f"folder {str(folder)!r} cannot be written ({error.strerror}); choose another."
        ) from error


def _write(draft: Path, text: str | bytes | Iterator[str]) -> None:
    if isinstance(text, bytes):
        draft.write_bytes(text)
        return
    # A lone surrogate is written as its escape, which JSON reads back unchanged.
    with draft.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.writelines([text] if isinstance(text, str) else text)
