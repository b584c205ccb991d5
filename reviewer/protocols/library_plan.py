"""The part of the contract for libraries: what is known of an entry, as values that came with its place.

A discovery run writes these values. An imported library may have them too. A value that does not have
the form given here is left out, and the reader says so.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from store.records import Case, JsonValue

DECISION: Final = "decision"


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class EntryEvidence(_Value):
    """What one judge did on the items of one dataset, before and after these were changed by the entry.

    Counts are of items that were answered both ways. ``turned_wrong`` and ``turned_right`` are the discordant
    ones. ``p`` is McNemar's exact p, and ``p_adjusted`` the same after Holm's correction.
    """

    judge: str
    dataset: str
    items: int
    wrong_before: int
    wrong_after: int
    turned_wrong: int
    turned_right: int
    p: float | None = None
    p_adjusted: float | None = None


class MergedEntry(_Value):
    """A candidate that was merged into the entry: its name and definition, and why it was merged."""

    name: str
    definition: str
    why: str = ""


class EntryOrigin(_Value):
    """Where the entry was found: the run and its round, and the keys of the changed items that led to it.

    ``dataset`` holds these items.
    """

    run: str
    round: int
    dataset: str = ""
    keys: tuple[str, ...] = ()


class EntryDecision(_Value):
    """What became of the candidate, with a sentence that says why."""

    result: Literal["kept", "rejected", "merged"]
    why: str


class EntryRecord(_Value):
    """All that is known of an entry."""

    evidence: tuple[EntryEvidence, ...] = ()
    merged: tuple[MergedEntry, ...] = ()
    origin: EntryOrigin | None = None
    decision: EntryDecision | None = None

    def values(self) -> dict[str, JsonValue]:
        """The values that are stored with the place of the entry, by name; only those that say something."""
        content: dict[str, JsonValue] = self.model_dump(mode="json")
        return {name: value for name, value in content.items() if value}


VALUE_NAMES: Final = tuple(EntryRecord.model_fields)


def entry_record(values: Mapping[str, JsonValue]) -> tuple[EntryRecord, tuple[str, ...]]:
    """What the values of an entry say, and the names of those that do not have the form of such a value."""
    given: dict[str, JsonValue] = {}
    unread = []
    for name in (name for name in VALUE_NAMES if name in values):
        try:
            EntryRecord.model_validate({name: values[name]})
            given[name] = values[name]
        except ValidationError:
            unread.append(name)
    return EntryRecord.model_validate(given), tuple(unread)


@dataclass(frozen=True, slots=True)
class LibraryPlan:
    """How the entries of a library are named, and which cases are its changed items.

    ``same`` gives what is equal for two names of one entry. ``items_protocol`` names the protocol of the
    changed items, whose groups are named as the entries are.
    """

    name: Callable[[Case], str]
    definition: Callable[[Case], str]
    same: Callable[[str], str]
    items_protocol: str

    def repeated(self, names: Iterable[str]) -> tuple[str, str] | None:
        """The first two names that mean the same entry; None if there are none."""
        seen: dict[str, str] = {}
        for name in names:
            if (same := self.same(name)) in seen:
                return seen[same], name
            seen[same] = name
        return None
