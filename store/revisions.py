"""Revisions: the history of each place of a dataset. No other module appends or reads them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import insert, update
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, select

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from store.case_import import Entry
from store.cases import Filter, PlacedCase, get_case, get_dataset, list_places
from store.clock import instant, is_event_id, next_id, now_ms
from store.records import Case, Dataset, JsonValue, Membership, ReplacedFields, Revision
from store.row_records import records, select_as, upsert
from store.tables import CaseRow, MembershipRow, RevisionRow

_OF_THE_CONTENT = tuple(name for name in ReplacedFields.model_fields if name != "raw")
_OUTLINE = (
    *("id", "dataset", "key", "parent", "settles", "case_before", "case_after", "kind", "author", "created"),
    "digest",
)


@dataclass(frozen=True, slots=True)
class PlaceHistory:
    """The revisions of one place, oldest first, and the state that they result in."""

    dataset: str
    key: str
    revisions: tuple[Revision, ...]

    @property
    def newest(self) -> tuple[Revision, ...]:
        """The revisions that no other one follows or settles. Merging stores may leave several."""
        passed = {step.parent for step in self.revisions}
        passed |= {digest for step in self.revisions for digest in step.settles}
        return tuple(step for step in self.revisions if step.digest not in passed)

    @property
    def in_conflict(self) -> bool:
        """Whether several newest revisions put different content at the place."""
        return len({step.case_after for step in self.newest}) > 1

    @property
    def withdrawn(self) -> bool:
        """Whether the case is withdrawn. A place in conflict is not, unless all of its newest agree."""
        return {step.case_after for step in self.newest} == {None}

    @property
    def first_case(self) -> str:
        """The digest of the content before the first revision; raises IndexError without any."""
        return self.revisions[0].case_before


@dataclass(frozen=True, slots=True)
class PlaceNow:
    """A place as it is now: its case, and the ``parent`` that the next revision must follow."""

    place: Membership
    case: Case
    history: PlaceHistory

    @property
    def parent(self) -> str:
        """The digest of the newest revision, or of the case if there is none."""
        newest = self.history.newest
        return newest[-1].digest if newest else self.place.case


@dataclass(frozen=True, slots=True)
class RevisionCounts:
    """Numbers of places of a dataset: with new content, withdrawn, and in conflict."""

    revised: int = 0
    withdrawn: int = 0
    conflicts: int = 0

    @property
    def words(self) -> str:
        """For people: "3 revised, 1 withdrawn"; "" if nothing was."""
        parts = {"revised": self.revised, "withdrawn": self.withdrawn, "in conflict": self.conflicts}
        return ", ".join(f"{number:,} {word}" for word, number in parts.items() if number)


def place_now(session: Session, dataset: str, key: str) -> PlaceNow:
    """The place as it is now; raises RequestError if there is no such place."""
    get_dataset(session, dataset)
    row = session.get(MembershipRow, (dataset, key))
    if row is None:
        raise RequestError(
            f"dataset {dataset!r} has no case {key!r}; see `reviewer cases --dataset {dataset}`."
        )
    place = Membership.model_validate(row.model_dump())
    return PlaceNow(place, get_case(session, place.case), history_of(session, dataset, key))


def place_to_change(
    session: Session, dataset: str, key: str, expected: str, *, settling: bool = False
) -> PlaceNow:
    """The place, under the write lock; raises RequestError if it is in conflict or not as expected."""
    now = place_now(session, dataset, key)
    if now.parent != expected:
        newest = now.history.newest
        by = f" by {newest[-1].author} on {newest[-1].created[:10]}" if newest else " by an import"
        raise RequestError(
            f"case {key!r} of {dataset!r} was changed{by} since you opened it, so nothing was saved; "
            "open it again and make your change there."
        )
    if now.history.in_conflict and not settling:
        raise RequestError(
            f"case {key!r} of {dataset!r} has repairs of two authors that conflict; "
            f"settle them with `reviewer datasets settle {dataset} {key}`."
        )
    return now


def history_of(session: Session, dataset: str, key: str) -> PlaceHistory:
    """The revisions of one place."""
    here = (col(RevisionRow.dataset) == dataset) & (col(RevisionRow.key) == key)
    statement = select_as(Revision, RevisionRow).where(here).order_by(col(RevisionRow.id))
    return PlaceHistory(dataset, key, tuple(records(session, Revision, statement)))


def histories(session: Session, datasets: Iterable[str] | None = None) -> dict[tuple[str, str], PlaceHistory]:
    """(dataset, key) → history, for all revised places, or those of some datasets."""
    statement = select_as(Revision, RevisionRow).order_by(col(RevisionRow.id))
    if datasets is not None:
        statement = statement.where(col(RevisionRow.dataset).in_(list(datasets)))
    steps: dict[tuple[str, str], list[Revision]] = {}
    for step in records(session, Revision, statement):
        steps.setdefault((step.dataset, step.key), []).append(step)
    return {place: PlaceHistory(*place, tuple(some)) for place, some in steps.items()}


def _outlines(session: Session, datasets: Iterable[str] | None = None) -> dict[tuple[str, str], PlaceHistory]:
    """As ``histories``, without what was measured, replaced and resolved: that may be megabytes."""
    columns = [getattr(RevisionRow, name) for name in _OUTLINE]
    statement = select_columns(*columns).order_by(col(RevisionRow.id))
    if datasets is not None:
        statement = statement.where(col(RevisionRow.dataset).in_(list(datasets)))
    steps: dict[tuple[str, str], list[Revision]] = {}
    for row in session.execute(statement):
        step = Revision.model_construct(**dict(zip(_OUTLINE, row, strict=True)))
        steps.setdefault((step.dataset, step.key), []).append(step)
    return {place: PlaceHistory(*place, tuple(some)) for place, some in steps.items()}


def withdrawn_places(session: Session, datasets: Iterable[str] | None = None) -> set[tuple[str, str]]:
    """Dataset and key of every withdrawn case, of all datasets or of some."""
    return {place for place, history in _outlines(session, datasets).items() if history.withdrawn}


def standing_places(session: Session, datasets: Iterable[str]) -> list[PlacedCase]:
    """The places of some datasets with their cases, in this order of datasets, without withdrawn ones."""
    names = list(datasets)
    gone = withdrawn_places(session, names)
    places = (pair for name in names for pair in list_places(session, Filter(datasets=(name,))))
    return [(place, case) for place, case in places if (place.dataset, place.key) not in gone]


def place_states(session: Session) -> dict[tuple[str, str], str]:
    """(dataset, key) → "revised", "withdrawn" or "in conflict", for the places where something was."""
    now = current_cases(session)
    states = {}
    for place, history in _outlines(session).items():
        if history.in_conflict:
            states[place] = "in conflict"
        elif history.withdrawn or now.get(place) != history.first_case:
            states[place] = "withdrawn" if history.withdrawn else "revised"
    return states


def revised_since(session: Session, datasets: Iterable[str], since: str) -> dict[str, str]:
    """New content → the content before, for each place of the datasets that was revised since then.

    ``since`` is the beginning of an instant, such as a date. Places that are withdrawn, in conflict, or have
    their first content again are left out.
    """
    now = current_cases(session)
    contents: dict[str, str] = {}
    for place, history in _outlines(session, datasets).items():
        steps = [step for step in history.revisions if step.created >= since and step.case_after]
        if steps and not history.withdrawn and not history.in_conflict:
            before, after = steps[0].case_before, now[place]
            if after not in (before, history.first_case):
                contents[after] = before
    return contents


def revision_counts(session: Session) -> dict[str, RevisionCounts]:
    """Dataset → its counts, for datasets with revisions."""
    numbers: dict[str, list[int]] = {}
    now = current_cases(session)
    for (dataset, key), history in _outlines(session).items():
        counts = numbers.setdefault(dataset, [0, 0, 0])
        counts[0] += not history.withdrawn and now.get((dataset, key)) != history.first_case
        counts[1] += history.withdrawn
        counts[2] += history.in_conflict
    return {dataset: RevisionCounts(*counts) for dataset, counts in numbers.items()}


def current_cases(session: Session) -> dict[tuple[str, str], str]:
    """(dataset, key) → the digest of the case that is there now, for all places with revisions."""
    here = (col(MembershipRow.dataset) == col(RevisionRow.dataset)) & (
        col(MembershipRow.key) == col(RevisionRow.key)
    )
    wanted = select(MembershipRow.dataset, MembershipRow.key, MembershipRow.case).join(RevisionRow, here)
    return {(dataset, key): case for dataset, key, case in session.exec(wanted.distinct())}


def append_revision(
    session: Session,
    now: PlaceNow,
    case: Case | None,
    fields: Mapping[str, JsonValue] | None = None,
    **said: JsonValue,
) -> Revision:
    """Put content at its place and append the revision, within the caller's write transaction.

    ``case`` is None for a withdrawal, which leaves the content where it is. ``fields`` are those of the place
    that come with the content. By default they are those that the place had when it last held this content;
    new content has no extra fields and no record of a file.
    """
    history, place = now.history, now.place
    milliseconds = now_ms()
    raw = _raw(session, place)
    revision = Revision.sealed(
        id=next_id(max(filter(is_event_id, revision_ids(session)), default=None), milliseconds),
        dataset=place.dataset,
        key=place.key,
        parent=now.parent,
        settles=[step.digest for step in history.newest if step.digest != now.parent],
        case_before=place.case,
        case_after=case and case.digest,
        replaced={**{name: getattr(place, name) for name in _OF_THE_CONTENT}, "raw": raw},
        created=instant(milliseconds),
        **said,
    )
    if case is not None and case.digest != place.case:
        _put_content(session, place, case, fields or _fields_with(case.digest, history.revisions))
    session.execute(insert(RevisionRow), revision.model_dump())
    return revision


def _put_content(session: Session, place: Membership, case: Case, fields: Mapping[str, JsonValue]) -> None:
    """Put a case at a place. ``fields`` came with this content; other published fields are empty then."""
    connection = session.connection()
    connection.execute(upsert(connection, CaseRow).on_conflict_do_nothing(), [case.model_dump()])
    table = SQLModel.metadata.tables["memberships"]
    here = (table.c.dataset == place.dataset) & (table.c.key == place.key)
    values = {"extra": {}, "raw": None, **fields, "case": case.digest}
    connection.execute(update(table).where(here).values(**values))


@dataclass
class RevisingImport:
    """What an import does at places that were repaired or withdrawn.

    ``withdrawn`` are the keys of cases that the source itself withdrew: here they may be withdrawn already.
    """

    dataset: Dataset
    entries: Sequence[Entry]
    author: str | None
    withdrawn: Collection[str] = ()
    count: int = 0

    def check(self, session: Session) -> None:
        """Raise RequestError if there are any and no author puts the import over them."""
        revised = [] if self.author else self._revised(session)
        if revised:
            newest = revised[0][1].newest[-1]
            raise RequestError(
                f"dataset {self.dataset.name!r} has {counted(len(revised), 'case')} in {self.dataset.source} "
                f"that somebody repaired or withdrew since (the first: {newest.key!r}, by {newest.author} on "
                f"{newest.created[:10]}); import into a dataset of another name, or give --over-revisions to "
                "put the content of the file in place, which the history then shows."
            )

    def append(self, session: Session) -> None:
        """Append the revisions, in the transaction that sets the places; nobody can come in between."""
        self.check(session)
        if self.author:
            reason = f"imported from {self.dataset.source}"
            revised = [entry for entry, _ in self._revised(session)]
            _append_imports(session, self.dataset.name, revised, self.author, reason)
            self.count = len(revised)

    def _revised(self, session: Session) -> list[tuple[Entry, PlaceHistory]]:
        """The entries whose places were withdrawn here, or revised to other content than the entry has."""
        dataset = self.dataset.name
        revised = histories(session, [dataset])
        now = current_cases(session)
        return [
            (entry, history)
            for entry in self.entries
            if (history := revised.get((dataset, entry.place.key)))
            and (
                now[dataset, entry.place.key] != entry.place.case
                or (history.withdrawn and entry.place.key not in self.withdrawn)
            )
        ]


def _append_imports(
    session: Session, dataset: str, entries: Iterable[Entry], author: str, reason: str
) -> None:
    """Put imported content over revisions, each as a revision itself.

    Raises RequestError if a place is in conflict.
    """
    for entry in entries:
        key = entry.place.key
        parent = place_now(session, dataset, key).parent
        now = place_to_change(session, dataset, key, parent)
        fields = {name: getattr(entry.place, name) for name in _OF_THE_CONTENT} | {"raw": entry.raw}
        append_revision(session, now, entry.case, fields, kind="import", author=author, reason=reason)


def withdraw_unrevised(
    session: Session, dataset: str, keys: Iterable[str], *, author: str, reason: str
) -> int:
    """Withdraw the cases at those of these places that are here and were never revised; returns how many."""
    revised = histories(session, [dataset])
    fresh = [key for key in keys if (dataset, key) not in revised]
    places = places_now(session, [(dataset, key) for key in fresh])
    for now in places.values():
        append_revision(session, now, None, kind="withdrawal", author=author, reason=reason)
    return len(places)


def places_now(session: Session, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], PlaceNow]:
    """The places of these datasets and keys that are here, as they are now."""
    rows = {place: session.get(MembershipRow, place) for place in places}
    return {place: place_now(session, *place) for place, row in rows.items() if row is not None}


def revision_ids(session: Session) -> set[str]:
    """The ids of all revisions."""
    return set(session.exec(select(RevisionRow.id)))


def put_revisions(session: Session, revisions: Sequence[Revision], cases: Mapping[str, Case]) -> None:
    """Append revisions of another store as they are, and put in place what they amount to.

    ``cases`` are the contents that they name. A place in conflict keeps its content.
    """
    if not revisions:
        return
    connection = session.connection()
    named = {digest for step in revisions for digest in (step.case_before, step.case_after)}
    contents = [cases[digest].model_dump() for digest in sorted(filter(None, named))]
    connection.execute(upsert(connection, CaseRow).on_conflict_do_nothing(), contents)
    session.execute(insert(RevisionRow), [step.model_dump() for step in revisions])
    for dataset, key in dict.fromkeys((step.dataset, step.key) for step in revisions):
        now = place_now(session, dataset, key)
        step = now.history.newest[-1]
        content = step.case_before if step.case_after is None else step.case_after
        if not now.history.in_conflict and content != now.place.case:
            fields = _fields_with(content, now.history.revisions)
            _put_content(session, now.place, get_case(session, content), fields)


def _fields_with(case: str, revisions: Sequence[Revision]) -> Mapping[str, JsonValue]:
    """The fields of the place when it last held this content; {} if it never did."""
    replaced = next((step.replaced for step in reversed(revisions) if step.case_before == case), None)
    return {} if replaced is None else ReplacedFields.model_validate(replaced).model_dump()


def _raw(session: Session, place: Membership) -> str | None:
    table = SQLModel.metadata.tables["memberships"]
    here = (table.c.dataset == place.dataset) & (table.c.key == place.key)
    return session.execute(select(table.c.raw).where(here)).scalar()
