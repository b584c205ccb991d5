"""Reads rows directly into records, without ORM objects, which take twice as long; and inserts rows."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from sqlalchemy import Connection, Select, SQLColumnExpression, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, SQLModel

from reviewer.core.sanitize import one_line
from store.records import Record

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

R = TypeVar("R", bound=Record)
T = TypeVar("T")
OpenReading = Session
"""One consistent reading of a store, for code that passes it on and knows no SQL."""
_ROWS_AT_ONCE = 500
REPEATED = frozenset(
    [
        "study",
        "rater",
        "case",
        "dataset",
        "generator",
        "group",
        "role",
        "question",
        "question_digest",
        "kind",
        "phase",
        "given",
        "check",
    ]
)
"""Fields whose values many rows share. Each is held once: a large study then takes a third less memory."""


@cache
def select_as(record: type[Record], table: type[Record]) -> Select[Any]:
    """The columns of a record, in the order of its fields, from the table that keeps it.

    Building it takes longer than to run it on a small table, so it is built once; statements never change.
    """
    return select(*(getattr(table, name) for name in record.model_fields))


def records(
    session: Session, record: type[R], statement: Select[Any], parameters: Mapping[str, str] | None = None
) -> Iterator[R]:
    """The rows of a ``select_as`` as records, validated. ``parameters`` are values of named places in it."""
    read = row_reader(record)
    with closing(session.execute(statement, parameters)) as rows:
        for row in rows:
            yield read(row)


def row_reader(record: type[R]) -> Callable[[Sequence[Any]], R]:
    """What makes a validated record of a row with all its fields."""
    names, every_field = list(record.model_fields), set(record.model_fields)
    shared = [at for at, name in enumerate(names) if name in REPEATED]

    def read(row: Sequence[Any]) -> R:
        values = dict(zip(names, row, strict=True))
        for at in shared:
            if isinstance(value := row[at], str):
                values[names[at]] = sys.intern(value)
        made = record.model_validate(values)
        # Records are frozen, so one set of the fields that are set serves all of them; it has 2 kB.
        object.__setattr__(made, "__pydantic_fields_set__", every_field)
        return made

    return read


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """A row that cannot be read as a record: its key, and why."""

    key: str
    why: str


def readable(
    session: Session,
    record: type[R],
    statement: Select[Any],
    key: SQLColumnExpression[Any],
    parameters: Mapping[str, str] | None = None,
) -> tuple[list[R], list[UnreadableRow]]:
    """The rows as records, and the unreadable rows. ``key`` is the column that identifies rows."""
    try:
        return list(records(session, record, statement, parameters)), []
    except Exception as error:
        if not is_unreadable(error):
            raise
    values: list[R] = []
    unreadable: list[UnreadableRow] = []
    keys = list(session.execute(statement.with_only_columns(key), parameters).scalars())
    for some in portions(keys):
        try:
            values += records(session, record, statement.where(key.in_(some)), parameters)
        except Exception as error:
            if not is_unreadable(error):
                raise
            for one in some:
                alone = statement.where(key == one)
                _read_one(session, record, alone, parameters, str(one), values, unreadable)
    return values, unreadable


def _read_one(
    session: Session,
    record: type[R],
    statement: Select[Any],
    parameters: Mapping[str, str] | None,
    key: str,
    found: list[R],
    unreadable: list[UnreadableRow],
) -> None:
    try:
        found += records(session, record, statement, parameters)
    except Exception as error:
        if not is_unreadable(error):
            raise
        unreadable.append(UnreadableRow(key, reason(error)))


def is_unreadable(error: Exception) -> bool:
    """Whether an error means that a row is unreadable: invalid JSON or text, or a value of another type."""
    undecodable = isinstance(error, OperationalError) and "decode" in str(error.orig)
    return undecodable or isinstance(error, ValueError | TypeError | RecursionError)


def reason(error: Exception) -> str:
    """What is wrong with a row, in a few words."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return one_line(f"{where}: {first['msg']}", 120)
    return one_line(str(getattr(error, "orig", error)), 120)


def portions(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in portions for one statement each, because databases limit their number."""
    for start in range(0, len(values), _ROWS_AT_ONCE):
        yield values[start : start + _ROWS_AT_ONCE]


def upsert(connection: Connection, table: type[SQLModel]) -> "sqlite.Insert | postgresql.Insert":
    """An insert into the table that may have ON CONFLICT, in the dialect of the connection."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # takes a tenth of a second to load

        return postgresql.insert(table)
    return sqlite.insert(table)
