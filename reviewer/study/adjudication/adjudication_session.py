"""Adjudication: the queue of items on which raters disagree, and the events of a decision."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.pane import Sheet
from reviewer.core.question import Question, answer_in_words
from reviewer.protocols.altered_case import check_whole
from reviewer.study.adjudication.decisions import AdjudicatedLabel, Decision, Decisions
from reviewer.study.adjudication.rater_comments import RaterComment, RaterComments
from reviewer.study.adjudication.votes import ItemVotes, votes_by_item
from reviewer.study.design.asking_third_votes import why_third_votes_come_first
from reviewer.study.design.closing import checked_reason
from reviewer.study.design.leads import check_store_of_lead
from reviewer.study.design.seeding import derived_seed
from reviewer.study.design.study_bundle import StudyBundle, load_frame, load_study
from reviewer.study.integrity.quarantine import fitting_events
from reviewer.study.session.blinded_panes import sheet_for_adjudicator
from reviewer.study.session.blinding import may_see_generators, owed_elsewhere, why_not_adjudicate
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.verdicts import slot_of
from store.clock import instant, now_ms
from store.database import Database
from store.ledger import Ledger, LedgerWrite
from store.records import Assignment, Case, Event, GivenBy, StudyAct, StudyCase
from store.studies import add_rater, raters_of
from store.study_log import add_act


@dataclass(frozen=True, slots=True)
class DisputeFilter:
    """The filter that an adjudicator chose; None means no restriction. ``question`` is a title."""

    question: str | None = None
    group: str | None = None
    split: str | None = None

    def __bool__(self) -> bool:
        return self != DisputeFilter()

    @property
    def words(self) -> str:
        """The filter for people, such as "same task, split 2 : 1"."""
        split = f"split {self.split}" if self.split else None
        return ", ".join(filter(None, (self.question, self.group, split)))

    def holds(self, item_votes: ItemVotes) -> bool:
        """Whether a dispute matches."""
        values = _values(item_votes)
        return all(getattr(self, name) in (None, value) for name, value in values.items())


def dispute_counts(disputed: Iterable[ItemVotes]) -> Mapping[str, Counter[str]]:
    """How many disputes each single filter would match, by field of the filter and value."""
    counts = {field.name: Counter[str]() for field in fields(DisputeFilter)}
    for item_votes in disputed:
        for name, value in _values(item_votes).items():
            counts[name][value] += 1
    return counts


def _values(item_votes: ItemVotes) -> Mapping[str, str]:
    votes = sorted(item_votes.counts.values(), reverse=True)
    return {
        "question": item_votes.question.title,
        "group": item_votes.place.group,
        "split": " : ".join(map(str, votes)),
    }


class DisputeState(StrEnum):
    """Whether a dispute is decided, put off or neither."""

    OPEN = "open"
    SKIPPED = "skipped"
    ADJUDICATED = "adjudicated"


@dataclass(frozen=True)
class Dispute:
    """One item whose votes differ, with its raters' comments without their names."""

    item_votes: ItemVotes
    _all_comments: RaterComments = field(repr=False, compare=False)

    @cached_property
    def comments(self) -> tuple[RaterComment, ...]:
        """One entry for each rater who labelled or commented on the item."""
        return self._all_comments.on(self.item_votes)


def admit_rater(database: Database, study: str, lead: str, rater: str) -> StudyAct:
    """Record that the lead allows a rater of the study to adjudicate; raises RequestError if refused."""
    check_store_of_lead(database, study, "let a rater adjudicate", "a rater is let adjudicate")
    bundle = load_frame(database, study)
    if all(assignment.rater != rater for assignment in bundle.raters):
        raise RequestError(f"{rater!r} is not a rater of study {study!r}; leave --allow-rater out.")
    if checked_name("lead", lead) == rater:
        raise RequestError(
            f"{rater!r} cannot approve their own adjudication; --allow-rater takes the lead's name."
        )
    act = add_act(database, study, "admit", lead, "", subject=rater)
    assert act is not None
    return act


