"""A study's rows as they travel: read from a store or a foreign file, written into a new store."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import insert
from sqlmodel import SQLModel

from store import sqlite
from store.database import Database
from store.records import (
    Assignment,
    Case,
    Event,
    Finding,
    KeptAside,
    KnownAnswer,
    Measurement,
    PackSeal,
    Record,
    SignedCount,
    Study,
    StudyAct,
    StudyCase,
)
from store.tables import (
    AssignmentRow,
    CaseRow,
    EventRow,
    FindingRow,
    KnownAnswerRow,
    MeasurementRow,
    PackSealRow,
    StudyCaseRow,
    StudyRow,
)


@dataclass(frozen=True, slots=True)
class Parcel:
    """One study with what stands beside its cases, and some of its raters with their events.

    What its lead decided (``acts``), the ``secret``, signed counts and what was kept aside are read where
    they are, and never written.
    """

    study: Study
    sample: tuple[StudyCase, ...]
    raters: tuple[Assignment, ...]
    cases: tuple[Case, ...]
    measurements: tuple[Measurement, ...]
    findings: tuple[Finding, ...]
    known_answers: tuple[KnownAnswer, ...]
    events: tuple[Event, ...]
    acts: tuple[StudyAct, ...] = ()
    seal: PackSeal | None = None
    secret: str | None = None
    signed: tuple[SignedCount, ...] = ()
    aside: tuple[KeptAside, ...] = ()


def write_parcel(path: Path, parcel: Parcel) -> None:
    """Make a store in one file, of the kind that stays one file while it is worked on; all or nothing."""
    database = Database.open(str(path))
    try:
        with database.write() as session:
            for table, records in _tables_of(parcel):
                if records:
                    session.execute(insert(table), [record.model_dump() for record in records])
    finally:
        database.close()
    sqlite.make_single_file(path)


def _tables_of(parcel: Parcel) -> list[tuple[type[SQLModel], Sequence[Record]]]:
    """In the order of their references."""
    return [
        (StudyRow, (parcel.study,)),
        (CaseRow, parcel.cases),
        (StudyCaseRow, parcel.sample),
        (MeasurementRow, parcel.measurements),
        (FindingRow, parcel.findings),
        (KnownAnswerRow, parcel.known_answers),
        (AssignmentRow, parcel.raters),
        (EventRow, parcel.events),
        (PackSealRow, () if parcel.seal is None else (parcel.seal,)),
    ]
