"""A store that is opened at its first use, since loading SQLAlchemy takes longer than showing the app.

Until then its overview is read with the standard library. What cannot be read so is read by the opened store,
which reports the error.
"""

import json
import os
import re
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from store.append_only import OWN_TRIGGERS
from store.location import is_server, path_of, url_of
from store.migrations import HEAD
from store.overview import Ask, StoreOverview, StudyHeader, change_marks, counted_studies, summaries

if TYPE_CHECKING:
    from store.database import Database


_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_LONGEST_NAME = 64
_VIEWS = ("full", "paper")


def first_overview(path: Path) -> StoreOverview | None:
    """What the opened store would read, in one consistent state; None if in doubt."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)) as file:
            file.execute("PRAGMA trusted_schema=OFF")
            file.execute("BEGIN")
            return _overview(file.execute)
    except (OSError, ValueError, TypeError, RecursionError, sqlite3.Error):
        return None


def _overview(ask: Ask) -> StoreOverview:
    """Raises ValueError or TypeError for a row that a record would refuse."""
    marks = change_marks(ask)
    studies = [_header(*row) for row in ask(_STUDIES, {})]
    datasets = [_dataset(*row) for row in ask(_DATASETS, {})]
    return StoreOverview(marks, counted_studies(ask, studies), summaries(ask, datasets))


def _header(
    name: str,
    protocol: str,
    seed: int,
    view: str,
    design: str,
    questions: str,
    created: str,
    closed: str | None,
) -> StudyHeader:
    asked = json.loads(questions)
    header = StudyHeader(name, protocol, seed, view, json.loads(design), asked, created, closed)
    sound = _is_name(name) and isinstance(protocol, str) and type(seed) is int and view in _VIEWS
    sound &= isinstance(header.design, dict) and isinstance(asked, list)
    sound &= all(isinstance(question, Mapping) for question in asked)
    if not (sound and _is_instant(created) and (closed is None or _is_instant(closed))):
        raise ValueError(name)
    return header


def _dataset(name: str, protocol: str, source: str, imported: str) -> tuple[str, str, str]:
    if not (_is_name(name) and isinstance(protocol, str) and isinstance(source, str)):
        raise TypeError(name)
    if not _is_instant(imported):
        raise ValueError(imported)
    return name, protocol, source


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= _LONGEST_NAME


def _is_instant(value: Any) -> bool:
    return isinstance(value, str) and _INSTANT.fullmatch(value) is not None


_STUDIES = """
SELECT name, protocol, seed, view, design, questions, created_at, closed_at
FROM studies ORDER BY created_at, name
"""
_DATASETS = "SELECT name, protocol, source, imported_at FROM datasets ORDER BY name"


_SEARCHING = "cases_are_searched"
"""The trigger of the search index, which a file has if SQLite could make one."""


def opened_by_use(location: str, protocols: Mapping[str, Any] | None) -> "Database | None":
    """A current store in a file, which its first use opens; None for all others. Raises StoreError."""
    if is_server(location) or not _is_current(path := path_of(location, url_of(location))):
        return None
    # It has all that a Database has, and answers for one.
    return cast("Database", _DeferredDatabase(location, str(path), protocols))


class _DeferredDatabase:
    """Knows the store's name; everything else comes from the opened store."""

    def __init__(self, opened_with: str, location: str, protocols: Mapping[str, Any] | None) -> None:
        self.opened_with, self.location, self.protocols = opened_with, location, protocols
        self._database: Database | None = None
        self._opening = threading.Lock()

    def overview(self) -> "StoreOverview":
        """As the opened store reads it, without opening it where the file can be read as it should be."""
        first_look = first_overview(Path(self.location)) if self._database is None else None
        return first_look or self._opened().overview()

    def settle(self, *, idle_seconds: float = 0.0) -> None:
        """Settle the store, if it was opened."""
        if self._database is not None:
            self._database.settle(idle_seconds=idle_seconds)

    def close(self) -> None:
        """Close the store, if it was opened."""
        if self._database is not None:
            self._database.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opened(), name)

    def _opened(self) -> "Database":
        with self._opening:
            if self._database is None:
                from store.database import Database

                self._database = Database.open(self.opened_with, must_exist=True, protocols=self.protocols)
        return self._database


def _is_current(path: Path) -> bool:
    """Whether a file is a store of this release that only has to be opened; False if in doubt."""
    try:
        if not (path.is_file() and os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK)):
            return False
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            acting = "SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view')"
            names = {str(name) for (name,) in connection.execute(acting)}
    except (OSError, ValueError, TypeError, sqlite3.Error):
        return False
    return revision == HEAD and OWN_TRIGGERS <= names <= OWN_TRIGGERS | {_SEARCHING}
