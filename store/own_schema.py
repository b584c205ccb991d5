"""The tables, indexes and triggers that a store's file may define."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from store.append_only import own_triggers
from store.searching import OWN_TABLES as SEARCHED
from store.searching import OWN_TRIGGERS as SEARCHING

Defined = Mapping[str, tuple[str, str]]
"""Name → (kind, SQL) of everything that a file defines."""

NEW_FILE = Path(__file__).parent / "migrations" / "new_file.sql"
SCHEMA = NEW_FILE.read_text(encoding="utf-8")
"""Everything that all migrations leave in an empty file, except the index of words (a test compares them)."""


def _named(kind: str) -> frozenset[str]:
    """The names of all tables or indexes. They are read here, so that few tables need to load."""
    return frozenset(re.findall(rf'^CREATE {kind} "?(\w+)', SCHEMA, re.MULTILINE))


OWN_TABLES = _named("TABLE")
_INDEXES = _named("INDEX")
_INDEX = re.compile(r'CREATE (UNIQUE )?INDEX "?\w+"? ON "?\w+"? \([\w", ]+\)', re.IGNORECASE)
_WORD = re.compile(r"\w+")
_IN_NONE = frozenset(
    ("AS", "CASCADE", "COLLATE", "CONFLICT", "DELETE", "OID", "ROWID", "UPDATE", "WITHOUT", "_ROWID_")
)
"""Words that our tables never use: rules that silently drop, replace, compute or renumber rows."""


def not_ours(defined: Defined) -> Iterator[tuple[str, str]]:
    """The kind and the name of everything that is not defined as in our releases."""
    triggers = own_triggers()
    for name, (kind, sql) in defined.items():
        if kind == "table":
            ours = name in OWN_TABLES and not is_virtual(sql) and _IN_NONE.isdisjoint(_words(sql))
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
    """Those that affect our rows: triggers, views, and our tables if they were made with other rules."""
    return (
        (kind, name) for kind, name in not_ours(defined) if name in OWN_TABLES or kind in ("trigger", "view")
    )


def _words(sql: str) -> list[str]:
    return _WORD.findall(sql.upper())


def is_virtual(sql: str) -> bool:
    """Whether a table is virtual, so that a program makes its rows."""
    return " ".join(sql.upper().split()).startswith("CREATE VIRTUAL")
