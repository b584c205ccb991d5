"""The release of a store, making new stores, upgrading older ones, and allowed definitions in their files."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect
from sqlmodel import SQLModel

from reviewer.core.errors import StoreError
from reviewer.core.sanitize import one_line, with_article
from store.append_only import OWN_TRIGGERS, ledger_is_protected, protect_ledger
from store.migrations import HEAD, MADE_BEFORE, REVISIONS, is_made_before
from store.postgres import holds_tables, make_schema
from store.searching import OWN_TABLES as SEARCHED_TABLES
from store.searching import OWN_TRIGGERS as SEARCHING_TRIGGERS
from store.searching import index_cases

MIGRATIONS = Path(__file__).parent / "migrations"
_VERSION_TABLE = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
    "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)


Defined = Mapping[str, tuple[str, str]]
"""Name → (kind, SQL) of everything that a file defines."""

_TABLES = (
    "alembic_version arrivals assignments calls candidates cases citations complaints "
    "dataset_descriptions dataset_dismissals datasets declarations dismissals embeddings endpoint_use "
    "events findings group_definitions kept_aside known_answers links measurements memberships outcomes "
    "pack_seals releases revisions run_cases run_chunks run_leases run_roles runs seats signed_counts "
    "studies study_acts study_cases study_descriptions study_secrets todos"
)
_INDEXES = (
    "arrivals_by_rater calls_by_ask candidates_by_fate events_by_rater ix_cases_group "
    "ix_complaints_dataset ix_dataset_dismissals_dataset ix_kept_aside_study ix_memberships_case "
    "ix_revisions_dataset ix_run_cases_digest ix_signed_counts_study ix_study_acts_study "
    "ix_todos_dataset links_by_rater memberships_by_position revisions_by_place"
)
OWN_TABLES, OWN_INDEXES = frozenset(_TABLES.split()), frozenset(_INDEXES.split())
"""The names of all tables and indexes, listed so that opening a store loads few tables (a test compares)."""
_INDEX = re.compile(r'CREATE (UNIQUE )?INDEX "?\w+"? ON "?\w+"? \([\w", ]+\)', re.IGNORECASE)
_VIRTUAL = re.compile(r"\s*CREATE\s+VIRTUAL", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_IN_NONE = frozenset(
    ("AS", "CASCADE", "COLLATE", "CONFLICT", "DELETE", "OID", "ROWID", "UPDATE", "WITHOUT", "_ROWID_")
)
"""Words that our tables never use: rules that silently drop, replace, compute or renumber rows."""


def bring_up_to_date(
    engine: Engine, location: str, *, must_exist: bool = False, keep_copy: Callable[[], None] | None = None
) -> None:
    """Bring a new or older store to HEAD and protect its ledger; refuse other stores and other databases.

    ``keep_copy`` is called before an older store is changed.
    """
    with engine.connect() as connection:
        current = _revision(connection)
        if current is None and must_exist and connection.dialect.name == "postgresql":
            raise StoreError(f"there is no store at {location!r}; import a dataset there to make one.")
        if current in REVISIONS:
            _check_triggers(connection, location)
        if current == HEAD and _is_protected(connection):
            return
        if current is None and _holds_tables(connection):
            raise StoreError(
                f"store {location!r} is another program's database; choose another with --store."
            )
    if current is not None and (wrong := why_not_read(current)):
        raise StoreError(f"store {location!r} cannot be opened: {'; '.join(wrong)}.")
    if current is None and _make_tables(engine):
        return
    if keep_copy and current not in (None, HEAD):
        keep_copy()
    _migrate(engine)


def why_not_read(revision: str) -> tuple[str, str] | None:
    """Why this release cannot read a store with this revision, and the remedy; None if it can."""
    if revision in REVISIONS:
        return None
    if is_made_before(revision):
        return MADE_BEFORE
    return "it was written by a newer release", "upgrade dilemma-reviewer to open it"


def _make_tables(engine: Engine) -> bool:
    """Make everything that a new store has, at once; False if another process made it first."""
    with engine.begin() as connection:
        if _holds_tables(connection):
            return False
        on_server = connection.dialect.name == "postgresql"
        if on_server:
            make_schema(connection, engine.url.database or "")
        from store import run_tables, study_tables, tables  # noqa: F401 (they add themselves; all are needed)

        SQLModel.metadata.create_all(connection, checkfirst=False)
        connection.exec_driver_sql(_VERSION_TABLE)
        connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{HEAD}')")  # noqa: S608 (ours)
        if not on_server:
            index_cases(connection)
        _protect(connection)
    return True


def _protect(connection: Connection) -> None:
    protect_ledger(connection)
    if connection.dialect.name == "postgresql":
        from store.rater_functions import admit_raters  # loaded only for a server

        _sort_by_bytes(connection)
        admit_raters(connection)


def _holds_tables(connection: Connection) -> bool:
    if connection.dialect.name == "postgresql":
        return holds_tables(connection)
    return bool(inspect(connection).get_table_names())


def not_ours(defined: Defined) -> Iterator[tuple[str, str]]:
    """The kind and the name of everything that is not defined as in our releases."""
    for name, (kind, sql) in defined.items():
        if kind == "table":
            words = _WORD.findall(sql.upper())
            ours = name in OWN_TABLES and not is_virtual(sql) and _IN_NONE.isdisjoint(words)
            ours = ours or name in SEARCHED_TABLES or name.startswith("sqlite_")
        elif kind == "index":
            ours = not sql or (name in OWN_INDEXES and _INDEX.fullmatch(" ".join(sql.split())) is not None)
        elif kind == "trigger":
            ours = name in OWN_TRIGGERS or SEARCHING_TRIGGERS.get(name) == sql.strip()
        else:
            ours = False
        if not ours:
            yield ("virtual table" if is_virtual(sql) else kind), name


def is_virtual(sql: str) -> bool:
    """Whether a table is virtual, so that a program makes its rows."""
    return _VIRTUAL.match(sql) is not None


def _check_triggers(connection: Connection, location: str) -> None:
    """Refuse triggers or views that are not ours, and tables of ours that were made with other rules.

    Each of them may undo what was just saved.
    """
    if connection.dialect.name == "postgresql":
        _check_server_objects(connection, location)
        return
    rows = connection.exec_driver_sql("SELECT name, type, sql FROM sqlite_master")
    for kind, name in not_ours({str(row[0]): (str(row[1]), str(row[2] or "")) for row in rows}):
        if name not in OWN_TABLES and kind not in ("trigger", "view"):
            continue  # it does not affect our rows
        raise StoreError(
            f"store {location!r} has {with_article(kind)} {one_line(name, 64)!r}, which is not of this "
            "program and could change verdicts; remove it, or work with a backup. "
            "`reviewer store check` lists everything that is not of this program."
        )


def _check_server_objects(connection: Connection, location: str) -> None:
    from store.server_objects import server_objects_not_ours  # loaded only for a server

    for kind, name in server_objects_not_ours(connection):
        raise StoreError(
            f"store {location!r} has {with_article(kind)} {one_line(name, 64)!r}, which is not of this "
            "program and could change verdicts; the database's owner can remove it or move it to another "
            "schema."
        )


def _is_protected(connection: Connection) -> bool:
    if connection.dialect.name != "postgresql":
        return ledger_is_protected(connection)
    from store.rater_functions import raters_are_confined  # loaded only for a server

    return ledger_is_protected(connection) and raters_are_confined(connection)


def _revision(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    row = connection.exec_driver_sql("SELECT version_num FROM alembic_version").first()
    return None if row is None else str(row[0])


def _migrate(engine: Engine) -> None:
    # Alembic takes a tenth of a second to load, so it is loaded only when needed.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        if _revision(connection) != HEAD:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        _protect(connection)


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
