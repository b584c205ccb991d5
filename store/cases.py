"""Datasets, cases, their places, and their measurements."""

import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, delete, func
from sqlmodel import Session, SQLModel, col, or_, select

from reviewer.core.errors import RequestError
from reviewer.core.progress import Progress
from store.database import Database
from store.reading import records, select_as
from store.records import Case, Dataset, JsonText, JsonValue, Measurement, Membership, canonical_json
from store.searching import Predicate, expect_many_cases, holds_words
from store.spool import Spool
from store.tables import CaseRow, DatasetRow, MeasurementRow, MembershipRow
from store.upsert import Upsert, upsert

# Small enough that a rater who waits for the write lock does not notice.
_CASES_A_TRANSACTION = 100
_PLACES_A_STATEMENT = 500
_MANY_CASES = 2_000
_PLACE = ("dataset", "key")
_PUBLISHED = dict(Measurement(case="0" * 64, name="", source="published", value=None))


class EntryContent(NamedTuple):
    """The case of an entry, the values that were published with it, and its record in the imported file."""

    case: Case
    published: tuple[Measurement, ...]
    raw: str | None


class Entry:
    """One imported place: the place, and what stands there.

    ``raw`` is the place's record in the imported file, as JSON text in the file's own order and spelling. The
    content of a packed entry is held in a spool, so that a large file fits into memory.
    """

    __slots__ = ("_content", "group", "place")

    def __init__(
        self, case: Case, place: Membership, published: Sequence[Measurement] = (), raw: str | None = None
    ) -> None:
        self.place, self.group = place, case.group
        self._content: EntryContent | _Packed = EntryContent(case, tuple(published), raw)

    @classmethod
    def packed(
        cls, case: Case, place: Membership, published: Mapping[str, JsonValue], raw: str | None, spool: Spool
    ) -> "Entry":
        """An entry whose content is held in a spool. ``published`` are the values by name."""
        entry = cls(case, place)
        entry._content = _Packed.of(case, published, raw, spool)
        return entry

    @property
    def content(self) -> EntryContent:
        """What stands there. It is unpacked at each call."""
        content = self._content
        return content if isinstance(content, EntryContent) else content.unpacked(self.place, self.group)

    @property
    def case(self) -> Case:
        """The case."""
        return self.content.case

    @property
    def published(self) -> tuple[Measurement, ...]:
        """The values that were published with the case."""
        return self.content.published

    @property
    def raw(self) -> str | None:
        """The record in the imported file."""
        content = self._content
        return content.raw if isinstance(content, EntryContent) else content.raw_text()

    @property
    def columns(self) -> tuple[dict[str, JsonValue], list[dict[str, JsonValue]]]:
        """The columns of the case, and those of each published value, as the store takes them."""
        content = self._content
        if isinstance(content, _Packed):
            return content.columns(self.place, self.group)
        return dict(content.case), [dict(value) for value in content.published]

    def at(self, place: Membership) -> "Entry":
        """The same content at another place, or with other properties of the place."""
        entry = object.__new__(Entry)
        entry.place, entry.group, entry._content = place, self.group, self._content
        return entry


class _Packed(NamedTuple):
    """A case, its values and its record as three lines of a spool, each as JSON; the third may be missing."""

    protocol: str
    payload_version: int
    spool: Spool
    start: int
    size: int

    @classmethod
    def of(cls, case: Case, published: Mapping[str, JsonValue], raw: str | None, spool: Spool) -> "_Packed":
        lines = [canonical_json(case.payload), json.dumps(dict(published), ensure_ascii=False)]
        content = "\n".join(lines if raw is None else [*lines, raw]).encode()
        return cls(case.protocol, case.payload_version, spool, spool.add(content), len(content))

    @property
    def lines(self) -> list[str]:
        return self.spool.piece(self.start, self.size).decode().split("\n", 2)

    def raw_text(self) -> str | None:
        return next(iter(self.lines[2:]), None)

    def unpacked(self, place: Membership, group: str) -> EntryContent:
        columns, published = self.columns(place, group)
        case = Case.model_construct(**{**columns, "payload": json.loads(columns["payload"])})
        values = tuple(Measurement.model_construct(**value) for value in published)
        return EntryContent(case, values, self.raw_text())

    def columns(
        self, place: Membership, group: str
    ) -> tuple[dict[str, JsonValue], list[dict[str, JsonValue]]]:
        payload, published, *_ = self.lines
        case = {
            "digest": place.case,
            "protocol": self.protocol,
            "group": group,
            "payload_version": self.payload_version,
            "payload": JsonText(payload),
        }
        values: dict[str, JsonValue] = json.loads(published)
        there = {**_PUBLISHED, "case": place.case, "dataset": place.dataset, "key": place.key}
        return case, [{**there, "name": name, "value": value} for name, value in values.items()]


