"""Putting imported cases at their places: new ones, replaced ones, and ones with other values.

Entries are places with cases, published values and records, in memory or a spool.
"""

import json
import os
import tempfile
import weakref
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, Insert, delete
from sqlmodel import Session, SQLModel, col, select

from reviewer.core.whole_files import no_temporary_room
from reviewer.core.work_progress import Progress
from store.cases import places_of, values_at_places
from store.database import Database
from store.records import Case, Dataset, JsonText, JsonValue, Measurement, Membership, canonical_json
from store.row_records import portions, upsert
from store.searching import expect_many_cases
from store.tables import CaseRow, DatasetRow, MeasurementRow, MembershipRow

_MOST_HELD = 4 << 20
"""Bytes that a spool holds in memory."""
_AS_WRITTEN = json.JSONEncoder(ensure_ascii=False)
_PUBLISHED = dict(Measurement(case="0" * 64, name="", source="published", value=None))


class Spool:
    """Pieces of bytes in a temporary file without a name, which vanishes with the process.

    It holds what a large import has checked, until that is written to the store. The newest pieces are held
    in memory, so that few of them need no file at all.
    """

    def __init__(self) -> None:
        self._held, self._written = bytearray(), 0
        self._file: int | None = None

    def add(self, piece: bytes) -> int:
        """Keep a piece; returns where it starts. Raises StoreError if there is no room for it."""
        start = self._written + len(self._held)
        self._held += piece
        if len(self._held) > _MOST_HELD:
            self._write()
        return start

    def piece(self, start: int, size: int) -> bytes:
        """The bytes of a piece."""
        if start >= self._written:
            return bytes(self._held[start - self._written :][:size])
        assert self._file is not None
        return os.pread(self._file, size, start)

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = _unnamed_file()
                weakref.finalize(self, os.close, self._file)
            left = memoryview(self._held)
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            raise no_temporary_room("the rows of the file", error) from error
        self._written += len(self._held)
        self._held = bytearray()


def _unnamed_file() -> int:
    file, path = tempfile.mkstemp(prefix="reviewer-")
    Path(path).unlink()
    return file


class EntryContent(NamedTuple):
    """The case of an entry, the values that were published with it, and its record in the imported file."""

    case: Case
    published: tuple[Measurement, ...]
    raw: str | None


class Entry:
    """One imported place: the place, its content and published values.

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
        lines = [canonical_json(case.payload), _AS_WRITTEN.encode(dict(published))]
        held = "\n".join(lines if raw is None else [*lines, raw]).encode()
        entry._content = _Packed(case.protocol, case.payload_version, spool, spool.add(held), len(held))
        return entry

    @property
    def content(self) -> EntryContent:
        """What stands there. It is unpacked at each call."""
        if isinstance(self._content, EntryContent):
            return self._content
        columns, published = self.columns
        case = Case.model_construct(**{**columns, "payload": json.loads(columns["payload"])})
        values = tuple(Measurement.model_construct(**value) for value in published)
        return EntryContent(case, values, self.raw)

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
        return content.raw if isinstance(content, EntryContent) else next(iter(content.lines[2:]), None)

    @property
    def columns(self) -> tuple[dict[str, JsonValue], list[dict[str, JsonValue]]]:
        """The columns of the case, and those of each published value, as the store takes them."""
        content, place = self._content, self.place
        if isinstance(content, EntryContent):
            return dict(content.case), [dict(value) for value in content.published]
        payload, published, *_ = content.lines
        case = {
            "digest": place.case,
            "protocol": content.protocol,
            "group": self.group,
            "payload_version": content.payload_version,
            "payload": JsonText(payload),
        }
        values: dict[str, JsonValue] = json.loads(published)
        there = {**_PUBLISHED, "case": place.case, "dataset": place.dataset, "key": place.key}
        return case, [{**there, "name": name, "value": value} for name, value in values.items()]

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

    @property
    def lines(self) -> list[str]:
        return self.spool.piece(self.start, self.size).decode().split("\n", 2)


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


# Small enough that a rater who waits for the write lock does not notice.
_CASES_A_TRANSACTION = 200
_MANY_CASES = 2_000
_PLACE = ("dataset", "key")


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
    for portion in portions(entries):
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


def place_entries(connection: Connection, dataset: Dataset, entries: Sequence[Entry]) -> None:
    """Put entries at new places of a dataset, within the caller's transaction."""
    if entries:
        _insert_cases(connection, entries)
        _upsert_places(connection, dataset, entries)


def placing_entries(dataset: Dataset, entries: Sequence[Entry]) -> Callable[[Session], None]:
    """What puts entries at places of a new dataset, in the transaction of something else."""
    return lambda session: place_entries(session.connection(), dataset, entries)


def _raw_at(session: Session, entries: Sequence[Entry]) -> dict[str, str | None]:
    """Key → the record that is kept there, for these entries of one dataset."""
    table = SQLModel.metadata.tables["memberships"]
    here = table.c.key.in_([entry.place.key for entry in entries])
    wanted = select(table.c.key, table.c.raw).where(table.c.dataset == entries[0].place.dataset, here)
    return {str(key): raw for key, raw in session.execute(wanted)}


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
    # An insert that returns rows is one statement for many cases. Otherwise each case has its own statement,
    # and the index of words begins a new part with each, all of which it merges later.
    adding = upsert(connection, CaseRow).on_conflict_do_nothing().returning(col(CaseRow.digest))
    connection.execute(adding, cases)
    if values:
        connection.execute(setting_values(connection), values)


def setting_values(connection: Connection) -> Insert:
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
                connection.execute(setting_values(connection), value.model_dump())


def _upsert_places(connection: Connection, dataset: Dataset, entries: Sequence[Entry]) -> None:
    """Set the dataset's header and its places, with their records. They replace what was there."""
    header = upsert(connection, DatasetRow).values(**dataset.model_dump())
    header_news = {name: header.excluded[name] for name in ("source", "imported_at")}
    place = upsert(connection, MembershipRow)
    kept = (*Membership.model_fields, "raw")
    place_news = {name: place.excluded[name] for name in kept if name not in _PLACE}
    connection.execute(header.on_conflict_do_update(index_elements=["name"], set_=header_news))
    setting = place.on_conflict_do_update(index_elements=_PLACE, set_=place_news)
    for portion in portions(entries):
        rows = [{**dict(entry.place), "raw": entry.raw} for entry in portion]
        connection.execute(setting, rows)


def _at(entry: Entry) -> tuple[str, str]:
    return entry.place.key, entry.place.case
