"""A store that is opened at its first use, since loading SQLAlchemy takes longer than showing the app."""

import os
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from store.append_only import OWN_TRIGGERS
from store.first_overview import first_overview
from store.location import is_server, path_of, url_of
from store.migrations import HEAD

if TYPE_CHECKING:
    from store.database import Database
    from store.overview import StoreOverview

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
