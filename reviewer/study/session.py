"""One rater at work on one study: where the rater is, what is shown, and what a key does to the ledger.

Every method that changes something returns after it is durable, or raises and has changed nothing.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict

from reviewer.core.errors import RequestError
from reviewer.core.pane import Sheet
from reviewer.core.plaintext import strange_character
from reviewer.core.question import Question
from reviewer.study.bundle import StudyBundle, load_study
from reviewer.study.order import Order, Place
from reviewer.study.sampling import join_study
from reviewer.study.sheet import sheet_for
from reviewer.study.verdicts import Channel, History, Slot, State, Verdict, slot_of
from store.clock import now_ms
from store.database import Database
from store.ledger import Ledger, Turn
from store.records import Case, Event, EventKind, JsonValue


class ReviewSession:
    """A rater's session, in the rater's own order of cases, question by question or case by case."""

    def __init__(
        self,
        database: Database,
        study: str,
        rater: str,
        clock: Callable[[], int] = now_ms,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        bundle = load_study(database, study)
        assignment = join_study(database, bundle.study, rater)
        self.bundle: StudyBundle = bundle
        self.rater = rater
        self._ledger = Ledger(database, clock)
        self._stopwatch = stopwatch
        self.history = History()
        self._order = Order(bundle, assignment.order_seed)
        self.slots = self._order.slots
        self._positions = {slot: position for position, slot in enumerate(self.slots)}
        self._states = [State.OPEN] * len(self.slots)
        for event in self._ledger.events(study, rater):
            self._learn(event)
        self._position = 0
        self._shown_at = stopwatch()
        self.go_to(self._resume_position())

    # -- where the rater is ------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """Index into ``slots``."""
        return self._position

    @property
    def slot(self) -> Slot:
        """The slot that is shown."""
        return self.slots[self._position]

    @property
    def question(self) -> Question:
        """The question that is asked."""
        return self.bundle.question(self.slot.question)

    @property
    def case(self) -> Case:
        """The case that is shown."""
        return self.bundle.cases[self.slot.case]

    @property
    def verdict(self) -> Verdict:
        """What the rater currently says here."""
        return self.history.verdict(self.slot)

    @property
    def stale(self) -> bool:
        """Whether the case has other content at its place by now, or the question was put otherwise."""
        event = self.verdict.event
        reworded = event is not None and event.question_digest != self.bundle.shown_digest(self.slot)
        return self.slot.case in self.bundle.stale or reworded

    @property
    def place(self) -> Place:
        """Where this is, in numbers for people."""
        return self._order.place(self._position)

    @property
    def wording(self) -> str:
        """The question as put for this case."""
        return self.question.wording(self.bundle.terms(self.slot.case))

    @property
    def done_count(self) -> int:
        """How many slots the rater has labelled."""
        return self._states.count(State.LABELLED)

    @property
    def finished(self) -> bool:
        """Whether every slot is labelled."""
        return self.done_count == len(self.slots)

    def state_at(self, position: int) -> State:
        """Where the rater stands at an index of ``slots``."""
        return self._states[position]

    def sheet(self) -> Sheet:
        """The panes that the rater may see here."""
        answered = {
            question.key
            for question in self.bundle.questions
            if self.history.verdict(Slot(self.slot.case, question.key)).state is State.LABELLED
        }
        measurements = self.bundle.measurements[self.case.digest]
        findings = self.bundle.findings[self.case.digest]
        study, protocol = self.bundle.study, self.bundle.protocol
        return sheet_for(protocol, self.question, self.case, measurements, answered, study.view, findings)

    # -- moving ------------------------------------------------------------------------------------

    def go_to(self, position: int) -> None:
        """Show a slot and start its watch."""
        self._position = max(0, min(position, len(self.slots) - 1))
        self._shown_at = self._stopwatch()

    def next(self) -> None:
        """Show the following slot, if there is one."""
        self.go_to(self._position + 1)

    def previous(self) -> None:
        """Show the slot before, if there is one."""
        self.go_to(self._position - 1)

    def next_open(self) -> bool:
        """Show the next slot without a label; False, without moving, where there is no other."""
        position = self._next_open()
        if position is None:
            return False
        self.go_to(position)
        return True

    # -- what a key saves --------------------------------------------------------------------------

    def answer(self, label: str) -> Event:
        """Save a label for the slot that is shown, and move on to the next open one."""
        if label not in self.question.labels:
            raise RequestError(
                f"{label!r} is no label of this question; its labels are {', '.join(self.question.labels)}."
            )
        event = self._save("label", "answer", label, timed=True)
        self.next_open()
        return event

    def skip(self) -> Event | None:
        """Put the slot off for later; nothing is saved where a label stands."""
        event = self._save_news("skip", "answer", None, timed=True)
        self.next_open()
        return event

    def comment(self, text: str) -> Event | None:
        """Save the comment of this slot (an empty one takes it away); None where nothing changed."""
        if strange := strange_character(text):
            raise RequestError(f"the comment holds {strange}, which cannot be kept; take it out.")
        return self._save_news("comment", "comment", text or None)

    def flag(self) -> Event | None:
        """Set this slot's flag, or take it away; None where another window has done so already."""
        return self._save_news("flag", "flag", None if self.verdict.flagged else "flagged")

    def undo(self) -> Event | None:
        """Take back the rater's newest answer or skip and show its slot; None where there is none left."""
        with self._turn() as turn:
            action = self.history.last_action()
            if action is None:
                return None
            slot = slot_of(action)
            event = turn.add(
                **self._about(slot),
                kind="undo",
                value=self.history.label_before(action),
                target=action.id,
                supersedes=self.history.heads(slot, "answer"),
            )
        self._learn(event)
        if slot in self._positions:
            self.go_to(self._positions[slot])
        return event

    def _save(self, kind: EventKind, channel: Channel, value: str | None, *, timed: bool = False) -> Event:
        """Add an event about the slot that is shown."""
        with self._turn() as turn:
            event = self._add(turn, kind, channel, value, timed)
        self._learn(event)
        return event

    def _save_news(
        self, kind: EventKind, channel: Channel, value: str | None, *, timed: bool = False
    ) -> Event | None:
        """The same, unless it stands there already, be it from another window of this rater."""
        with self._turn() as turn:
            if self._is_said(kind, value):
                return None
            event = self._add(turn, kind, channel, value, timed)
        self._learn(event)
        return event

    def _add(self, turn: Turn, kind: EventKind, channel: Channel, value: str | None, timed: bool) -> Event:
        return turn.add(
            **self._about(self.slot),
            kind=kind,
            value=value,
            supersedes=self.history.heads(self.slot, channel),
            active_ms=self._active_ms() if timed else None,
        )

    def _is_said(self, kind: EventKind, value: str | None) -> bool:
        verdict = self.verdict
        if kind == "skip":
            return verdict.state is State.LABELLED
        if kind == "comment":
            return (value or "") == verdict.comment
        return kind == "flag" and (value is not None) == verdict.flagged

    @contextmanager
    def _turn(self) -> Iterator[Turn]:
        """A turn of the ledger, the history brought up to what another window of this rater has saved."""
        with self._ledger.turn(self.bundle.study.name, self.rater, self.history.newest) as turn:
            for event in turn.news:
                self._learn(event)
            yield turn

    def _learn(self, event: Event) -> None:
        self.history.add(event)
        slot = slot_of(event)
        if slot in self._positions:
            self._states[self._positions[slot]] = self.history.verdict(slot).state

    def _about(self, slot: Slot) -> dict[str, JsonValue]:
        return {**asdict(slot), "question_digest": self.bundle.shown_digest(slot)}

    def _active_ms(self) -> int:
        return round((self._stopwatch() - self._shown_at) * 1000)

    # -- what comes next ---------------------------------------------------------------------------

    def _next_open(self) -> int | None:
        """The position that is open, or was skipped, and comes next."""
        return next(
            (
                position
                for positions, wanted in self._order.coming(self._position)
                for position in positions
                if self._states[position] is wanted
            ),
            None,
        )

    def _resume_position(self) -> int:
        """Where the rater stopped: at the slot after the last answer, at the slot of any other last event."""
        if not self.history.events:
            return 0
        last = self.history.events[self.history.newest]
        position = self._positions.get(slot_of(last), 0)
        if last.kind not in ("label", "skip"):
            return position
        self._position = position
        following = self._next_open()
        return position if following is None else following
