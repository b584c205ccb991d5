"""What a rater's own database user may do on a server: add events of their seat and read those back.

The owner of the tables is not bound by these policies. Nobody else is granted anything that is not here.
"""

from collections.abc import Sequence

from sqlalchemy import Connection

_SEAT = "SELECT 1 FROM seats WHERE seats.db_user = current_user AND seats.study = {table}.study"
_OWN = f"EXISTS ({_SEAT} AND seats.rater = {{table}}.rater)"
_POLICIES = {
    "seats": ("own_seat", "FOR SELECT USING (db_user = current_user)"),
    "studies": (
        "own_study",
        "FOR SELECT USING (EXISTS (SELECT 1 FROM seats WHERE seats.db_user = current_user "
        "AND seats.study = studies.name))",
    ),
    "events": (
        "own_events",
        f"USING ({_OWN.format(table='events')}) "
        f"WITH CHECK (kind <> 'adjudication' AND {_OWN.format(table='events')})",
    ),
    "arrivals": (
        "own_arrivals",
        f"USING ({_OWN.format(table='arrivals')}) WITH CHECK ({_OWN.format(table='arrivals')})",
    ),
}
_PRIVILEGES = (
    "SELECT ON alembic_version, seats",
    # Not the design, which would tell that there are cases with known answers.
    "SELECT (name, closed_at) ON studies",
    "SELECT, INSERT ON events, arrivals",
    "USAGE ON SEQUENCE arrivals_id_seq",
)


def secure_rows(connection: Connection) -> None:
    """Create the policies anew."""
    for table, (name, rule) in _POLICIES.items():
        connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        connection.exec_driver_sql(f"DROP POLICY IF EXISTS {name} ON {table}")
        connection.exec_driver_sql(f"CREATE POLICY {name} ON {table} {rule}")


def rows_are_secure(connection: Connection) -> bool:
    """Whether every policy is in place, and no other, and switched on."""
    found = connection.exec_driver_sql(
        "SELECT tablename, policyname FROM pg_policies WHERE schemaname = current_schema()"
    )
    secured = connection.exec_driver_sql(
        "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relrowsecurity"
    )
    wanted = {(table, name) for table, (name, _) in _POLICIES.items()}
    return {(row[0], row[1]) for row in found} == wanted and set(_POLICIES) <= {row[0] for row in secured}


def grants(user: str) -> list[str]:
    """The statements that let a database user take a seat; the user exists already."""
    return [f"GRANT {privilege} TO {quoted(user)}" for privilege in ("USAGE ON SCHEMA public", *_PRIVILEGES)]


def revocations(user: str) -> list[str]:
    """The statements that take all of it back."""
    return [
        f"REVOKE {privilege} FROM {quoted(user)}" for privilege in (*_PRIVILEGES, "USAGE ON SCHEMA public")
    ]


def quoted(name: str) -> str:
    """An identifier as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def run(connection: Connection, statements: Sequence[str]) -> None:
    """Run statements that hold no parameters."""
    for statement in statements:
        connection.exec_driver_sql(statement.replace("%", "%%"))
