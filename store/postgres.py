"""A store on a PostgreSQL server: the engine, its transactions, and its errors as sentences.

The connections look up names only in the schema of the store.
"""

from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from reviewer.core.errors import StoreBusyError, StoreError
from store.lock_timeout import lock_timeout_ms, longest_pause_ms
from store.records import JsonValue, canonical_json

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


_CONNECT_SECONDS = 10
# One writer at a time, as in a file, since a turn's events may depend on rows that it has read. Everybody can
# take advisory locks, so the lock is on a table that raters' users have no right to. They only add rows under
# their own ids, and take no lock. A store that is being created has no raters yet.
_WRITE_LOCK = """DO $$ BEGIN
IF to_regclass('study_secrets') IS NULL THEN
  PERFORM pg_advisory_xact_lock(23187432837866853);
ELSIF has_table_privilege('study_secrets', 'UPDATE') THEN
  LOCK TABLE study_secrets IN SHARE ROW EXCLUSIVE MODE;
END IF; END $$"""
_READ_ONLY = "25006"
_REFUSED_EVENT = "does not fit its study"
_NO_PRIVILEGE = ("42501",)
_LOCKED = ("55P03", "40P01", "40001")
_DOES_NOT_FIT = "23514"
_THERE_ALREADY = "23505"
_FULL = ("53100", "53200", "53400")


def server_engine(url: URL) -> Engine:
    """The engine of a server; raises StoreError if the driver is missing."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise StoreError(
            f"store {public_url(url)!r} needs a driver that is not installed; "
            "run `pip install 'dilemma-reviewer[postgres]'`."
        ) from error
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        json_serializer=_json_as_in_a_file,
        pool_pre_ping=True,
        connect_args={"connect_timeout": _CONNECT_SECONDS, "application_name": "reviewer"},
    )
    # Before any other query of a connection.
    event.listen(engine, "connect", pin_search_path, insert=True)
    return engine


def ways_in(engine: Engine) -> tuple[Engine, Engine]:
    """The engine for consistent reads, and the one whose transactions hold the write lock."""
    reading = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    # Not REPEATABLE READ, which would read the state from before the lock was held.
    writing = engine.execution_options(isolation_level="READ COMMITTED", takes_write_lock=True)
    event.listen(engine, "begin", _take_lock)
    return reading, writing


def public_url(url: URL) -> str:
    """The URL for people, without its password, wherever in the URL that is."""
    hidden = url.update_query_dict({"password": "***"}) if "password" in url.query else url
    return hidden.render_as_string(hide_password=True)


def has_password(url: URL) -> bool:
    """Whether a URL holds a password."""
    return url.password is not None or "password" in url.query


def lacks_password(url: URL) -> bool:
    """Whether the server asks for a password that neither the URL, the environment nor a file gives."""
    engine = server_engine(url)
    try:
        with engine.connect():
            return False
    except OperationalError as error:
        return "no password supplied" in str(error.orig)
    finally:
        engine.dispose()


def server_explanation(error: DBAPIError, location: str) -> Exception:
    """The server's error as a sentence; an error that users cannot cause is returned unchanged."""
    state = getattr(error.orig, "sqlstate", None)
    reason = " ".join(str(error.orig).split())
    if state in _LOCKED:
        return StoreBusyError(
            f"store {location!r} is locked by another user's long write; wait, then try again."
        )
    if state in _FULL:
        return StoreError(
            f"store {location!r} cannot grow ({reason}); free some space on the server, then try again."
        )
    if state in _NO_PRIVILEGE or state == _READ_ONLY:
        return StoreError(
            f"store {location!r} does not let this database user do that ({reason}); "
            "ask the study's lead, who can run `reviewer store grant`."
        )
    if state == _DOES_NOT_FIT and _REFUSED_EVENT in reason:
        return StoreError(f"store {location!r} does not accept this: {reason.partition(' CONTEXT')[0]}.")
    if state == _THERE_ALREADY and "events_pkey" in reason:
        return StoreBusyError(f"store {location!r} was just given an event with the same id; try again.")
    if isinstance(error, OperationalError | InterfaceError):
        return StoreError(
            f"store {location!r} cannot be reached ({reason}); check the URL, the server and the network."
        )
    return error


def _json_as_in_a_file(value: JsonValue) -> str:
    # SQLite stores a bare 1.0 as 1; the server stores the same.
    whole = isinstance(value, float) and value.is_integer()
    return canonical_json(int(value) if whole else value)


def _take_lock(connection: Connection) -> None:
    if connection.get_execution_options().get("takes_write_lock"):
        # Before the lock, which may come when the process is stopped already.
        if pause := longest_pause_ms():
            connection.exec_driver_sql(f"SET LOCAL idle_in_transaction_session_timeout = {pause}")
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {lock_timeout_ms()}")
        connection.exec_driver_sql(_WRITE_LOCK)
