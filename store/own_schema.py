"""What a store's file may define: its tables, indexes and triggers, and nothing of anybody else's."""

import re
from collections.abc import Iterator, Mapping

from sqlmodel import SQLModel

import store.tables  # noqa: F401  (registers the tables)
from store.append_only import own_triggers
from store.searching import OWN_TABLES as SEARCHED
from store.searching import OWN_TRIGGERS as SEARCHING

Defined = Mapping[str, tuple[str, str]]
"""The kind and the SQL of everything that a file defines, by name."""

_TABLES = {*SQLModel.metadata.tables, "alembic_version"}
_INDEXES = {index.name for table in SQLModel.metadata.tables.values() for index in table.indexes}
_INDEX = re.compile(r'CREATE (UNIQUE )?INDEX "?\w+"? ON "?\w+"? \([\w", ]+\)', re.IGNORECASE)
_WORD = re.compile(r"\w+")
_IN_NONE = frozenset(
    ("AS", "CASCADE", "COLLATE", "CONFLICT", "DELETE", "OID", "ROWID", "UPDATE", "WITHOUT", "_ROWID_")
)
"""Words that no table of ours is made with: rules that drop, replace, compute or renumber rows in silence."""


def not_ours(defined: Defined) -> Iterator[tuple[str, str]]:
    """The kind and the name of everything that no release of ours defines so."""
    triggers = own_triggers()
    for name, (kind, sql) in defined.items():
        if kind == "table":
            ours = name in _TABLES and not is_virtual(sql) and _IN_NONE.isdisjoint(_words(sql))
            ours = ours or name in SEARCHED or name.startswith("sqlite_")
        elif kind == "index":
            ours = not sql or (name in _INDEXES and _INDEX.fullmatch(" ".join(sql.split())) is not None)
        elif kind == "trigger":
            ours = name in triggers or SEARCHING.get(name) == sql.strip()
        else:
            ours = False
        if not ours:
            yield ("virtual table" if is_virtual(sql) else kind), name


def acting(defined: Defined) -> Iterator[tuple[str, str]]:
    """Those that act on rows of ours: triggers, views, and tables of ours that were made with other rules."""
    return (
        (kind, name) for kind, name in not_ours(defined) if name in _TABLES or kind in ("trigger", "view")
    )


def _words(sql: str) -> list[str]:
    return _WORD.findall(sql.upper())


def is_virtual(sql: str) -> bool:
    """Whether a table's rows are made by a program."""
    return " ".join(sql.upper().split()).startswith("CREATE VIRTUAL")
