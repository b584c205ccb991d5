"""The release of a store, making new stores, and upgrading older ones."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect

from reviewer.core.errors import StoreError
from reviewer.core.sanitize import one_line, with_article
from store.append_only import ledger_is_protected, protect_ledger
from store.migrations import HEAD
from store.own_schema import SCHEMA, acting
from store.rater_functions import admit_raters, raters_are_confined
from store.searching import index_cases
from store.server_objects import server_objects_not_ours
from store.server_schema import foreign_tables, make_schema


def bring_up_to_date(
    engine: Engine, location: str, *, must_exist: bool = False, keep_copy: Callable[[], None] | None = None
) -> None:
    """Bring a new or older store to HEAD and protect its ledger; refuse newer ones and other databases.

    ``keep_copy`` is called before an older store is changed.
    """
    with engine.connect() as connection:
        current = _revision(connection)
        if current is None and must_exist and connection.dialect.name == "postgresql":
            raise StoreError(f"there is no store at {location!r}; import a dataset there to make one.")
        if current in known_revisions():
            _check_triggers(connection, location)
        if current == HEAD and _is_protected(connection):
            return
        if current is None and _holds_tables(connection):
            raise StoreError(
                f"store {location!r} is another program's database; choose another with --store."
            )
    if current is not None and current not in known_revisions():
        raise StoreError(
            f"store {location!r} was written by a newer release; upgrade dilemma-reviewer to open it."
        )
    if keep_copy and current not in (None, HEAD):
        keep_copy()
    if not (current is None and engine.dialect.name == "sqlite" and _make_tables(engine)):
        _migrate(engine, location)


def _make_tables(engine: Engine) -> bool:
    """Make the tables of a new file at once; False if another process made them first.

    The migrations take a quarter of a second, most of it to load Alembic.
    """
    with engine.begin() as connection:
        if _holds_tables(connection):
            return False
        for statement in _new_file_statements():
            connection.exec_driver_sql(statement)
        index_cases(connection)
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (HEAD,))
    return True


def _new_file_statements() -> Iterator[str]:
    """The statements that make the tables, indexes and triggers of a new file."""
    statement = ""
    for line in SCHEMA.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip().removesuffix(";")
            statement = ""


def _holds_tables(connection: Connection) -> bool:
    if connection.dialect.name == "postgresql":
        return foreign_tables(connection)
    return bool(inspect(connection).get_table_names())


def _check_triggers(connection: Connection, location: str) -> None:
    """Refuse a store with triggers or views that are not ours: a trigger may undo what was just saved."""
    if connection.dialect.name == "postgresql":
        _check_server_objects(connection, location)
        return
    rows = connection.exec_driver_sql("SELECT name, type, sql FROM sqlite_master")
    for kind, name in acting({str(row[0]): (str(row[1]), str(row[2] or "")) for row in rows}):
        raise StoreError(
            f"store {location!r} has {with_article(kind)} {one_line(name, 64)!r}, which is not of this "
            "program and could change verdicts; remove it, or work with a backup. "
            "`reviewer store check` lists everything that is not of this program."
        )


def _check_server_objects(connection: Connection, location: str) -> None:
    for kind, name in server_objects_not_ours(connection):
        raise StoreError(
            f"store {location!r} has {with_article(kind)} {one_line(name, 64)!r}, which is not of this "
            "program and could change verdicts; the database's owner can remove it or move it to another "
            "schema."
        )


def _is_protected(connection: Connection) -> bool:
    on_server = connection.dialect.name == "postgresql"
    return ledger_is_protected(connection) and (not on_server or raters_are_confined(connection))


def _revision(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    row = connection.exec_driver_sql("SELECT version_num FROM alembic_version").first()
    return None if row is None else str(row[0])


def known_revisions() -> set[str]:
    """All revisions that this release can upgrade."""
    versions = Path(__file__).parent / "migrations" / "versions"
    return {file.name.split("_")[0] for file in versions.glob("[0-9]*.py")}


def _migrate(engine: Engine, location: str) -> None:
    # Alembic takes a tenth of a second to load, so it is loaded only when needed.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql" and _revision(connection) is None:
            make_schema(connection, location)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        protect_ledger(connection)
        if connection.dialect.name == "postgresql":
            _sort_by_bytes(connection)
            admit_raters(connection)


def _sort_by_bytes(connection: Connection) -> None:
    """Make texts sort by bytes as in a file, in any locale, so that exports are identical."""
    columns = connection.exec_driver_sql(
        "SELECT table_name, column_name, character_maximum_length FROM information_schema.columns "
        "WHERE table_schema = current_schema() AND data_type = 'character varying' "
        "AND collation_name IS NULL AND table_name <> 'alembic_version'"
    )
    for table, column, length in columns.all():
        kind = "VARCHAR" if length is None else f"VARCHAR({length})"
        connection.exec_driver_sql(f'ALTER TABLE "{table}" ALTER COLUMN "{column}" TYPE {kind} COLLATE "C"')
