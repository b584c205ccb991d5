"""The triggers that make tables append-only, above all the ledger: rows are added and never changed."""

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

_TABLES = {
    "events": "id",
    "study_acts": "id",
    "signed_counts": "id",
    "kept_aside": "event",
    "revisions": "id",
    "dataset_dismissals": "id",
    "complaints": "id",
}
"""Append-only tables, each with its key column."""
GROWING = tuple(_TABLES)
"""The names of the append-only tables."""
_REFUSAL = "the ledger is append-only"
REFUSING_FUNCTION = "events_refuse"
"""The function that a server's triggers call."""
_POSTGRES_BODY = f" BEGIN RAISE EXCEPTION '{_REFUSAL}'; END "
_POSTGRES_FUNCTION = (
    f"CREATE OR REPLACE FUNCTION {REFUSING_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS "
    f"$${_POSTGRES_BODY}$$"
)
_SQLITE_BODY = f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
_SQLITE_TRIGGERS = {
    table: {
        f"{table}_refuse_update": f"BEFORE UPDATE ON {table} {_SQLITE_BODY}",
        f"{table}_refuse_delete": f"BEFORE DELETE ON {table} {_SQLITE_BODY}",
        # INSERT OR REPLACE deletes without firing the trigger above.
        f"{table}_refuse_replace": f"BEFORE INSERT ON {table} WHEN "  # noqa: S608 (names of our own)
        f"EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key}) {_SQLITE_BODY}",
    }
    for table, key in _TABLES.items()
}
OWN_TRIGGERS = frozenset(name for triggers in _SQLITE_TRIGGERS.values() for name in triggers)
"""The names of all these triggers in a file."""


def _postgres_triggers(table: str) -> dict[str, str]:
    deeds = ("update", "delete", "truncate")
    refuse = f"FOR EACH STATEMENT EXECUTE FUNCTION {REFUSING_FUNCTION}()"
    return {f"{table}_refuse_{deed}": f"BEFORE {deed.upper()} ON {table} {refuse}" for deed in deeds}


def protect_ledger(connection: "Connection") -> None:
    """Create the triggers again. SQLite drops them when a migration rebuilds their table."""
    on_server = connection.dialect.name == "postgresql"
    if on_server:
        connection.exec_driver_sql(_POSTGRES_FUNCTION)
    for table in _TABLES:
        rules = _postgres_triggers(table) if on_server else _SQLITE_TRIGGERS[table]
        for name, rule in rules.items():
            there = f" ON {table}" if on_server else ""
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}{there}")
            connection.exec_driver_sql(f"CREATE TRIGGER {name} {rule}")
            if on_server:
                # Fires in sessions of replicas and restores too, which skip ordinary triggers.
                connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")


def ledger_is_protected(connection: "Connection") -> bool:
    """Whether every trigger exists and is enabled."""
    if connection.dialect.name == "postgresql":
        ours = ", ".join(f"to_regclass('{table}')" for table in _TABLES)
        rows = connection.exec_driver_sql(
            f"SELECT t.tgname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid "  # noqa: S608 (ours)
            f"WHERE t.tgenabled = 'A' AND t.tgrelid IN ({ours}) AND p.proname = %s AND p.prosrc = %s "
            "AND p.pronamespace = current_schema()::regnamespace",
            (REFUSING_FUNCTION, _POSTGRES_BODY),
        )
        rules = [_postgres_triggers(table) for table in _TABLES]
        return {name for triggers in rules for name in triggers} <= {row[0] for row in rows}
    rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    return not missing_protection(_TABLES, {str(row[0]): str(row[1]) for row in rows})


def own_server_triggers() -> list[str]:
    """The names of all these triggers on a server."""
    return [name for table in _TABLES for name in _postgres_triggers(table)]


def missing_protection(tables: Container[str], triggers: Mapping[str, str]) -> list[str]:
    """Triggers that a file with these tables lacks or defines differently; ``triggers`` is name → SQL."""
    return [
        name
        for table, rules in _SQLITE_TRIGGERS.items()
        if table in tables
        for name, rule in rules.items()
        if triggers.get(name) != f"CREATE TRIGGER {name} {rule}"
    ]
