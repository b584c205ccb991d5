"""The schema of a store on a server. Its connections look up names only in this schema.

Stores of earlier releases are in the schema ``public`` and stay there.
"""

import logging
from typing import Any

from sqlalchemy import Connection

from reviewer.core.errors import RequestError, StoreError

_log = logging.getLogger(__name__)

OWN = "reviewer"
_EARLIER = "public"
# pg_catalog always comes first; temporary tables would come even before it if they were not named last.
_PATH = "SELECT pg_catalog.set_config('search_path', %s, false)"
_FIND = (
    "SELECT n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relname = 'alembic_version' AND c.relkind = 'r' AND n.nspname IN (%s, %s) "
    "ORDER BY n.nspname = %s DESC LIMIT 1"
)


def pin_search_path(connection: Any, _record: object = None) -> None:
    """Make a new connection (the driver's own) find only the store's tables, not other people's objects."""
    with connection.cursor() as cursor:
        cursor.execute(_PATH, ("pg_catalog",))
        row = cursor.execute(_FIND, (OWN, _EARLIER, OWN)).fetchone()
        cursor.execute(_PATH, (f"{row[0] if row else OWN}, pg_temp",))
    connection.commit()


def make_schema(connection: Connection, location: str) -> None:
    """Create the schema of a new store, in which nobody else may create objects; raises StoreError."""
    connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {OWN}")
    owner = "SELECT pg_get_userbyid(nspowner) = current_user FROM pg_namespace WHERE nspname = %s"
    if not connection.exec_driver_sql(owner, (OWN,)).scalar():
        raise StoreError(
            f"store {location!r} cannot be made: the schema {OWN!r} there belongs to another database user; "
            "choose another database."
        )
    connection.exec_driver_sql(f"REVOKE ALL ON SCHEMA {OWN} FROM PUBLIC")


def schema_in_use(connection: Connection) -> str:
    """The schema of this store."""
    return str(connection.exec_driver_sql("SELECT current_schema()").scalar())


def foreign_tables(connection: Connection) -> bool:
    """Whether the possible schemas of a store already hold tables."""
    query = "SELECT 1 FROM pg_tables WHERE schemaname IN (%s, %s) LIMIT 1"
    return connection.exec_driver_sql(query, (OWN, _EARLIER)).first() is not None


def everybody_creates(connection: Connection, schema: str) -> bool:
    """Whether every database user may make objects in a schema, as in public up to PostgreSQL 14."""
    asked = "SELECT has_schema_privilege('public', %s, 'CREATE')"
    return bool(connection.exec_driver_sql(asked, (schema,)).scalar())


def warn_where_everybody_creates(connection: Connection, location: str) -> None:
    """Warn on opening a store with other users, because ``grant`` refuses only new users.

    The store cannot know whether a function there is a rater's, so it still opens.
    """
    schema = schema_in_use(connection)
    if not everybody_creates(connection, schema):
        return
    if not connection.exec_driver_sql("SELECT has_table_privilege('seats', 'SELECT')").scalar():
        return  # a rater, who may not look, and cannot mend it
    others = "SELECT 1 FROM seats WHERE db_user <> current_user LIMIT 1"
    if connection.exec_driver_sql(others).first() is not None:
        _log.warning(
            "Warning: raters' database users may create objects in the schema %r of store %r, and so change "
            "what other people's queries do; run `REVOKE CREATE ON SCHEMA %s FROM PUBLIC` as the server's "
            "administrator.",
            schema,
            location,
            schema,
        )


def check_nobody_creates(connection: Connection, schema: str) -> None:
    """Raise RequestError if everybody may add functions, because the lead's queries could call them."""
    if everybody_creates(connection, schema):
        raise RequestError(
            f"every database user may create objects in the schema {schema!r}, and so change what your "
            f"own queries do; run `REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC` as the server's "
            "administrator, then try again."
        )
