"""Copies a whole store into an empty one of either kind, and checks that the copy is equal."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Table, func, insert, select, text
from sqlmodel import Session, SQLModel

from reviewer.core.errors import StoreError
from store.database import Database
from store.records import canonical_json

_ROWS_AT_ONCE = 500
_OF_PROCESSES = {"run_leases", "run_chunks", "endpoint_use"}
"""Tables about processes that work with this very store now."""


@dataclass(frozen=True, slots=True)
class CopiedTable:
    """A table, its number of rows, and the digest over them all (SHA-256, 64 hex digits)."""

    name: str
    rows: int
    digest: str


def copy_store(source: Database, target: Database) -> list[CopiedTable]:
    """Copy every row into an empty store in one transaction. On a StoreError the target stays empty.

    Leases of processes that work with the source now are left out.
    Both sides are read again before the transaction ends, and their digests are compared.
    """
    tables = [table for table in SQLModel.metadata.sorted_tables if table.name not in _OF_PROCESSES]
    with source.read() as reading, target.write() as writing:
        _check_empty(writing, tables, target.location)
        for table in tables:
            for rows in _portions(reading, table):
                writing.connection().execute(insert(table), rows)
            _count_on(writing, table)
        copied = [_copied(reading, table) for table in tables]
        if copied != [_copied(writing, table) for table in tables]:
            raise StoreError(
                f"store {target.location!r} returned different rows than were written; nothing was copied."
            )
    return copied


def _check_empty(session: Session, tables: list[Table], location: str) -> None:
    for table in tables:
        if session.connection().execute(select(table).limit(1)).first() is not None:
            raise StoreError(
                f"store {location!r} is not empty (it has {table.name}); copy into a new one, "
                "or merge verdicts with `reviewer merge`."
            )


def _portions(session: Session, table: Table) -> Iterator[list[dict[str, object]]]:
    result = session.connection().execute(select(table).order_by(*table.primary_key))
    for rows in result.mappings().partitions(_ROWS_AT_ONCE):
        yield [dict(row) for row in rows]


def _copied(session: Session, table: Table) -> CopiedTable:
    digest, count = hashlib.sha256(), 0
    for rows in _portions(session, table):
        for row in rows:
            shown = {key: value.hex() if isinstance(value, bytes) else value for key, value in row.items()}
            digest.update(canonical_json(shown).encode() + b"\n")
        count += len(rows)
    return CopiedTable(table.name, count, digest.hexdigest())


def _count_on(session: Session, table: Table) -> None:
    """Let the server continue row numbers after the copied ones."""
    if session.connection().dialect.name != "postgresql" or "id" not in table.c:
        return
    numbered = text("SELECT pg_get_serial_sequence(:name, 'id')")
    sequence = session.connection().execute(numbered, {"name": table.name}).scalar()
    greatest = session.connection().execute(select(func.max(table.c.id))).scalar()
    if sequence is not None and greatest is not None:
        session.connection().execute(
            text("SELECT setval(:sequence, :value)"), {"sequence": sequence, "value": greatest}
        )
