"""Putting imported cases at their places: new ones, replaced ones, and ones with other values."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Insert, delete
from sqlmodel import Session, SQLModel, col, select

from reviewer.core.work_progress import Progress
from store.cases import places_of, values_at_places
from store.database import Database
from store.entries import Entry
from store.records import Dataset, Measurement, Membership
from store.row_records import portions, upsert
from store.searching import expect_many_cases
from store.tables import CaseRow, DatasetRow, MeasurementRow, MembershipRow

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
