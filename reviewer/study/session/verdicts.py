"""A rater's verdicts and notes, computed from their events."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from reviewer.core.errors import RequestError

if TYPE_CHECKING:
    from store.records import Event, JsonValue, Phase


class State(StrEnum):
    """Whether a rater has labelled or skipped a slot, or neither."""

    OPEN = "open"
    SKIPPED = "skipped"
    LABELLED = "labelled"


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one verdict. ``showing`` counts repeats; ``phase`` is before or after a reveal."""

    case: str
    question: str
    showing: int = 0
    phase: "Phase" = "before"

    @property
    def first(self) -> "Slot":
        """The slot of the verdict before the reveal."""
        return replace(self, phase="before")

    @property
    def second(self) -> "Slot":
        """The slot of the verdict after the reveal."""
        return replace(self, phase="after")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A rater's current verdict at one slot."""

    slot: Slot
    state: State = State.OPEN
    label: str | None = None
    comment: str = ""
    passage: "JsonValue" = None
    """The part of a pane that the comment is about, as in its event; None if it is about the whole case."""
    flagged: bool = False
    event: "Event | None" = None
    """The current label or skip, with its time. An undo restores an earlier one."""
    forked: bool = False
    """Two machines continued from the same event; the event with the greatest id counts."""
    confidence: str = ""
    """How sure the rater is of the current label, one of ``CONFIDENCES``; "" if they did not say."""


CONFIDENCES = ("sure", "rather sure", "guess")
"""How sure a rater is of an answer. A note with one of these values says it of its target."""
REVEALED = "revealed"
"""The value of the note (of phase "after") that records that a rater saw what an answer reveals."""


def confidence_in(event: "Event") -> str:
    """How sure a rater is of the event's target; "" for an event that does not say so."""
    says = event.kind == "note" and event.target is not None and event.value in CONFIDENCES
    return event.value or "" if says else ""


_STATES = {"label": State.LABELLED, "skip": State.SKIPPED}
Channel = Literal["answer", "comment", "flag", "note", "reason", "adjudication"]
_SIDE_BY_SIDE: tuple[Channel, ...] = ("note", "reason")


def slot_of(event: "Event") -> Slot:
    """The slot that an event is about."""
    return Slot(event.case, event.question, event.showing, event.phase)


def _channel(event: "Event") -> Channel:
    """The channel of an event. An event replaces only earlier events of its channel."""
    if event.kind == "label" or event.kind == "undo" or event.kind == "skip":
        return "answer"
    return event.kind


