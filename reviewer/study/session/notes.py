"""A rater's notes on the work itself, each with the slot at which it was written."""

from collections.abc import Iterable
from dataclasses import dataclass

from reviewer.study.session.verdicts import REVEALED, Slot, confidence_in, slot_of
from store.records import Event


@dataclass(frozen=True, slots=True)
class Note:
    """One note: who wrote it, when, and at which slot."""

    rater: str
    at: str
    slot: Slot
    text: str
    event: str


def notes_of(events: Iterable[Event]) -> list[Note]:
    """The notes among the events, oldest first."""
    notes = (event for event in events if _is_note(event))
    return [
        Note(event.rater, event.at, slot_of(event), event.value or "", event.id)
        for event in sorted(notes, key=lambda event: event.id)
    ]


def _is_note(event: Event) -> bool:
    """Whether a rater wrote it; other events of this kind record what a rater saw, or how sure they are."""
    return event.kind == "note" and bool(event.value) and event.value != REVEALED and not confidence_in(event)