class AdjudicationSession:
    """One adjudicator and their queue: the closest votes first, then by question and position in the sample.

    A method that changes something returns once the change is durable. If it raises, nothing has changed.
    Opening a session is recorded, because people who have seen the verdicts can no longer rate in the study.
    Raises RequestError if the person may not adjudicate or if there is no disagreement.
    """

    def __init__(
        self,
        database: Database,
        study: str,
        adjudicator: str,
        clock: Callable[[], int] = now_ms,
        given: GivenBy = "app",
    ) -> None:
        bundle = load_study(database, study, late=True)
        checked_name("adjudicator", adjudicator)
        if reason := why_not_adjudicate(database, bundle, adjudicator):
            raise RequestError(reason)
        bundle = replace(bundle, owed_elsewhere=owed_elsewhere(database, bundle.study, adjudicator))
        self.bundle, self.adjudicator, self._given = bundle, adjudicator, given
        self.database = database
        self._ledger = Ledger(database, clock)
        events = fitting_events(bundle, self._ledger.differing(study))
        if reason := why_third_votes_come_first(bundle, label_rows(bundle, events)):
            raise RequestError(reason)
        self.disputes = disputes(bundle, events)
        if not self.disputes:
            raise RequestError(
                f"there is nothing to decide in study {study!r}: raters disagree about no item."
            )
        own = next((known for known in bundle.raters if known.rater == adjudicator), None)
        self.assignment = own or _assignment(bundle, adjudicator, clock())
        add_rater(database, self.assignment)
        self._decisions = Decisions(bundle, events)
        self.only = DisputeFilter()
        """The disputes to work on; the others are kept."""
        self.index = -1
        self.go_to(self._next_open() or 0)

    # -- where the adjudicator is ------------------------------------------------------------------

    @property
    def dispute(self) -> Dispute:
        """The dispute that is shown."""
        return self.disputes[self.index]

    @property
    def decision(self) -> Decision | None:
        """The decision about the dispute that is shown; None if there is none yet."""
        return self.decision_at(self.index)

    @property
    def question(self) -> Question:
        """The question of the dispute that is shown, with the labels that its case has."""
        item_votes, bundle = self.dispute.item_votes, self.bundle
        return bundle.protocol.asked_about(item_votes.question, bundle.cases[item_votes.place.case])

    @property
    def wording(self) -> str:
        """The question as it is worded for this case."""
        item_votes = self.dispute.item_votes
        return item_votes.question.wording(self.bundle.terms(item_votes.place.case))

    def place_at(self, index: int) -> StudyCase:
        """The place of the case of one of ``disputes``; its generator only once all are decided."""
        place = self.disputes[index].item_votes.place
        owes = self.count(DisputeState.ADJUDICATED) < len(self.disputes)
        named = may_see_generators(self.bundle.protocol, owes=owes)
        return place if named else place.model_copy(update={"generator": ""})

    def decision_at(self, index: int) -> Decision | None:
        """The decision about one of ``disputes``; None if there is none yet."""
        return self._decisions.at(self.disputes[index].item_votes.slot)

    def state_at(self, index: int) -> DisputeState:
        """The state of one of ``disputes``."""
        decision = self.decision_at(index)
        if decision is None:
            return DisputeState.OPEN
        return DisputeState.SKIPPED if decision.label is None else DisputeState.ADJUDICATED

    def count(self, state: DisputeState) -> int:
        """How many of ``disputes`` are in this state."""
        return [self.state_at(index) for index in range(len(self.disputes))].count(state)

    def sheet(self) -> Sheet:
        """The panes to look at, and the guideline that raters had, if any.

        Findings on disputed questions about the case are included only after the decisions.
        """
        bundle, item_votes = self.bundle, self.dispute.item_votes
        case = bundle.cases[item_votes.place.case]
        sheet = sheet_for_adjudicator(bundle, item_votes.question, case, self._undecided_about(case))
        if not item_votes.question.guideline_parts:
            return sheet
        return replace(sheet, first=(*sheet.first, item_votes.question.guideline_pane))

    def _undecided_about(self, case: Case) -> set[str]:
        """The disputed questions about a case that are not decided."""
        return {
            dispute.item_votes.question.key
            for index, dispute in enumerate(self.disputes)
            if dispute.item_votes.place.case == case.digest
            and self.state_at(index) is not DisputeState.ADJUDICATED
        }

    def decided_labels(self, question: str) -> list[str]:
        """The answers that this person decided on for a question, by its key, in the order of deciding."""
        decisions = (self.decision_at(index) for index in range(len(self.disputes)))
        mine = [known for known in decisions if known and known.event.rater == self.adjudicator]
        made = sorted(mine, key=lambda decision: decision.event.id)
        return [known.label for known in made if known.label is not None and known.event.question == question]

    @property
    def own_events(self) -> list[Event]:
        """This person's decisions and the undos of them, oldest first."""
        return [event for event in self._decisions.events if event.rater == self.adjudicator]

    # -- moving ------------------------------------------------------------------------------------

    def go_to(self, index: int) -> None:
        """Show a dispute."""
        self.index = max(0, min(index, len(self.disputes) - 1))

    @property
    def shown(self) -> list[int]:
        """The indices of the disputes that match the filter, in order."""
        return [index for index, dispute in enumerate(self.disputes) if self.only.holds(dispute.item_votes)]

    def narrow(self, only: DisputeFilter) -> None:
        """Work on the disputes that match. If the one that is shown does not, show the first that does."""
        self.only = only
        if self.shown and self.index not in self.shown:
            self.go_to(self.shown[0])

    def step(self, by: int) -> None:
        """Show the dispute that stands ``by`` places further among those that match."""
        shown = self.shown
        if self.index in shown:
            self.go_to(shown[max(0, min(shown.index(self.index) + by, len(shown) - 1))])
        elif shown:
            self.go_to(shown[0])

    def next_open(self) -> bool:
        """Show the next open dispute, or else one that was put off. Returns False if there is no other."""
        index = self._next_open()
        if index is not None:
            self.go_to(index)
        return index is not None

    def _next_open(self) -> int | None:
        shown = self.shown
        order = [index for index in shown if index > self.index]
        order += [index for index in shown if index < self.index]
        states = {index: self.state_at(index) for index in order}
        waiting = [i for i in order if states[i] is DisputeState.OPEN] or [
            i for i in order if states[i] is DisputeState.SKIPPED
        ]
        return waiting[0] if waiting else None

    # -- what a key saves --------------------------------------------------------------------------

    def decide(self, label: str, reason: str) -> Event:
        """Save the final answer with its reason.

        Raises RequestError if it does not answer the question, if the reason is empty, or if
        somebody else decided in the meantime. Raises StoreError if the case was altered.
        """
        item_votes, bundle = self.dispute.item_votes, self.bundle
        case = bundle.cases[item_votes.place.case]
        if fault := bundle.protocol.answer_fault(item_votes.question, case, label):
            raise RequestError(f"{fault}.")
        if fault := bundle.protocol.label_fault(item_votes.question, case, label):
            raise RequestError(fault)
        if not checked_reason(reason):
            raise RequestError("a decision needs a reason; say in a few words why.")
        self.check_case()
        return self._save(AdjudicatedLabel(label=label, reason=checked_reason(reason), seen=self._seen()))

    def check_case(self) -> None:
        """Raise StoreError if the case that is shown was altered."""
        check_whole(self.bundle.cases[self.dispute.item_votes.place.case])

    def put_off(self) -> Event | None:
        """Put the dispute off. Nothing is saved if there is already a decision about it."""
        if self.decision is not None:
            return None
        return self._save(AdjudicatedLabel(label=None, seen=self._seen()))

    def undo(self) -> Event | None:
        """Take back this adjudicator's newest decision and show its dispute. Returns None if there is none.

        Raises RequestError if another window has already taken back the decision that was newest here.
        """
        slots = [dispute.item_votes.slot for dispute in self.disputes]
        in_view = self._decisions.last_of(self.adjudicator, slots)
        with self._turn() as turn:
            self._decisions.check_undo(in_view)
            last = self._decisions.last_of(self.adjudicator, slots)
            if last is None:
                return None
            index = slots.index(slot_of(last.event))
            event = self._add(turn, self.disputes[index].item_votes, None, last.event.id)
        self._decisions.add(event)
        self.go_to(index)
        return event

    def _words(self, answer: str | None) -> str:
        return answer_in_words(self.dispute.item_votes.question, answer or "")

    def _seen(self) -> tuple[str, ...]:
        return tuple(event.id for event in self.dispute.item_votes.events)

    def _save(self, decision: AdjudicatedLabel) -> Event:
        before = self.decision
        with self._turn() as turn:
            now = self.decision
            if now is not None and now != before:
                raise RequestError(
                    f"{now.event.rater} has just decided this: {self._words(now.label) or 'put off'}. "
                    "Read the reason; decide again if you disagree."
                )
            event = self._add(turn, self.dispute.item_votes, decision.as_value(), None)
        self._decisions.add(event)
        return event

    def _add(self, turn: LedgerWrite, item_votes: ItemVotes, value: str | None, target: str | None) -> Event:
        return turn.add(
            **asdict(item_votes.slot),
            question_digest=self.bundle.shown_digest(item_votes.slot),
            kind="adjudication",
            value=value,
            target=target,
            supersedes=self._decisions.heads(item_votes.slot),
            given=self._given,
        )

    def _everybody(self) -> list[Assignment]:
        """Everyone in the study now: adjudicators may have joined after this session began."""
        with self.database.read() as session:
            return raters_of(session, self.bundle.study.name)

    @contextmanager
    def _turn(self) -> Iterator[LedgerWrite]:
        """A turn of the ledger, after reading what the other adjudicators have decided in the meantime."""
        with self._ledger.adjudicating(self.bundle.study.name, self.adjudicator) as turn:
            for event in fitting_events(self.bundle, turn.news, self._everybody()):
                self._decisions.add(event)
            yield turn


def disputes(bundle: StudyBundle, events: Sequence[Event]) -> tuple[Dispute, ...]:
    """Items of counted cases on which votes differ: the closest votes first, then those furthest apart."""
    rows = label_rows(bundle, events)
    comments = RaterComments(bundle, rows)
    split = [item_votes for item_votes in votes_by_item(bundle, rows) if item_votes.disputed]
    return tuple(
        Dispute(item_votes, comments)
        for item_votes in sorted(split, key=lambda votes: (votes.lead, -votes.steps))
    )


def _assignment(bundle: StudyBundle, adjudicator: str, milliseconds: int) -> Assignment:
    return Assignment(
        study=bundle.study.name,
        rater=adjudicator,
        order_seed=derived_seed(bundle.study.seed, f"adjudication by {adjudicator}"),
        joined_at=instant(milliseconds),
        role="adjudicator",
    )