def published_at(place: Membership, values: Mapping[str, JsonValue]) -> tuple[Measurement, ...]:
    """Values that were published with the case of a place."""
    return tuple(
        Measurement(
            case=place.case,
            name=name,
            source="published",
            dataset=place.dataset,
            key=place.key,
            value=value,
        )
        for name, value in values.items()
    )


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """The result of an import, as numbers of places.

    ``unchanged`` places have the same case as before. Some of them have other values or another origin
    (``values_changed``), or a record that was not stored or is spelled differently (``respelled``).
    """

    added: int
    replaced: int
    unchanged: int
    values_changed: int
    respelled: int = 0

    @property
    def changed_nothing(self) -> bool:
        """Whether the import changed nothing."""
        return not (self.added or self.replaced or self.values_changed or self.respelled)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which places to list. None and "" mean no restriction."""

    datasets: tuple[str, ...] = ()
    group: str | None = None
    generator: str | None = None
    origin: str | None = None
    text: str = ""
    """Words that the case must contain, all of them (see ``searching``)."""


def import_entries(
    database: Database,
    dataset: Dataset,
    entries: Sequence[Entry],
    progress: Progress | None = None,
    before_places: Callable[[Session], None] = lambda _session: None,
) -> ImportCounts:
    """Put entries at their places. An interrupted import changes no place.

    Cases are saved first, in short transactions. Until they have a place they are in no dataset, so nobody
    sees them, and a later import of the same content uses them. One transaction then sets all places. It
    first calls ``before_places``, which may save more, or raise.
    """
    with database.read() as session:
        known = {place.key: place for place in places_of(session, dataset.name)}
        values = values_at_places(session, dataset.name)
    fresh = [entry for entry in entries if _is_new(entry, known)]
    if len(fresh) > _MANY_CASES:
        with database.write() as session:
            expect_many_cases(session.connection())
    for start in range(0, len(fresh), _CASES_A_TRANSACTION):
        _add_cases(database, fresh[start : start + _CASES_A_TRANSACTION], values.keys())
        if progress:
            progress(min(start + _CASES_A_TRANSACTION, len(fresh)), len(fresh))
    respelled, changed = _differing(
        database, [entry for entry in entries if not _is_new(entry, known)], known, values
    )
    moved = [entry for entry in entries if known.get(entry.place.key) != entry.place]
    moved += [entry for entry in respelled if known.get(entry.place.key) == entry.place]
    if moved or changed or not known:
        _set_places(database, dataset, moved, changed, before_places)
    else:
        with database.write() as session:
            before_places(session)
    replaced = sum(entry.place.key in known for entry in fresh)
    same = len(entries) - len(fresh)
    only_respelled = len(set(map(_at, respelled)) - set(map(_at, changed)))
    return ImportCounts(len(fresh) - replaced, replaced, same, len(changed), only_respelled)


def _differing(
    database: Database,
    entries: Sequence[Entry],
    known: Mapping[str, Membership],
    values: Mapping[tuple[str, str], dict[str, object]],
) -> tuple[list[Entry], list[Entry]]:
    """Of entries whose cases are there: those with another record, and those with other values or origin."""
    respelled, changed = [], []
    for portion in _portions(entries):
        with database.read() as session:
            raw = _raw_at(session, portion)
        for entry in portion:
            content = entry.content
            if raw.get(entry.place.key) != content.raw:
                respelled.append(entry)
            now = {value.name: value.value for value in content.published}
            if now != values.get(_at(entry), {}) or _comes_from_elsewhere(entry, known):
                changed.append(entry)
    return respelled, changed


def _portions(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    for start in range(0, len(entries), _PLACES_A_STATEMENT):
        yield entries[start : start + _PLACES_A_STATEMENT]


def place_entries(connection: Connection, dataset: Dataset, entries: Sequence[Entry]) -> None:
    """Put entries at new places of a dataset, within the caller's transaction."""
    if entries:
        _insert_cases(connection, entries)
        _upsert_places(connection, dataset, entries)


def places_of(session: Session, dataset: str) -> list[Membership]:
    """All places of a dataset, in order."""
    rows = session.exec(
        select(MembershipRow).where(MembershipRow.dataset == dataset).order_by(col(MembershipRow.position))
    )
    return [Membership.model_validate(row.model_dump()) for row in rows]


def raw_records(session: Session, dataset: str) -> dict[str, str]:
    """Key → the record of the imported file, for each place that stores it."""
    table = SQLModel.metadata.tables["memberships"]
    kept = table.c.raw.is_not(None)
    rows = session.execute(select(table.c.key, table.c.raw).where(table.c.dataset == dataset, kept))
    return {str(key): str(raw) for key, raw in rows}


