"""Drafts of repairs: private files in the person's state folder, which survive a crash of the app.

Each window that edits a case has a file of its own and holds a lock beside it. The lock ends with its
process, so a draft without a lock was left by a window that ended.
"""

import fcntl
import os
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, ValidationError

from reviewer.core.drafts import write_private
from reviewer.core.errors import StoreError
from store.database import Database
from store.location import file_of
from store.records import digest_of

_SHOWN_DIGITS = 24
_MOST_BYTES = 16_000_000


class RepairDraft(BaseModel):
    """The texts of a case by pane that somebody has not saved yet.

    ``expected`` is what the place held when its content was read, so that a later change of it is noticed.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    dataset: str
    key: str
    expected: str
    texts: dict[str, str]
    kept_at: str


class DraftFile:
    """The draft of one window on one case.

    ``left`` is the newest draft of a window that ended, and ``windows`` the number of other windows that are
    editing this case now.
    """

    def __init__(self, database: Database, dataset: str, key: str) -> None:
        """Raises StoreError if the folder for drafts cannot be used."""
        file = file_of(database.opened_with)
        store = database.location if file is None else str(file.resolve())
        place = digest_of([store, dataset, key])[:_SHOWN_DIGITS]
        self._folder = drafts_folder() / place
        self._file = self._folder / f"{os.getpid()}-{uuid4().hex[:8]}.json"
        self._lock: int | None = None
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            ended, self.windows = self._others()
            self._lock = _locked(self._file.with_suffix(".lock"))
        except OSError as error:
            raise _not_kept(error) from error
        drafts = [(draft, file) for file in ended if (draft := _read(file))]
        drafts.sort(key=lambda found: found[0].kept_at)
        self.left = drafts[-1][0] if drafts else None
        self._adopted: list[Path] = [file for _, file in drafts]

    def keep(self, draft: RepairDraft) -> None:
        """Write the draft, whole or not at all; it replaces drafts that were ``left``. Raises StoreError."""
        try:
            write_private(self._file, draft.model_dump_json().encode())
        except OSError as error:
            raise _not_kept(error) from error
        self._forget_left()

    def discard(self) -> None:
        """Delete the draft: it was saved, or the person went back to the stored version."""
        self._file.unlink(missing_ok=True)
        self._forget_left()

    def close(self) -> None:
        """End the lock of this window; its draft stays, if there is one."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
            self._file.with_suffix(".lock").unlink(missing_ok=True)

    def _forget_left(self) -> None:
        for file in self._adopted:
            file.unlink(missing_ok=True)
        self._adopted = []

    def _others(self) -> tuple[list[Path], int]:
        """The drafts of windows that ended, and the number of windows that did not."""
        alive = set[str]()
        for lock in self._folder.glob("*.lock"):
            if _is_held(lock):
                alive.add(lock.stem)
            else:
                lock.unlink(missing_ok=True)
        return [file for file in self._folder.glob("*.json") if file.stem not in alive], len(alive)


def drafts_folder() -> Path:
    """The folder of all drafts, in the person's state folder."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(state).expanduser() / "reviewer" / "drafts"


def _locked(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _is_held(path: Path) -> bool:
    """Whether a window that is still open holds the lock."""
    try:
        os.close(_locked(path))
    except OSError:
        return True
    return False


def _read(file: Path) -> RepairDraft | None:
    """A draft; None if the file is not one, because it was damaged or comes from a later release."""
    try:
        with file.open("rb") as opened:
            return RepairDraft.model_validate_json(opened.read(_MOST_BYTES))
    except (OSError, ValidationError):
        return None


def _not_kept(error: OSError) -> StoreError:
    return StoreError(
        f"the draft cannot be kept in {drafts_folder()} ({error.strerror or error}); save your change, or "
        "free space and go on typing."
    )
