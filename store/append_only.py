"""The ledger's triggers: rows are added, and neither changed, replaced nor deleted."""

from sqlalchemy import Connection

_REFUSAL = "the ledger is append-only"
_REFUSE = f"SELECT RAISE(ABORT, '{_REFUSAL}')"
_KNOWN = "EXISTS (SELECT 1 FROM events WHERE id = NEW.id)"

_SQLITE = {
    "events_refuse_update": f"BEFORE UPDATE ON events BEGIN {_REFUSE}; END",
    "events_refuse_delete": f"BEFORE DELETE ON events BEGIN {_REFUSE}; END",
    # INSERT OR REPLACE deletes without firing the trigger above.
    "events_refuse_replace": f"BEFORE INSERT ON events WHEN {_KNOWN} BEGIN {_REFUSE}; END",
}
_POSTGRES = {
    "events_refuse_update": "BEFORE UPDATE ON events FOR EACH STATEMENT EXECUTE FUNCTION events_refuse()",
    "events_refuse_delete": "BEFORE DELETE ON events FOR EACH STATEMENT EXECUTE FUNCTION events_refuse()",
    "events_refuse_truncate": "BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION events_refuse()",
}
_POSTGRES_FUNCTION = (
    "CREATE OR REPLACE FUNCTION events_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
)


def protect_ledger(connection: Connection) -> None:
    """Create the triggers anew; SQLite drops them with the table when a migration rebuilds it."""
    on_server = connection.dialect.name == "postgresql"
    if on_server:
        connection.exec_driver_sql(_POSTGRES_FUNCTION)
    for name, rule in (_POSTGRES if on_server else _SQLITE).items():
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}{' ON events' if on_server else ''}")
        connection.exec_driver_sql(f"CREATE TRIGGER {name} {rule}")
        if on_server:
            # Fires for replicas' and restores' sessions too, which pass ordinary triggers over.
            connection.exec_driver_sql(f"ALTER TABLE events ENABLE ALWAYS TRIGGER {name}")


def ledger_is_protected(connection: Connection) -> bool:
    """Whether every trigger is in place, and switched on."""
    if connection.dialect.name == "postgresql":
        rows = connection.exec_driver_sql(
            "SELECT tgname FROM pg_trigger WHERE tgrelid = to_regclass('events') AND tgenabled = 'A'"
        )
        return set(_POSTGRES) <= {row[0] for row in rows}
    rows = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    return set(_SQLITE) <= {row[0] for row in rows}