def _raw_at(session: Session, entries: Sequence[Entry]) -> dict[str, str | None]:
    """Key → the record that is kept there, for these entries of one dataset."""
    table = SQLModel.metadata.tables["memberships"]
    here = table.c.key.in_([entry.place.key for entry in entries])
    wanted = select(table.c.key, table.c.raw).where(table.c.dataset == entries[0].place.dataset, here)
    return {str(key): raw for key, raw in session.execute(wanted)}


def find_dataset(session: Session, name: str) -> Dataset | None:
    """The dataset of this name, if there is one."""
    row = session.get(DatasetRow, name)
    return row and Dataset.model_validate(row.model_dump())


def get_dataset(session: Session, name: str) -> Dataset:
    """The dataset of this name; raises RequestError."""
    dataset = find_dataset(session, name)
    if dataset is None:
        raise RequestError(f"dataset {name!r} is not in the store; see `reviewer datasets`.")
    return dataset


def list_datasets(session: Session) -> list[Dataset]:
    """All datasets by name."""
    rows = session.exec(select(DatasetRow).order_by(col(DatasetRow.name)))
    return [Dataset.model_validate(row.model_dump()) for row in rows]


def list_places(
    session: Session, wanted: Filter, limit: int | None = None, offset: int = 0
) -> list[tuple[Membership, Case]]:
    """Places with their cases, by dataset and position."""
    statement = (
        select(MembershipRow, CaseRow)
        .join(CaseRow, col(CaseRow.digest) == col(MembershipRow.case))
        .where(*conditions(session, wanted))
        .order_by(col(MembershipRow.dataset), col(MembershipRow.position))
        .limit(limit)
        .offset(offset)
    )
    return [
        (Membership.model_validate(place.model_dump()), Case.model_validate(case.model_dump()))
        for place, case in session.exec(statement)
    ]


def count_places(session: Session, wanted: Filter, most: int | None = None) -> int:
    """The number of places that match; counting stops at ``most``."""
    matching = (
        select(1)
        .select_from(MembershipRow)
        .join(CaseRow, col(CaseRow.digest) == col(MembershipRow.case))
        .where(*conditions(session, wanted))
        .limit(most)
    )
    return session.exec(select(func.count()).select_from(matching.subquery())).one()


def find_cases(session: Session, reference: str) -> list[Case]:
    """The cases whose digest begins with the reference, or that have it as a key in any dataset."""
    by_key = select(MembershipRow.case).where(MembershipRow.key == reference)
    condition = or_(
        col(CaseRow.digest).startswith(reference, autoescape=True), col(CaseRow.digest).in_(by_key)
    )
    rows = session.exec(select(CaseRow).where(condition).order_by(col(CaseRow.digest)).limit(20))
    return [Case.model_validate(row.model_dump()) for row in rows]


def cases_at(session: Session, reference: str, dataset: str | None = None) -> list[Case]:
    """The cases with a key or the beginning of a digest, in one dataset or as "DATASET:KEY"."""
    if dataset is not None:
        return _cases_within(session, dataset, reference)
    colons = [at for at, character in enumerate(reference) if character == ":"]
    named = [case for at in colons for case in _cases_at_key(session, reference[:at], reference[at + 1 :])]
    cases = {case.digest: case for case in [*find_cases(session, reference), *named]}
    return list(cases.values())


def _cases_within(session: Session, dataset: str, reference: str) -> list[Case]:
    """The case with the key, or else the cases whose digest begins with the reference."""
    wanted = select(CaseRow).join(MembershipRow, col(MembershipRow.case) == col(CaseRow.digest))
    begins = col(CaseRow.digest).startswith(reference, autoescape=True)
    rows = session.exec(wanted.where(MembershipRow.dataset == dataset, begins).distinct().limit(20))
    at_key = _cases_at_key(session, dataset, reference)
    return at_key or [Case.model_validate(row.model_dump()) for row in rows]


def _cases_at_key(session: Session, dataset: str, key: str) -> list[Case]:
    place = session.get(MembershipRow, (dataset, key))
    return [] if place is None else [get_case(session, place.case)]


def get_case(session: Session, digest: str) -> Case:
    """The case with this digest; raises KeyError."""
    row = session.get(CaseRow, digest)
    if row is None:
        raise KeyError(digest)
    return Case.model_validate(row.model_dump())


def memberships_of(session: Session, digest: str) -> list[Membership]:
    """All places that hold the case."""
    rows = session.exec(
        select(MembershipRow)
        .where(MembershipRow.case == digest)
        .order_by(col(MembershipRow.dataset), col(MembershipRow.key))
    )
    return [Membership.model_validate(row.model_dump()) for row in rows]


