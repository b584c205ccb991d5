"""Database users for raters on a server: how they are created, and which rights they may have."""

import base64
import hashlib
import hmac
import secrets

from sqlalchemy import Connection

from reviewer.core.errors import RequestError
from store.event_trigger import MOST_BYTES, MOST_EVENTS
from store.row_security import quoted, quoted_text

_ROUNDS = 4096
_SALT_BYTES = 16
_MOST_CONNECTIONS = 10
_MAKES_LARGE_OBJECTS = ("lo_creat(integer)", "lo_create(oid)", "lo_from_bytea(oid, bytea)")


def scram_verifier(password: str) -> str:
    """The value that a server stores for an ASCII password (RFC 5803). Nobody can log in with it."""
    salt = secrets.token_bytes(_SALT_BYTES)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode("ascii"), salt, _ROUNDS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    salt64, stored64, server64 = (base64.b64encode(part).decode() for part in (salt, stored, server))
    return f"SCRAM-SHA-256${_ROUNDS}:{salt64}${stored64}:{server64}"


def creation(user: str, password: str) -> str:
    """The statement that creates a rater's user. It omits the password, because logs would store it."""
    return (
        f"CREATE ROLE {quoted(user)} LOGIN CONNECTION LIMIT {_MOST_CONNECTIONS} "
        f"PASSWORD {quoted_text(scram_verifier(password))}"
    )


def check_is_weak(connection: Connection, user: str, schema: str) -> None:
    """Raise RequestError if an existing user has more rights than a rater's user may have."""
    row = connection.exec_driver_sql(
        "SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolreplication "
        "OR pg_has_role(oid, (SELECT tableowner::name FROM pg_tables WHERE schemaname = %s "
        "AND tablename = 'events'), 'MEMBER') OR has_schema_privilege(oid, %s, 'CREATE') "
        "FROM pg_roles WHERE rolname = %s",
        (schema, schema, user),
    ).first()
    if row is not None and row[0]:
        raise RequestError(
            f"database user {user!r} has more rights than a rater's user may have (it owns the store, "
            "manages users, or creates objects there); give another with --user."
        )


def narrowing(connection: Connection, *, run: bool) -> list[str]:
    """The statements that revoke rights of everybody in this database which raters do not need.

    With ``run``, only the statements that the current user may execute.
    """
    database = str(connection.exec_driver_sql("SELECT current_database()").scalar())
    owns, superuser = connection.exec_driver_sql(
        "SELECT pg_has_role(d.datdba, 'USAGE'), r.rolsuper FROM pg_database d, pg_roles r "
        "WHERE d.datname = current_database() AND r.rolname = current_user"
    ).one()
    statements = []
    if _everybody_makes_temporary_tables(connection) and (owns or superuser or not run):
        statements.append(f"REVOKE TEMPORARY ON DATABASE {quoted(database)} FROM PUBLIC")
    if _everybody_makes_large_objects(connection) and (superuser or not run):
        functions = ", ".join(f"pg_catalog.{name}" for name in _MAKES_LARGE_OBJECTS)
        statements.append(f"REVOKE EXECUTE ON FUNCTION {functions} FROM PUBLIC")
    return statements


def remaining(connection: Connection) -> list[str]:
    """What a rater's user can still do apart from its work, one phrase each."""
    others = connection.exec_driver_sql(
        "SELECT count(*) FROM pg_database WHERE datallowconn AND datname <> current_database() "
        "AND has_database_privilege('public', oid, 'CONNECT')"
    ).scalar()
    can = {
        "make temporary tables (forbid it: REVOKE TEMPORARY ON DATABASE … FROM PUBLIC)": (
            _everybody_makes_temporary_tables(connection)
        ),
        "make large objects (forbid it: REVOKE EXECUTE ON FUNCTION lo_create, … FROM PUBLIC)": (
            _everybody_makes_large_objects(connection)
        ),
        "connect to other databases there (forbid it: REVOKE CONNECT ON DATABASE … FROM PUBLIC)": others,
        "see the names of tables and users, as every database user": True,
        f"add up to some {MOST_EVENTS:,} events of its own rater to each of its studies "
        f"({MOST_BYTES >> 20} MB at most), which nobody can delete": True,
        "keep its few connections busy with long queries": True,
    }
    return [right for right, possible in can.items() if possible]


def _everybody_makes_temporary_tables(connection: Connection) -> bool:
    asked = "SELECT has_database_privilege('public', current_database(), 'TEMPORARY')"
    return bool(connection.exec_driver_sql(asked).scalar())


def _everybody_makes_large_objects(connection: Connection) -> bool:
    asked = "SELECT has_function_privilege('public', %s, 'EXECUTE')"
    return any(
        connection.exec_driver_sql(asked, (f"pg_catalog.{name}",)).scalar() for name in _MAKES_LARGE_OBJECTS
    )
