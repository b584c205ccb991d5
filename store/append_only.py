"""The ledger's triggers: rows are added, and neither changed, replaced nor deleted."""

from sqlalchemy import Connection

_REFUSE = "SELECT RAISE(ABORT, 'the ledger is append-only')"
_KNOWN = "EXISTS (SELECT 1 FROM events WHERE id = NEW.id)"

_SQLITE = {
    "events_refuse_update": f"BEFORE UPDATE ON events BEGIN {_REFUSE}; END",
    "events_refuse_delete": f"BEFORE DELETE ON events BEGIN {_REFUSE}; END",
    # INSERT OR REPLACE deletes without firing the trigger above.
    "events_refuse_replace": f"BEFORE INSERT ON events WHEN {_KNOWN} BEGIN {_REFUSE}; END",
}


def protect_ledger(connection: Connection) -> None:
    """Create the triggers anew; SQLite drops them with the table when a migration rebuilds it."""
    for name, rule in _SQLITE.items():
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}")
        connection.exec_driver_sql(f"CREATE TRIGGER {name} {rule}")


def ledger_is_protected(connection: Connection) -> bool:
    """Whether every trigger is in place."""
    rows = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    return set(_SQLITE) <= {row[0] for row in rows}
