"""INSERT … ON CONFLICT for SQLite and PostgreSQL, which SQLAlchemy keeps in two places."""

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import SQLModel

Upsert = sqlite.Insert | postgresql.Insert


def upsert(connection: Connection, table: type[SQLModel]) -> Upsert:
    """An insert into the table, in the dialect of the connection."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
