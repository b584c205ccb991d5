"""The overview of a store's file, read with the standard library while SQLAlchemy is not loaded yet.

It is a file that ``deferred_database`` found to be a current store. What cannot be read here as it should be
is read by the opened store, which reports the error.
"""

import json
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from store.overview import Ask, StoreOverview, StudyHeader, change_marks, counted_studies, summaries

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
