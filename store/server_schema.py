"""The schema of a store on a server. Its connections look up names only in this schema."""

from typing import Any

from sqlalchemy import Connection

from reviewer.core.errors import StoreError

OWN = "reviewer"
# pg_catalog always comes first; temporary tables would come even before it if they were not named last.
_PATH = "SELECT pg_catalog.set_config('search_path', %s, false)"


def pin_search_path(connection: Any, _record: object = None) -> None:
    """Make a new connection (the driver's own) find only the store's tables, not other people's objects."""
    with connection.cursor() as cursor:
        cursor.execute(_PATH, (f"{OWN}, pg_temp",))
    connection.commit()


def make_schema(connection: Connection, database: str) -> None:
    """Create the schema of a new store, in which nobody else may create objects; raises StoreError."""
    connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {OWN}")
    owner = "SELECT pg_get_userbyid(nspowner) = current_user FROM pg_namespace WHERE nspname = %s"
    if not connection.exec_driver_sql(owner, (OWN,)).scalar():
        raise StoreError(
            f"a store cannot be made in database {database!r}: the schema {OWN!r} there belongs to another "
            "database user; choose another database."
        )
    close_schema(connection)


def close_schema(connection: Connection) -> None:
    """Let nobody but its owner create objects in the schema: the owner's queries could call them."""
    connection.exec_driver_sql(f"REVOKE ALL ON SCHEMA {OWN} FROM PUBLIC")


def holds_tables(connection: Connection) -> bool:
    """Whether the database already holds tables, of a store or of another program."""
    query = "SELECT 1 FROM pg_tables WHERE schemaname IN (%s, 'public') LIMIT 1"
    return connection.exec_driver_sql(query, (OWN,)).first() is not None
