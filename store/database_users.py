"""Database users of raters on a server: how they are created, their rights, and which rater each is."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence

import sqlalchemy
from sqlalchemy import Connection, delete, text
from sqlmodel import Session, col, select

from reviewer.core.errors import RequestError
from store import rater_functions
from store.database import Database
from store.event_rules import MOST_BYTES, MOST_EVENTS
from store.postgres import OWN
from store.rater_functions import quoted, quoted_text
from store.records import RaterSeat
from store.row_records import upsert
from store.study_tables import RaterSeatRow

_ROUNDS = 4096
_SALT_BYTES = 16
_MOST_CONNECTIONS = 10
_MAKES_LARGE_OBJECTS = ("lo_creat(integer)", "lo_create(oid)", "lo_from_bytea(oid, bytea)")
# The log of writes grows with the length of each answer, so its position may tell labels apart.
_COUNTS_BYTES_WRITTEN = (
    *("pg_current_wal_lsn()", "pg_current_wal_insert_lsn()", "pg_current_wal_flush_lsn()"),
    "pg_stat_get_wal()",
)
_UNNEEDED = {
    "make large objects": _MAKES_LARGE_OBJECTS,
    "see how many bytes others write, and so perhaps which of two labels": _COUNTS_BYTES_WRITTEN,
}
"""What everybody can do with functions of the server that raters' users do not need."""
_HAS_MORE_RIGHTS = """
SELECT user_.rolsuper OR user_.rolbypassrls OR user_.rolcreaterole OR user_.rolreplication
    OR has_schema_privilege(user_.oid, %(schema)s, 'CREATE')
    OR EXISTS (
        SELECT 1 FROM pg_class c
        WHERE c.relnamespace = %(schema)s::regnamespace AND c.relkind = 'r' AND (
            pg_has_role(user_.oid, c.relowner, 'MEMBER')
            OR has_table_privilege(user_.oid, c.oid, 'DELETE, TRUNCATE, TRIGGER')
            OR (c.relname <> 'alembic_version' AND
                has_any_column_privilege(user_.oid, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))))
    OR EXISTS (
        SELECT 1 FROM pg_roles r
        WHERE starts_with(r.rolname, 'pg_') AND pg_has_role(user_.oid, r.oid, 'MEMBER'))
FROM pg_roles user_ WHERE user_.rolname = %(user)s
"""


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
    row = connection.exec_driver_sql(_HAS_MORE_RIGHTS, {"schema": schema, "user": user}).first()
    if row is not None and row[0]:
        raise RequestError(
            f"database user {user!r} has more rights than a rater's user may have (it owns the store or "
            "reads its tables, manages or watches the server, or creates objects there); "
            "give another with --user."
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
    for functions in _UNNEEDED.values():
        callable_ = _everybody_calls(connection, functions)
        if callable_ and (superuser or not run):
            named = ", ".join(f"pg_catalog.{name}" for name in callable_)
            statements.append(f"REVOKE EXECUTE ON FUNCTION {named} FROM PUBLIC")
    return statements


def remaining(connection: Connection) -> list[str]:
    """What a rater's user can still do apart from its work, one phrase each."""
    others = connection.exec_driver_sql(
        "SELECT count(*) FROM pg_database WHERE datallowconn AND datname <> current_database() "
        "AND has_database_privilege('public', oid, 'CONNECT')"
    ).scalar()
    can: dict[str, object] = {
        f"{deed} (forbid it: REVOKE EXECUTE ON FUNCTION {_short(names)}, … FROM PUBLIC)": (
            _everybody_calls(connection, names)
        )
        for deed, names in _UNNEEDED.items()
    } | {
        "make temporary tables (forbid it: REVOKE TEMPORARY ON DATABASE … FROM PUBLIC)": (
            _everybody_makes_temporary_tables(connection)
        ),
        "connect to other databases there (forbid it: REVOKE CONNECT ON DATABASE … FROM PUBLIC)": others,
        "see the names of tables and users, their sizes and how many rows were written (not their content), "
        "as every database user": True,
        f"add up to some {MOST_EVENTS:,} events of its own rater to each of its studies "
        f"({MOST_BYTES >> 20} MB at most), which nobody can delete": True,
        "keep its few connections busy with long queries": True,
    }
    return [right for right, possible in can.items() if possible]


def _everybody_makes_temporary_tables(connection: Connection) -> bool:
    asked = "SELECT has_database_privilege('public', current_database(), 'TEMPORARY')"
    return bool(connection.exec_driver_sql(asked).scalar())


def _short(functions: Sequence[str]) -> str:
    return functions[0].partition("(")[0]


def _everybody_calls(connection: Connection, functions: Sequence[str]) -> list[str]:
    """Those of the server's functions that exist in its version and that everybody may call."""
    asked = "SELECT has_function_privilege('public', to_regprocedure(%s), 'EXECUTE')"
    return [name for name in functions if connection.exec_driver_sql(asked, (f"pg_catalog.{name}",)).scalar()]


def admission(database: Database, user: str, new_password: str | None, *, run: bool) -> list[str]:
    """The statements that give a database user access; they create the user if there is a new password.

    Raises RequestError if the user has too many rights.
    """
    with database.read() as session:
        connection = session.connection()
        check_is_weak(connection, user, OWN)
        created = [] if new_password is None else [creation(user, new_password)]
        narrowed = narrowing(connection, run=run)
    return [*created, *narrowed, *rater_functions.grants(user)]


def remaining_rights(database: Database) -> list[str]:
    """What raters' users can do apart from their work, one phrase each."""
    with database.read() as session:
        return remaining(session.connection())


def give_seat(database: Database, seat: RaterSeat, statements: list[str]) -> None:
    """Save a seat and run the statements for its user, in one transaction."""
    with database.write() as session:
        connection = session.connection()
        rater_functions.execute_all(connection, statements)
        keeping = upsert(connection, RaterSeatRow).values(**seat.model_dump())
        news = {name: keeping.excluded[name] for name in ("rater", "pack", "cases", "granted_at")}
        connection.execute(keeping.on_conflict_do_update(index_elements=["db_user", "study"], set_=news))


def take_seat_away(database: Database, study: str, rater: str, *, run: bool) -> list[str]:
    """Delete a rater's seats in a study; returns (and may run) revocations for users without a seat."""
    with database.write() as session:
        rows = session.exec(
            select(RaterSeatRow.db_user).where(RaterSeatRow.study == study, RaterSeatRow.rater == rater)
        )
        users = list(rows)
        session.connection().execute(
            delete(RaterSeatRow).where(col(RaterSeatRow.study) == study, col(RaterSeatRow.rater) == rater)
        )
        left = set(session.exec(select(RaterSeatRow.db_user).where(col(RaterSeatRow.db_user).in_(users))))
        out = [user for user in users if user not in left]
        statements = [line for user in out for line in rater_functions.revocations(user)]
        if run:
            rater_functions.execute_all(session.connection(), statements)
    return statements


def current_seat(session: Session, study: str) -> RaterSeat | None:
    """The current database user's seat in a study, if they have one."""
    seats = rater_functions.rows_from("rater_seats", RaterSeatRow)
    row = session.execute(sqlalchemy.select(seats).where(seats.c.study == study)).mappings().first()
    return None if row is None else RaterSeat.model_validate(dict(row))


def has_seat(session: Session) -> bool:
    """Whether the current database user is a rater of any study."""
    seats = rater_functions.rows_from("rater_seats", RaterSeatRow)
    return session.execute(sqlalchemy.select(seats.c.study).limit(1)).first() is not None


def user_exists(database: Database, user: str) -> bool:
    """Whether the server has a user with this name."""
    with database.read() as session:
        seats = session.connection().execute(
            text("SELECT 1 FROM pg_roles WHERE rolname = :user"), {"user": user}
        )
        return seats.first() is not None
