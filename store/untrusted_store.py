"""Reads a store from elsewhere without trusting it, row by row.

The file is copied first and not changed. Nothing that it defines is executed: only plain tables are read by
plain SELECT, under an authorizer that allows nothing else. Each row is validated as a record.
"""

import json
import os
import sqlite3
import sys
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import JSON

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line, strange_character, with_article
from reviewer.core.whole_files import temporary_folder
from store import run_tables, schema, sqlite, study_tables, tables
from store.append_only import GROWING
from store.backup import copy_file
from store.records import (
    Case,
    Citation,
    Complaint,
    Dataset,
    DatasetDescription,
    DatasetDismissal,
    Dismissal,
    Event,
    GroupDefinition,
    KeptDeclaration,
    Measurement,
    Membership,
    PublishedPlace,
    Record,
    Release,
    Revision,
    Study,
    StudyCase,
)
from store.row_records import REPEATED, portions, reason
from store.schema import is_virtual, not_ours
from store.study_rows import StudyRows

_GREATEST_FILE = 1 << 30
_LONGEST_VALUE = 64 << 20
_MOST_SECONDS = 120
_STEPS_BETWEEN_LOOKS = 1_000_000
_SEND_AGAIN = "ask for the file again, or for its backup"
_BY_RATER = ' ORDER BY "rater", "id"'
_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)

R = TypeVar("R", bound=Record)


def shown_name(path: Path) -> str:
    """A file's name for people."""
    return one_line(path.name, 80)


@contextmanager
def untrusted_store(path: Path, *, own: bool = False) -> Iterator["UntrustedStore"]:
    """Open a copy of a file for reading; raises InputError if it is damaged or not a store.

    Size and time are limited, unless the file is the user's ``own``.
    """
    name = shown_name(path)
    _check_file(path, name, sys.maxsize if own else _GREATEST_FILE)
    limit = _TimeLimit(_MOST_SECONDS)
    try:
        with temporary_folder(f"a copy of file {name!r}") as folder:
            copy_file(path, folder / "copy.db")
            with closing(sqlite3.connect(folder / "copy.db", isolation_level=None)) as connection:
                if not own:
                    _limit(connection, limit)
                _disarm(connection)
                yield UntrustedStore(connection, name)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        limit.raise_interrupt(error)
        raise InputError(f"file {name!r}", f"it is damaged ({one_line(str(error))})", _SEND_AGAIN) from error
    except OSError as error:
        raise InputError(f"file {name!r}", f"it cannot be read ({error.strerror})", _SEND_AGAIN) from error


