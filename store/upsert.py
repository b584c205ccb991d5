"""INSERT … ON CONFLICT for SQLite and PostgreSQL, which SQLAlchemy keeps in two places."""

from typing import TYPE_CHECKING

from sqlalchemy import Connection
from sqlalchemy.dialects import sqlite
from sqlmodel import SQLModel

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql


def upsert(connection: Connection, table: type[SQLModel]) -> "sqlite.Insert | postgresql.Insert":
    """An insert into the table, in the dialect of the connection."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # takes a tenth of a second to load

        return postgresql.insert(table)
    return sqlite.insert(table)
