"""A study's rows, as they are read from a store or an untrusted file and written into a new store."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import insert
from sqlalchemy.exc import StatementError
from sqlmodel import SQLModel

from reviewer.core.errors import StoreError
from store import sqlite
from store.database import Database
from store.records import (
    Assignment,
    Case,
    Event,
    Finding,
    KeptAside,
    KeptDeclaration,
    KnownAnswer,
    Measurement,
    PackSeal,
    PublishedPlace,
    Record,
    SignedCount,
    Study,
    StudyAct,
    StudyCase,
)
from store.row_records import reason
from store.study_tables import AssignmentRow, EventRow, KnownAnswerRow, PackSealRow, StudyCaseRow, StudyRow
from store.tables import CaseRow, DeclarationRow, FindingRow, MeasurementRow


@dataclass(frozen=True, slots=True)
class StudyRows:
    """One study with its cases and their measurements, and some of its raters with their events.

    The lead's ``acts``, the ``secret``, ``signed`` counts, events kept ``aside`` and the ``places`` that the
    sample was drawn from may be read here, but are never written into a new store. ``before`` are contents
    before repairs that the study shows beside the new ones. ``declarations`` holds the declared protocol of
    the study, if it is one.
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
    places: tuple[PublishedPlace, ...] = ()
    before: tuple[Case, ...] = ()
    declarations: tuple[KeptDeclaration, ...] = ()


class AlteredRowsError(StoreError):
    """The rows of a study contradict each other: the store was altered or damaged."""


def write_study_rows(path: Path, study_rows: StudyRows) -> None:
    """Write a new store that stays one file while people work in it, in one transaction.

    Raises AlteredRowsError if the rows contradict each other, as those of an altered store may.
    """
    database = Database.open(str(path))
    try:
        with database.write() as session:
            for table, records in _tables_of(study_rows):
                if records:
                    session.execute(insert(table), [record.model_dump() for record in records])
    except (StatementError, ValueError) as error:  # also for content that JSON or UTF-8 cannot hold
        raise AlteredRowsError(
            f"the rows of study {study_rows.study.name!r} do not go together ({reason(error)}); "
            "the store was altered or damaged. Run `reviewer store check`, and work with a backup."
        ) from error
    finally:
        database.close()
    sqlite.make_single_file(path)


def _tables_of(study_rows: StudyRows) -> list[tuple[type[SQLModel], Sequence[Record]]]:
    """Tables with their rows, in the order of their references."""
    return [
        (DeclarationRow, study_rows.declarations),
        (StudyRow, (study_rows.study,)),
        (CaseRow, [*{case.digest: case for case in (*study_rows.cases, *study_rows.before)}.values()]),
        (StudyCaseRow, study_rows.sample),
        (MeasurementRow, study_rows.measurements),
        (FindingRow, study_rows.findings),
        (KnownAnswerRow, study_rows.known_answers),
        (AssignmentRow, study_rows.raters),
        (EventRow, study_rows.events),
        (PackSealRow, () if study_rows.seal is None else (study_rows.seal,)),
    ]
