"""Reads rows directly into records, without ORM objects, which take twice as long."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError
from sqlalchemy import Select, SQLColumnExpression, select
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from reviewer.core.sanitize import one_line
from store.records import Record

R = TypeVar("R", bound=Record)
T = TypeVar("T")
OpenReading = Session
"""One consistent reading of a store, for code that passes it on and knows no SQL."""
_ROWS_AT_ONCE = 500


def select_as(record: type[Record], table: type[Record]) -> Select[Any]:
    """The columns of a record, in the order of its fields, from the table that keeps it."""
    return select(*(getattr(table, name) for name in record.model_fields))


def records(session: Session, record: type[R], statement: Select[Any]) -> Iterator[R]:
    """The rows of a ``select_as`` as records, validated."""
    names = list(record.model_fields)
    for row in session.execute(statement):
        yield record.model_validate(dict(zip(names, row, strict=True)))


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """A row that cannot be read as a record: its key, and why."""

    key: str
    why: str


def readable(
    session: Session, record: type[R], statement: Select[Any], key: SQLColumnExpression[Any]
) -> tuple[list[R], list[UnreadableRow]]:
    """The rows as records, and the unreadable rows. ``key`` is the column that identifies rows."""
    try:
        return list(records(session, record, statement)), []
    except Exception as error:
        if not is_unreadable(error):
            raise
    found: list[R] = []
    unreadable: list[UnreadableRow] = []
    keys = list(session.execute(statement.with_only_columns(key)).scalars())
    for some in portions(keys):
        try:
            found += records(session, record, statement.where(key.in_(some)))
        except Exception as error:
            if not is_unreadable(error):
                raise
            for one in some:
                _read_one(session, record, statement.where(key == one), str(one), found, unreadable)
    return found, unreadable


def _read_one(
    session: Session,
    record: type[R],
    statement: Select[Any],
    key: str,
    found: list[R],
    unreadable: list[UnreadableRow],
) -> None:
    try:
        found += records(session, record, statement)
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