class UntrustedStore:
    """The rows of an untrusted file, as records."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection = connection
        self.name = name
        """The file's name for people."""
        self.unreadable: list[str] = []
        """A few words on each event that could not be read."""
        self.unreadable_events = set[str]()
        """The ids of these events."""
        self._seen = set[type[Record]]()
        self.damage = _damage(connection)
        """What SQLite reports about damage in the file; None if there is none."""
        self.orphan = None if self.damage else _orphan(connection)
        """A few words on a row that refers to a missing row; None if there is none."""
        connection.set_authorizer(_authorize)
        self._kinds = {
            str(row[0]): (str(row[1]), str(row[2] or ""))
            for row in connection.execute("SELECT name, type, sql FROM sqlite_master")
        }
        self._check_release()

    def studies(self) -> list[Study]:
        """Every study in the file."""
        return list(self._records(study_tables.StudyRow))

    def cases(self) -> Iterator[Case]:
        """Every case in the file, sampled or not."""
        return self._records(tables.CaseRow)

    def revisions(self) -> Iterator[Revision]:
        """Every revision in the file, in no particular order; unreadable ones go to ``unreadable``."""
        return self._records(tables.RevisionRow, unreadable=self.unreadable)

    def places(self) -> Iterator[Membership]:
        """Every place of every dataset in the file."""
        return self._records(tables.MembershipRow, unreadable=self.unreadable)

    def datasets(self) -> list[Dataset]:
        """Every dataset in the file."""
        return list(self._records(tables.DatasetRow))

    def releases(self) -> list[Release]:
        """Every release that the file knows; unreadable ones go to ``unreadable``."""
        return list(self._records(tables.ReleaseRow, unreadable=self.unreadable))

    def declarations(self) -> list[KeptDeclaration]:
        """Every declared protocol in the file; unreadable ones go to ``unreadable``."""
        return list(self._records(tables.DeclarationRow, unreadable=self.unreadable))

    def citations(self) -> list[Citation]:
        """How the datasets in the file are cited; unreadable ones go to ``unreadable``."""
        return list(self._records(tables.CitationRow, unreadable=self.unreadable))

    def dataset_descriptions(self) -> list[DatasetDescription]:
        """What the authors of datasets say; unreadable ones go to ``unreadable``. Files of 1.0 have none."""
        if tables.DatasetDescriptionRow.__tablename__ not in self._kinds:
            return []
        return list(self._records(tables.DatasetDescriptionRow, unreadable=self.unreadable))

    def complaints(self) -> list[Complaint]:
        """What readers reported about cases; unreadable ones go to ``unreadable``. Files of 1.0 have none."""
        if tables.ComplaintRow.__tablename__ not in self._kinds:
            return []
        return list(self._records(tables.ComplaintRow, unreadable=self.unreadable))

    def dismissals(self) -> list[Dismissal]:
        """The dismissals of findings on cases; unreadable ones go to ``unreadable``."""
        return list(self._records(tables.DismissalRow, unreadable=self.unreadable))

    def dataset_dismissals(self) -> list[DatasetDismissal]:
        """Those of findings about datasets; unreadable ones go to ``unreadable``. Files of 1.0 have none."""
        if tables.DatasetDismissalRow.__tablename__ not in self._kinds:
            return []
        return list(self._records(tables.DatasetDismissalRow, unreadable=self.unreadable))

    def group_definitions(self) -> list[GroupDefinition]:
        """The definitions of groups that came with datasets; unreadable ones go to ``unreadable``."""
        return list(self._records(tables.GroupDefinitionRow, unreadable=self.unreadable))

    def evaluation_runs(self) -> list[str]:
        """The names of the evaluation runs in the file that can be read."""
        of_all = self._records(run_tables.RunRow, "procedure", ["evaluate"], unreadable=[])
        return [run.name for run in of_all]

    @property
    def not_ours(self) -> list[str]:
        """The kind and the name of everything that the file defines and our stores do not."""
        return [f"{kind} {one_line(name, 64)!r}" for kind, name in not_ours(self._kinds)]

    def check_definitions(self) -> None:
        """Raise InputError if the file defines anything that our stores do not."""
        for named in self.not_ours:
            raise InputError(
                f"file {self.name!r}",
                f"it has {with_article(named)}, which is not of this program",
                _SEND_AGAIN,
            )

    def definitions(self, kind: str) -> dict[str, str]:
        """Name → SQL of the file's definitions of one kind, such as tables or triggers."""
        return {name: sql for name, (its_kind, sql) in self._kinds.items() if its_kind == kind}

    def rows_of_study(
        self, study: Study, *, with_events: bool = True, with_contents: bool = True
    ) -> StudyRows:
        """All rows of a study. Events that cannot be read are listed in ``unreadable``.

        Without ``contents``, the cases, their measurements and their findings are left out.
        """
        name = study.name
        sample = tuple(self._records(study_tables.StudyCaseRow, "study", [name]))
        digests = [place.case for place in sample] if with_contents else []
        secrets = self._records(study_tables.StudySecretRow, "study", [name])
        return StudyRows(
            study=study,
            sample=sample,
            raters=tuple(self._records(study_tables.AssignmentRow, "study", [name])),
            cases=tuple(self._records(tables.CaseRow, "digest", digests)),
            measurements=tuple(self._records(tables.MeasurementRow, "case", digests)),
            findings=tuple(self._records(tables.FindingRow, "case", digests)),
            known_answers=tuple(self._records(study_tables.KnownAnswerRow, "study", [name])),
            events=tuple(self.events(name)) if with_events else (),
            acts=tuple(self._records(study_tables.StudyActRow, "study", [name])),
            seal=next(self._records(study_tables.PackSealRow, "study", [name]), None),
            secret=next((row.secret for row in secrets), None),
            signed=tuple(self._records(study_tables.SignedCountRow, "study", [name])),
            aside=tuple(self._records(study_tables.KeptAsideRow, "study", [name])),
            places=tuple(self._places(sample)),
            before=tuple(self._records(tables.CaseRow, "digest", sorted(_before(study)))),
            declarations=tuple(kept for kept in self.declarations() if kept.reference == study.protocol),
        )

    def read_the_rest(self) -> None:
        """Read the tables that nothing has read as a whole; rows that cannot be read go to ``unreadable``.

        Vectors are left out: what is not right in them is computed again.
        """
        for table in tables.TABLES:
            if table not in self._seen and table is not tables.EmbeddingRow:
                for _ in self._records(table, unreadable=self.unreadable):
                    pass

    def events(self, study: str) -> Iterator[Event]:
        """The events of a study, rater by rater, the smallest id first."""
        return self._records(study_tables.EventRow, "study", [study], self.unreadable, _BY_RATER)

    def event_digests(self, study: str) -> Iterator[tuple[str, str, str]]:
        """The rater, id and digest of a study's events in that order, including unreadable events."""
        for row in self._rows("events", ["rater", "id", "digest"], "study", [study], _BY_RATER):
            yield str(row[0]), str(row[1]), str(row[2])

    def events_named(self, study: str, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Id → rater and digest, of the events with these ids that the study has."""
        rows = self._rows("events", ["id", "rater", "digest", "study"], "id", ids)
        return {str(row[0]): (str(row[1]), str(row[2])) for row in rows if row[3] == study}

    def contents(self, digests: Sequence[str]) -> Iterator[tuple[Case, list[Measurement]]]:
        """The cases with these digests, each with its measurements, read in portions."""
        for some in portions(digests):
            measured: dict[str, list[Measurement]] = {digest: [] for digest in some}
            for value in self._records(tables.MeasurementRow, "case", some):
                measured[value.case].append(value)
            for case in self._records(tables.CaseRow, "digest", some):
                yield case, measured[case.digest]

    def deleted_rows(self) -> Iterator[tuple[str, int]]:
        """The append-only tables with gaps in their row numbers, each with the number of missing rows.

        SQLite numbers their rows consecutively, and copies and merges leave no gaps.
        """
        # A table that was made differently may have no row numbers.
        others = {name for _, name in not_ours(self._kinds)}
        for table in GROWING:
            if table in self._kinds and table not in others:
                rows = self._connection.execute(f"SELECT rowid FROM {table}")  # noqa: S608 (ours)
                numbers = [row[0] for row in rows if isinstance(row[0], int)]
                if gone := max(numbers, default=0) - len(numbers):
                    yield table, gone

    def _places(self, sample: Sequence[StudyCase]) -> Iterator[PublishedPlace]:
        """The places that a sample was drawn from. Unreadable ones are listed in ``unreadable``."""
        drawn = {(place.dataset, place.key) for place in sample}
        datasets = sorted({dataset for dataset, _ in drawn})
        table: Any = tables.MembershipRow
        held = self._records(table, "dataset", datasets, self.unreadable, record=PublishedPlace)
        return (place for place in held if (place.dataset, place.key) in drawn)

    def _check_release(self) -> None:
        if "events" not in self._kinds or "alembic_version" not in self._kinds:
            raise InputError(f"file {self.name!r}", "it is neither a store nor a pack", "give another file")
        row = self._connection.execute("SELECT version_num FROM alembic_version").fetchone()
        if wrong := schema.why_not_read(str(row[0]) if row else ""):
            raise InputError(f"file {self.name!r}", *wrong)

    def _records(
        self,
        table: type[R],
        where: str | None = None,
        among: Iterable[str] = (),
        unreadable: list[str] | None = None,
        order: str = "",
        record: type[R] | None = None,
    ) -> Iterator[R]:
        """The rows as records. A bad row raises InputError, or is listed in ``unreadable`` if given."""
        record, held = record or tables.record_of(table), tables.in_database(table)
        name, columns = held.name, list(record.model_fields)
        if where in (None, "study"):
            self._seen.add(table)
        self._check_columns(name, columns)
        in_json = {column.name for column in held.c if isinstance(column.type, JSON)}
        given, repeated = set(columns), [at for at, column in enumerate(columns) if column in REPEATED]
        for values in self._rows(name, columns, where, list(among), order):
            try:
                row = dict(zip(columns, values, strict=True))
                for at in repeated:
                    if isinstance(value := values[at], str):
                        row[columns[at]] = sys.intern(value)
                made = record.model_validate(_checked(row, in_json))
                # Records are frozen, so one set of the fields that are set serves all of them.
                object.__setattr__(made, "__pydantic_fields_set__", given)
                yield made
            except (ValueError, RecursionError) as error:
                what = f"{name}, row {one_line(str(values[0]), 40)}: {reason(error)}"
                if unreadable is None:
                    raise InputError(
                        f"file {self.name!r}, {what}", "it was altered or damaged", _SEND_AGAIN
                    ) from error
                unreadable.append(what)
                if name == "events":
                    self.unreadable_events.add(str(values[0]))

    def _check_columns(self, name: str, columns: Sequence[str]) -> None:
        """Raise InputError if the file lacks a table, or a column of it.

        SQLite reads the name of a column that is missing as a text.
        """
        where = f"file {self.name!r}"
        if name not in self._kinds:
            raise InputError(where, f"it lacks the table {name}", _SEND_AGAIN)
        kind, sql = self._kinds[name]
        if kind != "table" or is_virtual(sql):
            raise InputError(where, f"its {name} is {with_article(kind)} of its own making", _SEND_AGAIN)
        description = self._connection.execute(f'SELECT * FROM "{name}" LIMIT 0').description  # noqa: S608 (ours)
        if missing := {*columns} - {str(column[0]) for column in description}:
            raise InputError(where, f"its table {name} lacks the column {min(missing)}", _SEND_AGAIN)

    def _rows(
        self, name: str, columns: list[str], where: str | None, among: Sequence[str], order: str = ""
    ) -> Iterator[Sequence[Any]]:
        shown = ", ".join(f'"{column}"' for column in columns)
        asked = f'SELECT {shown} FROM "{name}"'  # noqa: S608 (names of our own tables and columns)
        if where is None:
            yield from self._connection.execute(asked)
        for value in among:
            yield from self._connection.execute(f'{asked} WHERE "{where}" = ?{order}', (value,))


def _before(study: Study) -> set[str]:
    """The digests of contents that the study shows beside its cases."""
    before = study.design.get("before")
    return {str(digest) for digest in before.values()} if isinstance(before, dict) else set()


def _check_file(path: Path, name: str, greatest: int) -> None:
    where = f"file {name!r}"
    try:
        is_file = path.is_file()
    except OSError as error:  # a name that the system cannot have
        raise InputError(where, f"it cannot be read ({error.strerror})", "check its name") from error
    if not is_file:
        raise InputError(where, "there is no such file", "check its name")
    try:
        empty = path.stat().st_size == 0
        sqlite.application_id(path)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise InputError(where, "it is neither a store nor a pack", "give another file") from error
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CANTOPEN or not os.access(path, os.R_OK):
            raise InputError(where, "it cannot be read", "ask for read access") from error
    if empty:
        raise InputError(where, "it is neither a store nor a pack", "give another file")
    if path.stat().st_size > greatest:
        raise InputError(where, f"it is larger than {greatest >> 20:,} MiB", "merge on the machine it is on")


class _TimeLimit:
    """When SQLite has to stop. Asked again and again by SQLite, which takes any exception for "stop"."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._is_over = False

    def __call__(self) -> bool:
        self._is_over = time.monotonic() > self._until
        return self._is_over

    def raise_interrupt(self, error: Exception) -> None:
        """Raise KeyboardInterrupt if something else stopped SQLite: Ctrl+C comes where it asks."""
        stopped = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
        if stopped and not self._is_over:
            raise KeyboardInterrupt from error


def _disarm(connection: sqlite3.Connection) -> None:
    """Let the file do nothing."""
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "query_only=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _limit(connection: sqlite3.Connection, limit: _TimeLimit) -> None:
    """For a file that is not the user's own: some time, and values of some size."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.set_progress_handler(limit, _STEPS_BETWEEN_LOOKS)


def _damage(connection: sqlite3.Connection) -> str | None:
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return None if verdict == "ok" else one_line(str(verdict), 120)


def _orphan(connection: sqlite3.Connection) -> str | None:
    violation = connection.execute("PRAGMA foreign_key_check").fetchone()
    return violation and one_line(
        f"a row of {violation[0]} refers to a row of {violation[2]} that is not there", 120
    )


def _authorize(action: int, *_about: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _checked(values: dict[str, Any], json_columns: Container[str]) -> dict[str, Any]:
    """The values with JSON decoded; raises ValueError for values that our stores never hold."""
    for name, value in values.items():
        if isinstance(value, bytes):
            raise ValueError(f"{name} is not text")
        if not isinstance(value, str):
            continue  # SQLite returns a bare number in a JSON column as a number
        if (strange := strange_character(value)) is not None:
            raise ValueError(f"{name} holds {strange}")
        if name in json_columns:
            values[name] = _JSON.decode(value)
    return values


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_JSON = json.JSONDecoder(parse_constant=_refuse_constant)
