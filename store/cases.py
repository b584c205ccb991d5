"""Datasets, cases, their places, and their measurements."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Select, Text, bindparam, cast, func
from sqlmodel import Session, SQLModel, col, or_, select

from reviewer.core.errors import RequestError, StoreError
from store.records import Case, Dataset, JsonValue, Measurement, Membership
from store.row_records import readable, records, select_as
from store.searching import Predicate, holds_words
from store.tables import CaseRow, DatasetRow, MeasurementRow, MembershipRow, number_of

PlacedCase = tuple[Membership, Case]
"""A place of a dataset with its case."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which places to list. None and "" mean no restriction."""

    datasets: tuple[str, ...] = ()
    group: str | None = None
    generator: str | None = None
    origin: str | None = None
    text: str = ""
    """Words that the case must contain, all of them (see ``searching``)."""


class BarePlace(NamedTuple):
    """What is at a place of a dataset: the digest and the group of its case, and its extra fields."""

    case: str
    group: str
    extra: dict[str, JsonValue]


def places_of(session: Session, dataset: str) -> list[Membership]:
    """All places of a dataset, in order."""
    return list(records(session, Membership, _PLACES, {"dataset": dataset}))


_PLACES = (
    select_as(Membership, MembershipRow)
    .where(col(MembershipRow.dataset) == bindparam("dataset"))
    .order_by(col(MembershipRow.position))
)


def bare_places(session: Session, dataset: str) -> Iterator[BarePlace]:
    """All places of a dataset in order, without the contents of their cases, quickly."""
    places, cases = (SQLModel.metadata.tables[name] for name in ("memberships", "cases"))
    statement = (
        select(places.c.case, cases.c.group, places.c.extra)
        .join(cases, cases.c.digest == places.c.case)
        .where(places.c.dataset == dataset)
        .order_by(places.c.position)
    )
    yield from map(BarePlace._make, session.execute(statement))


def raw_records(session: Session, dataset: str) -> dict[str, str]:
    """Key → the record of the imported file, for each place that stores it."""
    table = SQLModel.metadata.tables["memberships"]
    kept = table.c.raw.is_not(None)
    rows = session.execute(select(table.c.key, table.c.raw).where(table.c.dataset == dataset, kept))
    return {str(key): str(raw) for key, raw in rows}


def find_dataset(session: Session, name: str) -> Dataset | None:
    """The dataset of this name, if there is one."""
    found = list(records(session, Dataset, _DATASET, {"name": name}))
    return found[0] if found else None


_DATASET = select_as(Dataset, DatasetRow).where(col(DatasetRow.name) == bindparam("name"))


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
) -> list[PlacedCase]:
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
    for value in records(session, Measurement, wanted.order_by(number_of(MeasurementRow))):
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


def facets(session: Session) -> dict[str, Counter[str]]:
    """Field → value → number of places, for "dataset", "group", "generator" and "origin"; values sorted."""
    place, case = MembershipRow, CaseRow
    fields = {
        "dataset": col(place.dataset),
        "group": col(case.group),
        "generator": col(place.generator),
        "origin": col(place.origin),
    }
    counted = {}
    for name, field in fields.items():
        counting = select(field, func.count()).select_from(place).group_by(field).order_by(field)
        if name == "group":
            counting = counting.join(case, col(case.digest) == col(place.case))
        counted[name] = Counter(dict(session.exec(counting).all()))
    return counted


def readable_cases(session: Session, statement: Select[Any]) -> list[Case]:
    """The cases of a ``select_as(Case, CaseRow)``, in its order.

    An unreadable row becomes a case without content, which is never whole.
    """
    found, unreadable = readable(session, Case, statement, col(CaseRow.digest))
    if not unreadable:
        return found
    order = list(session.execute(statement.with_only_columns(col(CaseRow.digest))).scalars())
    by_digest = {case.digest: case for case in found}
    by_digest |= {row.key: _without_content(session, row.key) for row in unreadable}
    return [by_digest[digest] for digest in order]


def readable_case(session: Session, digest: str) -> Case:
    """The case with this digest; raises StoreError if there is none."""
    cases = readable_cases(session, select_as(Case, CaseRow).where(col(CaseRow.digest) == digest))
    if not cases:
        raise StoreError(
            f"case {digest[:12]} is no longer in the store: another program removed it. "
            "Run `reviewer store check` to list all changes, and work with a backup."
        )
    return cases[0]


def readable_places(
    session: Session, wanted: Filter, limit: int | None = None
) -> list[tuple[Membership, Case]]:
    """Places with their cases, by dataset and position."""
    statement = (
        select_as(Membership, MembershipRow)
        .join(CaseRow, col(CaseRow.digest) == col(MembershipRow.case))
        .where(*conditions(session, wanted))
        .order_by(col(MembershipRow.dataset), col(MembershipRow.position))
        .limit(limit)
    )
    places = list(records(session, Membership, statement))
    digests = list({place.case for place in places})
    asked = select_as(Case, CaseRow).where(col(CaseRow.digest).in_(digests))
    cases = {case.digest: case for case in readable_cases(session, asked)}
    return [(place, cases[place.case]) for place in places]


def _without_content(session: Session, digest: str) -> Case:
    """An unreadable case without its content: digest, protocol and group."""
    asked = select(cast(CaseRow.protocol, Text), cast(CaseRow.group, Text))
    protocol, group = session.exec(asked.where(CaseRow.digest == digest)).one()
    return Case(digest=digest, protocol=protocol, group=group, payload_version=0, payload={})
