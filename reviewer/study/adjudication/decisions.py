"""Adjudicators' decisions, read from the ledger. Each is an event of its own, apart from raters' verdicts."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict

from reviewer.core.errors import StoreError
from reviewer.core.question import Question, answer_fault
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.blinding import who_may_adjudicate
from reviewer.study.session.verdicts import History, Slot, slot_of
from store.records import Event, canonical_json


class AdjudicatedLabel(BaseModel):
    """The value of an adjudication: the label (None puts it off), the reason, and the votes shown."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    label: str | None
    reason: str = ""
    seen: tuple[str, ...] = ()
    """Ids of the votes that the adjudicator saw."""

    def as_value(self) -> str:
        """The text that the ledger keeps."""
        return canonical_json(self.model_dump(mode="json"))

    @classmethod
    def read(cls, value: str | None, question: Question) -> Self:
        """Read what ``as_value`` wrote for a question.

        Raises ValueError for anything else.
        """
        decision = cls.model_validate_json(value or "")
        if decision.label is not None and (fault := answer_fault(question, decision.label)):
            raise ValueError(fault)
        return decision


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that counts, with its event."""

    adjudicated_label: AdjudicatedLabel
    event: Event
    forked: bool
    """Two machines decided independently; the decision with the greatest id counts."""

    @property
    def label(self) -> str | None:
        """The final label; None if the dispute was put off."""
        return self.adjudicated_label.label


class Decisions:
    """All adjudications of a study. A later decision about an item replaces the earlier one, no matter who
    made it.

    Adjudications by people who may not decide are ignored; a rater's file could contain some.
    """

    def __init__(self, bundle: StudyBundle, events: Iterable[Event]) -> None:
        self._bundle = bundle
        may = who_may_adjudicate(bundle.acts, bundle.adjudicators)
        self._history = History.of(
            event for event in events if event.kind == "adjudication" and event.rater in may
        )
        self._found: dict[Slot, Decision | None] = {}

    def add(self, event: Event) -> None:
        """Add one adjudication."""
        self._history.add(event)
        self._found.pop(slot_of(event), None)

    @property
    def events(self) -> list[Event]:
        """Every adjudication, oldest first."""
        return sorted(self._history.events.values(), key=lambda event: event.id)

    def heads(self, slot: Slot) -> list[str]:
        """Ids of the events that a new decision there replaces."""
        return self._history.heads(slot, "adjudication")

    def at(self, slot: Slot) -> Decision | None:
        """The decision that counts; None if there is none or it was made on an earlier wording.

        Raises StoreError if it cannot be read.
        """
        if slot not in self._found:
            self._found[slot] = self._read(slot)
        return self._found[slot]

    def last_of(self, adjudicator: str, slots: Iterable[Slot]) -> Decision | None:
        """This person's newest decision that counts at any of these slots. An undo takes it back."""
        current = [decision for slot in slots if (decision := self.at(slot))]
        own = [decision for decision in current if decision.event.rater == adjudicator]
        return max(own, key=lambda decision: decision.event.id, default=None)

    def check_undo(self, in_view: Decision | None) -> None:
        """Raise RequestError if another window has taken back this person's newest decision."""
        self._history.check_not_taken_back(in_view.event if in_view else None)

    def _read(self, slot: Slot) -> Decision | None:
        event = self._current(slot)
        if event is None or event.question_digest != self._bundle.shown_digest(slot):
            return None
        return Decision(_decision(self._bundle, event), event, forked=len(self.heads(slot)) > 1)

    def _current(self, slot: Slot) -> Event | None:
        """The newest decision, or the one before it if an undo took it back. An undo names its target."""
        event = self._history.current(slot, "adjudication")
        known = self._history.events
        while event is not None and event.target is not None:
            undone = known.get(event.target)
            replaced = [known[key] for key in undone.supersedes if key in known] if undone else []
            event = max(replaced, key=lambda earlier: earlier.id, default=None)
        return event


def _decision(bundle: StudyBundle, event: Event) -> AdjudicatedLabel:
    try:
        return AdjudicatedLabel.read(event.value, bundle.question(event.question))
    except ValueError as error:
        raise StoreError(
            f"event {event.id} of study {event.study!r} is an adjudication that this release cannot read; "
            "find out which store it came from before you use this one."
        ) from error
