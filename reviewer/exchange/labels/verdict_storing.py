"""Verdicts that come in files, from sheets and from other tools, as events: all of them, or none."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.question import Question
from reviewer.exchange.labels.foreign_label import FIRST_ANSWER, AnswerDetails
from reviewer.study.design.joining import assignments_of
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import fitting_events
from reviewer.study.session.verdicts import REVEALED, Channel, History, Slot
from store.database import Database
from store.ledger import Ledger, LedgerWrite
from store.records import Event, EventKind, GivenBy, JsonValue


@dataclass(frozen=True, slots=True)
class IncomingVerdict:
    """What a place of a file says of a case under a question: the label (None is missing) and a comment.

    ``shown`` are the columns that had content beside the answer.
    """

    question: Question
    case: str
    label: str | None
    comment: str
    where: str
    shown: tuple[str, ...] = ()
    details: AnswerDetails = FIRST_ANSWER

    @property
    def place(self) -> Slot:
        """The slot that it is about."""
        return Slot(self.case, self.question.key, self.details.showing, self.details.phase)


@dataclass(slots=True)
class StoredVerdicts:
    """Numbers of new, changed and unchanged labels, of empty cells, and of comments."""

    new: int = 0
    changed: int = 0
    same: int = 0
    empty: int = 0
    comments: int = 0


def store_verdicts(
    database: Database,
    bundle: StudyBundle,
    verdicts: Mapping[str, Sequence[IncomingVerdict]],
    given: GivenBy,
    meant: Collection[str] = (),
) -> StoredVerdicts:
    """Append what differs from the current verdicts of each rater, all of it in one transaction.

    New raters join in the same transaction. ``meant`` are names that may look like others. Raises
    RequestError for a rater who may not take part.
    """
    parts = assignments_of(database, bundle.study, list(verdicts), meant)
    newcomers = [part for part, is_new in parts if is_new]
    with Ledger(database).turns(bundle.study.name, list(verdicts), newcomers) as turns:
        stored = StoredVerdicts()
        for rater, turn in turns.items():
            before = fitting_events(bundle, turn.news, newcomers) if turn.news else []
            writing = _Writing(bundle, turn, before, given, stored)
            for verdict in verdicts[rater]:
                writing.take(verdict)
    return stored


class _Writing:
    """One rater's verdicts going into the ledger."""

    def __init__(
        self,
        bundle: StudyBundle,
        turn: LedgerWrite,
        before: Sequence[Event],
        given: GivenBy,
        stored: StoredVerdicts,
    ) -> None:
        self._bundle, self._turn, self._given = bundle, turn, given
        self._history, self._stored = History.of(before), stored

    def take(self, verdict: IncomingVerdict) -> None:
        """Add the label, the comment and the flag if they differ from the current ones."""
        slot, details = verdict.place, verdict.details
        if details.phase == "after" and not self._history.revealed(slot):
            self._add(verdict, slot, "note", "note", REVEALED)
        current = self._history.verdict(slot)
        self._take_label(verdict, slot)
        if verdict.comment and (verdict.comment, details.passage) != (current.comment, current.passage):
            self._stored.comments += 1
            self._add(verdict, slot, "comment", "comment", verdict.comment, details.passage)
        if details.flagged and not current.flagged:
            self._add(verdict, slot, "flag", "flag", "flagged")

    def _take_label(self, verdict: IncomingVerdict, slot: Slot) -> None:
        # Once the rater has seen what the answer reveals, another one is a second verdict here too.
        is_repeated = verdict.label == self._history.verdict(slot).label
        answered = slot.second if self._history.revealed(slot) and not is_repeated else slot
        before = self._history.verdict(answered)
        if verdict.label is None:
            self._stored.empty += 1
        elif verdict.label == before.label:
            self._stored.same += 1
        else:
            self._stored.new += before.label is None
            self._stored.changed += before.label is not None
            self._add(verdict, answered, "label", "answer", verdict.label)

    def _add(
        self,
        verdict: IncomingVerdict,
        slot: Slot,
        kind: EventKind,
        channel: Channel,
        value: str,
        passage: JsonValue = None,
    ) -> None:
        event = self._turn.add(
            case=slot.case,
            question=slot.question,
            question_digest=self._bundle.shown_digest(slot),
            showing=slot.showing,
            phase=slot.phase,
            kind=kind,
            value=value,
            supersedes=self._history.heads(slot, channel),
            given=self._given,
            panes=list(verdict.shown),
            passage=passage,
        )
        self._history.add(event)
