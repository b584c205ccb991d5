"""Rows read straight into records: without an object of the ORM's for each, which takes twice as long."""

from collections.abc import Iterator
from typing import Any, TypeVar

from sqlalchemy import Select, select
from sqlmodel import Session

from store.records import Record

R = TypeVar("R", bound=Record)


def select_as(record: type[Record], table: type[Record]) -> Select[Any]:
    """The columns of a record, in the order of its fields, from the table that keeps it."""
    return select(*(getattr(table, name) for name in record.model_fields))


def records(session: Session, record: type[R], statement: Select[Any]) -> Iterator[R]:
    """The rows of a ``select_as`` as records, validated."""
    names = list(record.model_fields)
    for row in session.execute(statement):
        yield record.model_validate(dict(zip(names, row, strict=True)))
