"""The tables, indexes and triggers that a store's file may define."""

import re
from collections.abc import Iterator, Mapping

from store.append_only import own_triggers
from store.searching import OWN_TABLES as SEARCHED
from store.searching import OWN_TRIGGERS as SEARCHING

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


def not_ours(defined: Defined) -> Iterator[tuple[str, str]]:
    """The kind and the name of everything that is not defined as in our releases."""
    triggers = own_triggers()
    for name, (kind, sql) in defined.items():
        if kind == "table":
            ours = name in OWN_TABLES and not is_virtual(sql) and _IN_NONE.isdisjoint(_words(sql))
            ours = ours or name in SEARCHED or name.startswith("sqlite_")
        elif kind == "index":
            ours = not sql or (name in OWN_INDEXES and _INDEX.fullmatch(" ".join(sql.split())) is not None)
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
    return _VIRTUAL.match(sql) is not None
