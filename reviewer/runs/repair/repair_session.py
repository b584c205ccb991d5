"""One person repairing one case: its texts, their draft, and saving them as a revision.

Drafts are private files in the person's state folder, which survive a crash of the app. Each window that
edits a case has a file of its own and holds a lock beside it. The lock ends with its process, so a draft
without a lock was left by a window that ended.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, ValidationError

from reviewer.core.check_result import check_words
from reviewer.core.errors import StoreError
from reviewer.core.sanitize import agreeing, one_line
from reviewer.core.whole_files import write_private
from reviewer.oracle.program_runner import local_runner
from reviewer.protocols.altered_case import check_whole
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.protocols.repairs import EditorPane, Repairs
from reviewer.runs.audit.dataset_audit import audit
from reviewer.runs.repair.revise import read_place, revise
from reviewer.runs.repair.trial import Trial, repairs_of_protocol
from store.clock import instant, now_ms
from store.database import Database
from store.location import file_of
from store.records import Case, Finding, Proposer, Revision, digest_of
from store.revisions import PlaceNow
from store.studies import find_study, sample_of, studies_drawn_from

_SHOWN_DIGITS = 24
_MOST_BYTES = 16_000_000


class RepairDraft(BaseModel):
    """The texts of a case by pane that somebody has not saved yet.

    ``expected`` is the ``parent`` of the place when its content was read, so that a later change is noticed.
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


_UNTRIED = "Both programs could not be run on this text, so nobody knows what it decides"


@dataclass(frozen=True, slots=True)
class RepairSummary:
    """What a repair settles and adds, in words; ``against`` are reasons not to save it, as sentences."""

    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """The beginning of a reason: the findings that the repair settles."""
        return f"Settles {', '.join(self.gone)}." if self.gone else ""


class RepairSession:
    """A case at its place as it was when it was opened or last saved.

    The front end asks before who may change it.
    """

    def __init__(self, database: Database, dataset: str, key: str, person: str) -> None:
        """Raises RequestError if this case cannot be repaired, and StoreError."""
        self.database, self.person = database, person
        self.place: PlaceNow = read_place(database, dataset, key)
        check_whole(self.stored)
        self.protocol: Protocol = protocols_of(database).named(self.stored.protocol)
        self.repairs: Repairs = repairs_of_protocol(self.protocol)
        self.drafts = DraftFile(database, dataset, key)
        self.proposals: dict[str, Proposer] = {}
        """Who proposed a content that the person took over, by its digest."""

    @property
    def stored(self) -> Case:
        """The content that is stored at the place."""
        return self.place.case

    @property
    def panes(self) -> tuple[EditorPane, ...]:
        """The stored texts."""
        return self.repairs.editor_panes(self.stored)

    @property
    def title(self) -> str:
        """The case, and which revision the texts would become."""
        number = len(self.place.history.revisions) + 1
        key, group = self.place.place.key, self.stored.group
        name = key if key.startswith(group) else f"{group}/{key}"
        return f"repair · {name} · revision {number}"

    # -- drafts ------------------------------------------------------------------------------------

    @property
    def left_words(self) -> str:
        """A sentence on the draft that was left, and on other windows on this case; "" if there are none."""
        others = self.drafts.windows
        words = f"Another window is editing this case ({others}); the first to save wins. " if others else ""
        if draft := self.drafts.left:
            when = draft.kept_at[:16].replace("T", " ")
            words += f"Your draft of {when} UTC is back."
            if draft.expected != self.place.parent:
                words += " The stored version changed since then: compare the two before you save."
        return words.strip()

    def keep_draft(self, texts: Mapping[str, str]) -> None:
        """Keep the texts, or forget the draft if they are the stored ones; raises StoreError."""
        if all(texts[pane.key].strip() == pane.text.strip() for pane in self.panes):
            self.drafts.discard()
            return
        at = self.place.place
        draft = RepairDraft(
            dataset=at.dataset,
            key=at.key,
            expected=self.place.parent,
            texts=dict(texts),
            kept_at=instant(now_ms()),
        )
        self.drafts.keep(draft)

    # -- saving ------------------------------------------------------------------------------------

    def summary(self, trial: Trial | None, problem: str, of_texts: Iterable[Finding] = ()) -> RepairSummary:
        """Findings that saving the texts of a trial settles and adds, and reasons against it.

        ``of_texts`` are new findings of checks that need no program.
        """
        notes = tuple(self._notes())
        if trial is None:
            return RepairSummary(against=(f"{_UNTRIED} ({one_line(problem, 200)}).",), notes=notes)
        return RepairSummary(
            tuple(check_words(finding.check) for finding in trial.gone),
            tuple(check_words(finding.check) for finding in (*trial.new, *of_texts)),
            trial.after.undecided,
            (*_decision_note(trial), *notes),
        )

    def _notes(self) -> list[str]:
        studies = [name for name in self._open_studies() if name]
        notes = ["The old content stays in the history. What was published with it is not carried over."]
        if studies:
            word = agreeing(len(studies), "study", "studies")
            notes.append(
                f"The case is in the sample of open {word} {', '.join(studies)}: verdicts on the old content "
                "become stale there."
            )
        return notes

    def _open_studies(self) -> list[str]:
        at = self.place.place
        with self.database.read() as session:
            names = studies_drawn_from(session, at.dataset)
            studies = {name: find_study(session, name) for name in names}
            return [
                name
                for name, study in studies.items()
                if study is not None
                and study.closed_at is None
                and any((case.dataset, case.key) == (at.dataset, at.key) for case in sample_of(session, name))
            ]

    def save(self, candidate: Case, trial: Trial | None, reason: str) -> Revision:
        """Save a content as a revision, and go on from there; raises RequestError or StoreError."""
        at = self.place.place
        revision = revise(
            self.database,
            at.dataset,
            at.key,
            candidate,
            expected=self.place.parent,
            author=self.person,
            reason=reason,
            resolves=trial.resolves if trial else (),
            proposed_by=self.proposals.get(candidate.digest, "person"),
            before=trial.before.measured if trial else None,
            after=trial.after.measured if trial else None,
        )
        self.place = read_place(self.database, at.dataset, at.key)
        self.drafts.discard()
        return revision

    def audit_again(self) -> None:
        """Audit the content that is stored now; raises ReviewerError."""
        with local_runner(1) as runner:
            audit(self.database, [[self.stored]], runner)


def _decision_note(trial: Trial) -> Iterator[str]:
    """Says so if the programs decide otherwise than those of the stored content."""
    before, after = (
        " and ".join(
            dict.fromkeys(str(version.result.choice) for version in run.versions if version.result.decided)
        )
        for run in (trial.before, trial.after)
    )
    if before and after and before != after:
        yield f"The programs now decide {after}. Before, they decided {before}."
