"""One person repairing one case: its texts, their draft, and saving them as a revision."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from reviewer.core.check_result import check_words
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, one_line
from reviewer.oracle.program_runner import local_runner
from reviewer.protocols.altered_case import check_whole
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.protocols.repairs import EditorPane, Repairs
from reviewer.runs.audit.dataset_audit import audit
from reviewer.runs.repair.drafts import DraftFile, RepairDraft
from reviewer.runs.repair.revise import read_place, revise
from reviewer.runs.repair.trial import Trial
from store.clock import instant, now_ms
from store.database import Database
from store.records import Case, Finding, JsonValue, Proposer, Revision
from store.revisions import PlaceNow
from store.studies import find_study, sample_of, studies_drawn_from

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
        repairs = self.protocol.repairs()
        if repairs is None:
            raise RequestError(f"cases of protocol {self.protocol.title} cannot be changed in this release.")
        self.repairs: Repairs = repairs
        self.drafts = DraftFile(database, dataset, key)
        self._proposals: dict[str, Proposer] = {}

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

    def note_proposal(self, candidate: Case, proposed_by: Proposer) -> None:
        """Remember who proposed a content that the person took over."""
        self._proposals[candidate.digest] = proposed_by

    def summary(self, trial: Trial | None, problem: str, of_texts: Iterable[Finding] = ()) -> RepairSummary:
        """What saving the texts of a trial settles and adds, and what speaks against it.

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
            resolves=[_resolved(finding, trial) for finding in trial.gone] if trial else (),
            proposed_by=self._proposals.get(candidate.digest, "person"),
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


def _resolved(finding: Finding, trial: Trial) -> dict[str, JsonValue]:
    """A finding that is gone: its check, and the programs that it was about."""
    variants = dict.fromkeys(str(place["variant"]) for place in finding.places or ())
    return {"check": finding.check, "program": ", ".join(filter(None, variants))}
