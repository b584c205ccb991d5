"""A rater's notes on the work itself, each with the slot at which it was written."""

from collections.abc import Iterable
from dataclasses import dataclass

from reviewer.study.session.verdicts import REVEALED, Slot, slot_of
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
    notes = (event for event in events if event.kind == "note" and event.value and event.value != REVEALED)
    return [
        Note(event.rater, event.at, slot_of(event), event.value or "", event.id)
        for event in sorted(notes, key=lambda event: event.id)
    ]
