"""Importing filled validation sheets: all of them, as events of the ledger, or nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import strange_character, too_long
from reviewer.exchange.sheets.filled_sheets import Problem, read_filled
from reviewer.exchange.sheets.sheet_matching import SheetVerdict, match_sheets
from reviewer.exchange.sheets.sheet_writer import check_has_sheets
from reviewer.study.design.assignments import assignment_of, join_study
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import fitting_events
from reviewer.study.session.verdicts import Channel, History, Slot
from reviewer.study.transfer.answer_reports import late_answers_refused
from store.database import Database
from store.ledger import Ledger, LedgerWrite
from store.records import Event, EventKind, GivenBy


@dataclass(frozen=True, slots=True)
class CheckedSheets:
    """The verdicts in the sheets, the problems that keep them from being stored, and notices."""

    verdicts: tuple[SheetVerdict, ...]
    problems: tuple[Problem, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredSheets:
    """Numbers of new, changed and unchanged labels, of empty cells, and of comments."""

    new: int
    changed: int
    same: int
    empty: int
    comments: int


def check_sheets(bundle: StudyBundle, path: Path) -> CheckedSheets:
    """Read and match everything without writing anything; raises InputError for no sheets at all."""
    check_has_sheets(bundle)
    if bundle.study.closed_at is not None:
        raise RequestError(late_answers_refused(bundle.study.name, bundle.study.closed_at))
    matched = match_sheets(bundle, read_filled(path, bundle.protocol.validation_sheets))
    unfit = [
        Problem(verdict.file, verdict.line, None, wrong)
        for verdict in matched.verdicts
        if (wrong := _wrong_with(verdict.comment))
    ]
    return CheckedSheets(tuple(matched.verdicts), (*matched.problems, *unfit), tuple(matched.notices))


def _wrong_with(comment: str) -> str | None:
    """Why a comment cannot be kept."""
    if strange := strange_character(comment):
        return f"its comment holds {strange}"
    if long := too_long(comment):
        return f"its comment has {long}; shorten it"
    return None


def store_sheets(
    database: Database, bundle: StudyBundle, rater: str, verdicts: Sequence[SheetVerdict]
) -> StoredSheets:
    """Append what differs from the rater's current verdicts, in one turn of the ledger.

    An empty cell takes nothing back. Raises RequestError for a rater who may not take part.
    """
    return store_verdicts(database, bundle, {rater: verdicts}, "spreadsheet")


def store_verdicts(
    database: Database,
    bundle: StudyBundle,
    verdicts: Mapping[str, Sequence[SheetVerdict]],
    given: GivenBy,
) -> StoredSheets:
    """Append what differs from the current verdicts of each rater, all of it in one transaction.

    Raises RequestError for a rater who may not take part.
    """
    for rater in verdicts:
        assignment_of(database, bundle.study, rater)  # raises before anybody joins
    joined = {rater: join_study(database, bundle.study, rater) for rater in verdicts}
    with Ledger(database).turns(bundle.study.name, list(verdicts)) as turns:
        written = []
        for rater, turn in turns.items():
            writing = _Writing(bundle, turn, fitting_events(bundle, turn.news, (joined[rater],)), given)
            for verdict in verdicts[rater]:
                writing.take(verdict)
            written.append(writing)
        return StoredSheets(
            new=sum(writing.new for writing in written),
            changed=sum(writing.changed for writing in written),
            same=sum(writing.same for writing in written),
            empty=sum(writing.empty for writing in written),
            comments=sum(writing.comments for writing in written),
        )


class _Writing:
    """One rater's sheets going into the ledger."""

    def __init__(
        self, bundle: StudyBundle, turn: LedgerWrite, before: Sequence[Event], given: GivenBy
    ) -> None:
        self._bundle, self._turn, self._given = bundle, turn, given
        self._history = History.of(before)
        self.new = self.changed = self.same = self.empty = self.comments = 0

    def take(self, verdict: SheetVerdict) -> None:
        """Add the label and the comment if they differ from the current ones."""
        slot = Slot(verdict.case, verdict.question.key)
        comment = self._history.verdict(slot).comment
        # Once the rater has seen what the answer reveals, another one is a second verdict here too.
        answered = slot.second if self._history.revealed(slot) else slot
        before = self._history.verdict(answered)
        if verdict.label is None:
            self.empty += 1
        elif verdict.label == before.label:
            self.same += 1
        else:
            self.new += before.label is None
            self.changed += before.label is not None
            self._add(verdict, answered, "label", "answer", verdict.label)
        if verdict.comment and verdict.comment != comment:
            self.comments += 1
            self._add(verdict, slot, "comment", "comment", verdict.comment)

    def _add(self, verdict: SheetVerdict, slot: Slot, kind: EventKind, channel: Channel, value: str) -> None:
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
        )
        self._history.add(event)