def get_measurements(session: Session, digests: Sequence[str]) -> dict[str, list[Measurement]]:
    """All measurements of the cases, also published ones, by case, in the order in which they were stored."""
    by_case: dict[str, list[Measurement]] = {digest: [] for digest in digests}
    wanted = select_as(Measurement, MeasurementRow).where(col(MeasurementRow.case).in_(digests))
    for value in records(session, Measurement, wanted.order_by(col(MeasurementRow.id))):
        by_case[value.case].append(value)
    return by_case


def values_at_places(session: Session, dataset: str) -> dict[tuple[str, str], dict[str, JsonValue]]:
    """(key, case) → name → value, for all values that came with the cases of a dataset."""
    values: dict[tuple[str, str], dict[str, JsonValue]] = {}
    rows = session.exec(
        select(MeasurementRow.key, MeasurementRow.case, MeasurementRow.name, MeasurementRow.value).where(
            MeasurementRow.dataset == dataset
        )
    )
    for key, case, name, value in rows:
        values.setdefault((key, case), {})[name] = value
    return values


def conditions(session: Session, wanted: Filter) -> list[Predicate]:
    """The filter as SQL conditions on a place and its case."""
    conditions: list[Predicate] = []
    if wanted.datasets:
        conditions.append(col(MembershipRow.dataset).in_(wanted.datasets))
    if wanted.group is not None:
        conditions.append(col(CaseRow.group) == wanted.group)
    if wanted.generator is not None:
        conditions.append(col(MembershipRow.generator) == wanted.generator)
    if wanted.origin is not None:
        conditions.append(col(MembershipRow.origin) == wanted.origin)
    if wanted.text:
        conditions.append(holds_words(session, wanted.text))
    return conditions


def _is_new(entry: Entry, known: dict[str, Membership]) -> bool:
    return entry.place.key not in known or known[entry.place.key].case != entry.place.case


def _comes_from_elsewhere(entry: Entry, known: Mapping[str, Membership]) -> bool:
    """Whether generator, run, origin or extra fields differ. A different position alone does not count."""
    before = known[entry.place.key]
    return before.model_copy(update={"position": entry.place.position}) != entry.place


def _add_cases(database: Database, entries: Sequence[Entry], valued: Container[tuple[str, str]]) -> None:
    with database.write() as session:
        connection = session.connection()
        for entry in entries:
            if _at(entry) in valued:
                _forget_values(connection, entry)
        _insert_cases(connection, entries)


def _insert_cases(connection: Connection, entries: Sequence[Entry]) -> None:
    """Insert cases that the store lacks, and the published values of all of them."""
    columns = [entry.columns for entry in entries]
    cases = [case for case, _ in columns]
    values = [value for _, published in columns for value in published]
    connection.execute(upsert(connection, CaseRow).on_conflict_do_nothing(), cases)
    if values:
        connection.execute(_setting_values(connection), values)


def _setting_values(connection: Connection) -> Upsert:
    """An insert that overwrites values which another import of the same dataset set in the meantime."""
    setting = upsert(connection, MeasurementRow)
    identity = [name for name in Measurement.model_fields if name != "value"]
    return setting.on_conflict_do_update(index_elements=identity, set_={"value": setting.excluded.value})


def _forget_values(connection: Connection, entry: Entry) -> None:
    connection.execute(
        delete(MeasurementRow).where(
            col(MeasurementRow.case) == entry.place.case,
            col(MeasurementRow.dataset) == entry.place.dataset,
            col(MeasurementRow.key) == entry.place.key,
        )
    )


def _set_places(
    database: Database,
    dataset: Dataset,
    moved: Sequence[Entry],
    changed: Sequence[Entry],
    before_places: Callable[[Session], None],
) -> None:
    with database.write() as session:
        before_places(session)
        connection = session.connection()
        _upsert_places(connection, dataset, moved)
        for entry in changed:
            _forget_values(connection, entry)
            for value in entry.published:
                connection.execute(_setting_values(connection), value.model_dump())


def _upsert_places(connection: Connection, dataset: Dataset, entries: Sequence[Entry]) -> None:
    """Set the dataset's header and its places, with their records. They replace what was there."""
    header = upsert(connection, DatasetRow).values(**dataset.model_dump())
    header_news = {name: header.excluded[name] for name in ("source", "imported_at")}
    place = upsert(connection, MembershipRow)
    kept = (*Membership.model_fields, "raw")
    place_news = {name: place.excluded[name] for name in kept if name not in _PLACE}
    connection.execute(header.on_conflict_do_update(index_elements=["name"], set_=header_news))
    setting = place.on_conflict_do_update(index_elements=_PLACE, set_=place_news)
    for portion in _portions(entries):
        rows = [{**dict(entry.place), "raw": entry.raw} for entry in portion]
        connection.execute(setting, rows)


def _at(entry: Entry) -> tuple[str, str]:
    return entry.place.key, entry.place.case