@dataclass
class History:
    """One rater's events in one study. The order in which they are added makes no difference."""

    events: "dict[str, Event]" = field(default_factory=dict)
    newest: str = ""
    """The greatest id so far."""
    _superseded: set[str] = field(default_factory=set)
    _heads: dict[tuple[Slot, Channel], set[str]] = field(default_factory=dict)
    _revealed: set[Slot] = field(default_factory=set)
    _reasons: "dict[Slot, list[Event]]" = field(default_factory=dict)
    _confidences: "dict[str, Event]" = field(default_factory=dict)
    """Id of an answer → the newest event that says how sure the rater is of it."""

    @classmethod
    def of(cls, events: "Iterable[Event]") -> "History":
        """The history of these events."""
        history = cls()
        for event in events:
            history.add(event)
        return history

    def add(self, event: "Event") -> None:
        """Add one event. Adding it again changes nothing."""
        self.events[event.id] = event
        self.newest = max(self.newest, event.id)
        self._superseded.update(event.supersedes)
        if event.phase == "after":
            self._revealed.add(slot_of(event).first)
        if confidence_in(event) and event.target:
            newest = self._confidences.setdefault(event.target, event)
            self._confidences[event.target] = max(newest, event, key=lambda known: known.id)
        if event.kind == "reason" and event not in self.reasons(slot_of(event)):
            self._reasons.setdefault(slot_of(event), []).append(event)
        heads = self._heads.setdefault((slot_of(event), _channel(event)), set())
        heads.add(event.id)
        heads -= self._superseded

    def heads(self, slot: Slot, channel: Channel) -> list[str]:
        """Ids of the events that are not superseded there, oldest first. More than one is a fork."""
        return sorted(self._heads.get((slot, channel), ()))

    @property
    def forks(self) -> int:
        """The number of slots where two machines continued from the same event; never notes or reasons."""
        replaced = (heads for (_, channel), heads in self._heads.items() if channel not in _SIDE_BY_SIDE)
        return sum(len(heads) > 1 for heads in replaced)

    def current(self, slot: Slot, channel: Channel) -> "Event | None":
        """The event that counts at a slot in a channel."""
        heads = self._heads.get((slot, channel))
        return self.events[max(heads)] if heads else None

    def revealed(self, slot: Slot) -> bool:
        """Whether the rater has seen what the answer at a slot reveals."""
        return slot.first in self._revealed

    def reasons(self, slot: Slot) -> "list[Event]":
        """The rater's reasons for answers that contradict the one at a slot."""
        return sorted(self._reasons.get(slot, []), key=lambda event: event.id)

    def has_explained(self, here: Slot, there: Slot) -> bool:
        """Whether the rater was already asked about the answers at these two slots, in either order."""
        return any(
            slot_of(self.events[event.target]) == other
            for slot, other in ((here, there), (there, here))
            for event in self.reasons(slot)
            if event.target in self.events
        )

    def verdict(self, slot: Slot) -> Verdict:
        """The rater's current verdict at a slot."""
        current = self.current_answer(slot)
        comment = self.current(slot, "comment")
        flag = self.current(slot, "flag")
        return Verdict(
            slot,
            _STATES[current.kind] if current else State.OPEN,
            current.value if current else None,
            (comment.value if comment else None) or "",
            comment.passage if comment else None,
            bool(flag and flag.value),
            current,
            forked=len(self._heads.get((slot, "answer"), ())) > 1,
            confidence=self._confidence_of(current),
        )

    def current_answer(self, slot: Slot) -> "Event | None":
        """The current label or skip at a slot: the newest one, or the one that an undo restored."""
        return self._past_undos(self.current(slot, "answer"))

    def _confidence_of(self, answer: "Event | None") -> str:
        said = self._confidences.get(answer.id) if answer else None
        return confidence_in(said) if answer and said and slot_of(said) == slot_of(answer) else ""

    def newest_label(self) -> "Event | None":
        """The label that the rater gave last; None if they skipped a slot or took an answer back since."""
        answers = (event for event in self.events.values() if _channel(event) == "answer")
        newest = max(answers, key=lambda event: event.id, default=None)
        return newest if newest is not None and newest.kind == "label" else None

    def _past_undos(self, event: "Event | None") -> "Event | None":
        while event is not None and event.kind == "undo":
            event = self._replaced(self._answer(event.target or "", slot_of(event)))
        return event

    def _replaced(self, action: "Event | None") -> "Event | None":
        """The event that an action replaced; if it replaced a fork, the event that counted."""
        if action is None:
            return None
        known = [event for key in action.supersedes if (event := self._answer(key, slot_of(action)))]
        return max(known, key=lambda event: event.id, default=None)

    def _answer(self, key: str, slot: Slot) -> "Event | None":
        """The label, undo or skip with this id at a slot. Events from elsewhere may refer to any id."""
        event = self.events.get(key)
        return event if event and _channel(event) == "answer" and slot_of(event) == slot else None

    def answers_to(self, question: str) -> list[str]:
        """Every answer that was given to a question, by its key, in the order in which they were given."""
        given = (self.events[key] for key in sorted(self.events))
        return [e.value for e in given if e.kind == "label" and e.question == question and e.value]

    def slots(self) -> list[Slot]:
        """Every slot with events, in order of the first event."""
        return list(dict.fromkeys(slot_of(self.events[key]) for key in sorted(self.events)))

    def last_action(self) -> "Event | None":
        """The newest current answer or skip. An undo takes it back."""
        newest_first = (self.events[key] for key in sorted(self.events, reverse=True))
        return next((event for event in newest_first if self._stands(event)), None)

    def _stands(self, event: "Event") -> bool:
        current = self.current_answer(slot_of(event)) if event.kind in _STATES else None
        return current is not None and current.id == event.id

    def label_before(self, action: "Event") -> str | None:
        """The label before an action, which an undo restores."""
        before = self._past_undos(self._replaced(action))
        return before.value if before else None

    def check_not_taken_back(self, in_view: "Event | None") -> None:
        """Raise RequestError if another window has taken back the last action in view."""
        undos = (event for event in self.events.values() if event.kind in ("undo", "adjudication"))
        if in_view is not None and any(event.target == in_view.id for event in undos):
            raise RequestError(
                "another window of yours has already taken that back; "
                "undo again to take back the answer before it."
            )


@dataclass(frozen=True, slots=True)
class Note:
    """One note: who wrote it, when, and at which slot."""

    rater: str
    at: str
    slot: Slot
    text: str
    event: str


def notes_of(events: "Iterable[Event]") -> list[Note]:
    """The notes among the events, oldest first."""
    notes = (event for event in events if _is_note(event))
    return [
        Note(event.rater, event.at, slot_of(event), event.value or "", event.id)
        for event in sorted(notes, key=lambda event: event.id)
    ]


def _is_note(event: "Event") -> bool:
    """Whether a rater wrote it; other events of this kind record what a rater saw, or how sure they are."""
    return event.kind == "note" and bool(event.value) and event.value != REVEALED and not confidence_in(event)
