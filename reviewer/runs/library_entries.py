"""A library with the evidence, the origin, the merges and the changed items of each entry."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reviewer.agreement.proportions import proportion
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.names import closest
from reviewer.protocols.library_plan import EntryEvidence, EntryRecord, LibraryPlan, entry_record
from reviewer.protocols.registry import Protocols
from store.cases import get_dataset, list_datasets, values_at_places
from store.database import Database
from store.records import Case, JsonValue, Membership
from store.revisions import standing_places

PlacedItem = tuple[Membership, Case]


@dataclass(frozen=True)
class LibraryEntry:
    """One entry: its place and case, its name and definition, and its record.

    ``unread`` names values that do not have the form of such a value.
    """

    place: Membership
    case: Case
    name: str
    definition: str
    record: EntryRecord
    unread: tuple[str, ...]

    @property
    def found_in(self) -> str:
        """The run and the round in which it was found; "" for an entry that no run found."""
        origin = self.record.origin
        return f"{origin.run}, round {origin.round}" if origin else ""

    @property
    def rows(self) -> Sequence["EvidenceRow"]:
        """A row for each evidence; without any, one row without."""
        return [EvidenceRow(self, shown) for shown in self.record.evidence] or [EvidenceRow(self, None)]


@dataclass(frozen=True)
class EvidenceRow:
    """An entry with the evidence of one judge on one dataset, or with none."""

    entry: LibraryEntry
    evidence: EntryEvidence | None

    @cached_property
    def before(self) -> Estimate:
        """The share of items that were misjudged as they were, with Wilson's interval."""
        return _share(self.evidence.wrong_before, self.evidence.items) if self.evidence else _share(0, 0)

    @cached_property
    def after(self) -> Estimate:
        """The share of items that were misjudged after they were changed, with Wilson's interval."""
        return _share(self.evidence.wrong_after, self.evidence.items) if self.evidence else _share(0, 0)


def _share(wrong: int, items: int) -> Estimate:
    return proportion(min(max(wrong, 0), max(items, 0)), max(items, 0))


@dataclass(frozen=True)
class Library:
    """The entries of a dataset, and how they are named."""

    dataset: str
    plan: LibraryPlan
    entries: tuple[LibraryEntry, ...]

    def entry(self, name: str) -> LibraryEntry:
        """The entry of this name, compared as the protocol compares them; raises RequestError."""
        for entry in self.entries:
            if name == entry.place.key or self.plan.same(entry.name) == self.plan.same(name):
                return entry
        known = [entry.name for entry in self.entries]
        raise RequestError(
            f"library {self.dataset!r} has no entry {name!r}; {closest(name, known, 'use one of')}."
        )


def read_library(database: Database, protocols: Protocols, dataset: str) -> Library:
    """The library in a dataset without withdrawn entries; raises RequestError if it holds none."""
    with database.read() as session:
        protocol = protocols.named(get_dataset(session, dataset).protocol)
        if (plan := protocol.library_plan()) is None:
            raise RequestError(f"dataset {dataset!r} holds {protocol.title}, which is not a library.")
        places = standing_places(session, (dataset,))
        values = values_at_places(session, dataset)
    entries = (
        _entry(plan, place, case, values.get((place.key, case.digest), {}))
        for place, case in places
        if case.is_whole
    )
    return Library(dataset, plan, tuple(entries))


def _entry(plan: LibraryPlan, place: Membership, case: Case, values: Mapping[str, JsonValue]) -> LibraryEntry:
    record, unread = entry_record(values)
    return LibraryEntry(place, case, plan.name(case), plan.definition(case), record, unread)


def changed_items(database: Database, library: Library, entry: LibraryEntry) -> list[PlacedItem]:
    """The items that were changed by an entry: those it was found by, then all others of its name."""
    with database.read() as session:
        datasets = [
            known.name for known in list_datasets(session) if known.protocol == library.plan.items_protocol
        ]
        standing = standing_places(session, sorted(datasets))
    own = list(_found_by(entry, standing))
    same = library.plan.same(entry.name)
    listed = {(place.dataset, place.key) for place, _ in own}
    return own + [
        (place, case)
        for place, case in standing
        if (place.dataset, place.key) not in listed and library.plan.same(case.group) == same
    ]


def _found_by(entry: LibraryEntry, items: Sequence[PlacedItem]) -> Iterator[PlacedItem]:
    """The items that led to the entry, in the order in which it names them."""
    if (origin := entry.record.origin) is None:
        return
    placed = {(place.dataset, place.key): (place, case) for place, case in items}
    for key in origin.keys:
        if (item := placed.get((origin.dataset, key))) is not None:
            yield item
