"""The functions on a server that a rater's database user may call, and the rights of such a user.

Raters' users may read no table of the store. Row security would not be enough: the plan of a query shows
whether a guessed row exists, because PostgreSQL may test the guess before the policy. The functions run as
their owner, and look for the seat of the user before they look at anything else.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Function, TableValuedAlias, column, func
from sqlmodel import SQLModel

from store.event_rules import event_fault_body
from store.postgres import OWN, close_schema

_NOT_THEIRS = (
    "IF NOT is_own(of_study, of_rater) THEN RAISE EXCEPTION 'this database user is not that rater' "
    "USING ERRCODE = 'insufficient_privilege'; END IF; "
)
# The owner of the store and superusers may act for any rater.
_IS_OWN = (
    " BEGIN RETURN pg_has_role(session_user, current_user, 'MEMBER') OR EXISTS (SELECT 1 FROM seats "
    "WHERE db_user = session_user AND study = of_study AND rater = of_rater); END "
)
_SEATS = " BEGIN RETURN QUERY SELECT * FROM seats WHERE db_user = session_user; END "
_EVENTS = (
    f" BEGIN {_NOT_THEIRS}RETURN QUERY SELECT * FROM events WHERE study = of_study AND rater = of_rater "
    "ORDER BY id; END "
)
# Events of the same rater that are here already are left out, so that a delivery can be repeated.
_SEND = (
    " DECLARE sent events; own_cases jsonb; fault text; added integer := 0; BEGIN "
    f"{_NOT_THEIRS}"
    "SELECT cases INTO own_cases FROM seats WHERE db_user = session_user AND study = of_study "
    "AND rater = of_rater; "
    "FOR sent IN SELECT * FROM json_populate_recordset(NULL::events, delivery) LOOP "
    "CONTINUE WHEN EXISTS (SELECT 1 FROM events "
    "WHERE id = sent.id AND study = of_study AND rater = of_rater); "
    "fault := event_fault(sent, of_study, of_rater, own_cases); "
    "IF fault IS NOT NULL THEN RAISE EXCEPTION 'this event does not fit its study: %', fault "
    "USING ERRCODE = 'check_violation'; END IF; "
    "INSERT INTO events SELECT sent.*; added := added + 1; END LOOP; "
    "IF added > 0 THEN INSERT INTO arrivals (study, rater, source, events, at) "
    "VALUES (of_study, of_rater, 'sync of ' || of_rater, added, "
    """to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')); END IF; END """
)
_ARGUMENTS = {
    "event_fault": ("sent events, of_study text, of_rater text, own_cases jsonb", "text"),
    "is_own": ("of_study text, of_rater text", "boolean"),
    "rater_seats": ("", "SETOF seats"),
    "rater_events": ("of_study text, of_rater text", "SETOF events"),
    "rater_sends": ("of_study text, of_rater text, delivery json", "void"),
}
_TYPES = {
    name: ", ".join(part.split()[1] for part in arguments.split(", ") if part)
    for name, (arguments, _) in _ARGUMENTS.items()
}
_CALLABLE = ("rater_seats", "rater_events", "rater_sends")


def own_functions() -> list[str]:
    """All of these functions, with the types of their arguments."""
    return [f"{name}({types})" for name, types in _TYPES.items()]


def _bodies() -> dict[str, str]:
    return {
        "event_fault": event_fault_body(),
        "is_own": _IS_OWN,
        "rater_seats": _SEATS,
        "rater_events": _EVENTS,
        "rater_sends": _SEND,
    }


def _settings() -> list[str]:
    """Settings that those of the caller's session do not replace."""
    return [f"search_path=pg_catalog, {OWN}, pg_temp", "standard_conforming_strings=on"]


def admit_raters(connection: Connection) -> None:
    """Create the functions again, and restrict users with seats to their rights."""
    close_schema(connection)
    bodies = _bodies()
    for name, (arguments, result) in _ARGUMENTS.items():
        settings = " ".join("SET " + line.replace("=", " = ", 1) for line in _settings())
        function = f"{name}({_TYPES[name]})"
        execute_all(
            connection,
            [
                f"DROP FUNCTION IF EXISTS {function}",
                f"CREATE FUNCTION {name}({arguments}) RETURNS {result} LANGUAGE plpgsql SECURITY DEFINER "
                f"{settings} AS $${bodies[name]}$$",
                f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC",
            ],
        )
    users = "SELECT DISTINCT db_user FROM seats JOIN pg_roles ON rolname = db_user"
    for (user,) in connection.exec_driver_sql(users).all():
        execute_all(connection, [*revocations(user), *grants(user)])


def raters_are_confined(connection: Connection) -> bool:
    """Whether exactly these functions exist, and not everybody may call them."""
    rows = connection.exec_driver_sql(
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace "
        "AND prosecdef AND proconfig = %s AND NOT has_function_privilege('public', oid, 'EXECUTE') "
        "AND proname || '(' || oidvectortypes(proargtypes) || ')' = ANY(%s)",
        (_settings(), own_functions()),
    )
    return {row[0]: row[1] for row in rows} == _bodies()


def rows_from(function: str, table: type[SQLModel], *arguments: str) -> TableValuedAlias:
    """The rows that a function returns, which have the columns of a table."""
    columns = [column(own.name, own.type) for own in SQLModel.metadata.tables[str(table.__tablename__)].c]
    called: Function[Any] = getattr(func, function)(*arguments)
    return called.table_valued(*columns, name=function)


def grants(user: str) -> list[str]:
    """The statements that give an existing database user the rights of a seat."""
    who, where = quoted(user), quoted(OWN)
    functions = ", ".join(f"{where}.{name}({_TYPES[name]})" for name in _CALLABLE)
    return [
        f"GRANT USAGE ON SCHEMA {where} TO {who}",
        f"GRANT SELECT ON {where}.alembic_version TO {who}",
        f"GRANT EXECUTE ON FUNCTION {functions} TO {who}",
    ]


def revocations(user: str) -> list[str]:
    """The statements that revoke all rights in the store."""
    who, where = quoted(user), quoted(OWN)
    kinds = ("TABLES", "SEQUENCES", "FUNCTIONS")
    every = [f"REVOKE ALL ON ALL {kind} IN SCHEMA {where} FROM {who}" for kind in kinds]
    return [*every, f"REVOKE ALL ON SCHEMA {where} FROM {who}"]


def quoted(name: str) -> str:
    """An identifier as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def execute_all(connection: Connection, statements: Sequence[str]) -> None:
    """Run statements that hold no parameters."""
    for statement in statements:
        connection.exec_driver_sql(statement.replace("%", "%%"))
