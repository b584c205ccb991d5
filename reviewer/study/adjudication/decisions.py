"""What adjudicators decided, read from the ledger: an event a decision, apart from raters' verdicts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict

from reviewer.core.errors import StoreError
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.blinding import who_may_adjudicate
from reviewer.study.session.verdicts import History, Slot, slot_of
from store.records import Event, canonical_json


class AdjudicatedLabel(BaseModel):
    """The value of an adjudication: the final label (None puts it off), why, and the verdicts it rests on."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    label: str | None
    reason: str = ""
    seen: tuple[str, ...] = ()
    """Ids of the labels that the adjudicator had in sight."""

    def as_value(self) -> str:
        """As the ledger keeps it."""
        return canonical_json(self.model_dump(mode="json"))

    @classmethod
    def read(cls, value: str | None, labels: Sequence[str]) -> Self:
        """What ``as_value`` made, over a question with these labels.

        Raises ValueError for anything else.
        """
        decision = cls.model_validate_json(value or "")
        if decision.label not in (*labels, None):
            raise ValueError(f"{decision.label!r} is no label of this question")
        return decision


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that stands, with the event that says so."""

    adjudicated_label: AdjudicatedLabel
    event: Event
    forked: bool
    """Two decisions were made on two machines; the greatest id counts."""

    @property
    def label(self) -> str | None:
        """The final label; None where the matter was put off."""
        return self.adjudicated_label.label


class Decisions:
    """All adjudications of a study, folded; whoever decides anew replaces what stood, whosever it was.

    One by somebody who may not decide, such as a rater's file could bring along, decides nothing.
    """

    def __init__(self, bundle: StudyBundle, events: Iterable[Event]) -> None:
        self._bundle = bundle
        may = who_may_adjudicate(bundle)
        self._history = History.of(
            event for event in events if event.kind == "adjudication" and event.rater in may
        )
        self._found: dict[Slot, Decision | None] = {}

    def add(self, event: Event) -> None:
        """Take in one more adjudication."""
        self._history.add(event)
        self._found.pop(slot_of(event), None)

    @property
    def events(self) -> list[Event]:
        """Every adjudication that is known, oldest first."""
        return sorted(self._history.events.values(), key=lambda event: event.id)

    def heads(self, slot: Slot) -> list[str]:
        """What a new decision there replaces."""
        return self._history.heads(slot, "adjudication")

    def at(self, slot: Slot) -> Decision | None:
        """The decision that stands; None where there is none, or it answered another wording.

        Raises StoreError for one that cannot be read.
        """
        if slot not in self._found:
            self._found[slot] = self._read(slot)
        return self._found[slot]

    def last_of(self, adjudicator: str, slots: Iterable[Slot]) -> Decision | None:
        """This person's newest decision that stands at any of these: what an undo takes back."""
        standing = [decision for slot in slots if (decision := self.at(slot))]
        own = [decision for decision in standing if decision.event.rater == adjudicator]
        return max(own, key=lambda decision: decision.event.id, default=None)

    def check_undo(self, in_view: Decision | None) -> None:
        """Raises RequestError where this person's last decision was taken back in another window."""
        self._history.check_undo(in_view.event if in_view else None)

    def _read(self, slot: Slot) -> Decision | None:
        event = self._standing(slot)
        if event is None or event.question_digest != self._bundle.shown_digest(slot):
            return None
        return Decision(_decision(self._bundle, event), event, forked=len(self.heads(slot)) > 1)

    def _standing(self, slot: Slot) -> Event | None:
        """The decision given last, or brought back by an undo: an undo names the decision it takes back."""
        event = self._history.current(slot, "adjudication")
        known = self._history.events
        while event is not None and event.target is not None:
            undone = known.get(event.target)
            replaced = [known[key] for key in undone.supersedes if key in known] if undone else []
            event = max(replaced, key=lambda each: each.id, default=None)
        return event


def _decision(bundle: StudyBundle, event: Event) -> AdjudicatedLabel:
    try:
        return AdjudicatedLabel.read(event.value, bundle.question(event.question).labels)
    except ValueError as error:
        raise StoreError(
            f"event {event.id} of study {event.study!r} holds no adjudication that this release can read; "
            "find out which store it came from before you use this one."
        ) from error
