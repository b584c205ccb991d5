"""Changing a store behind the program's back, and what `store check` says then."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from reviewer.study.integrity.store_check import StoreCheck, check_store
from store.untrusted_store import untrusted_store


def check(path: Path) -> StoreCheck:
    with untrusted_store(path, own=True) as file:
        return check_store(file)


def told(path: Path) -> list[str]:
    return [f"{fault.where} {fault.wrong}" for fault in check(path).faults]


def attack(path: Path, *statements: str) -> None:
    """What somebody does who takes the triggers away and puts them back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)


def single_changes(path: Path) -> Iterator[tuple[str, str]]:
    """What is changed, and how: one value of each column of each table, and its first and its last row."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute(ALL_TABLES)]
        for table in tables:
            at = f'WHERE rowid = (SELECT min(rowid) FROM "{table}")'
            names = [column[1] for column in connection.execute(f'PRAGMA table_info("{table}")')]
            row = connection.execute(f'SELECT * FROM "{table}" {at}').fetchone()
            for name, value in zip(names, row or (), strict=False):
                yield f"{table}.{name}", f'UPDATE "{table}" SET "{name}" = {_as_sql(_other(value))} {at}'
            if row:
                yield f"{table}, first row", f'DELETE FROM "{table}" {at}'
                yield f"{table}, last row", f'DELETE FROM "{table}" {at.replace("min", "max")}'


ALL_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
    "AND name NOT LIKE 'case_words%'"
)
_A_TIME = "2001-01-01T00:00:00.000Z"


def _other(value: Any) -> Any:
    """Another value that can be read as the first one can."""
    if isinstance(value, int | float):
        return value + 1_000
    if value is None or (value.endswith("Z") and len(value) == len(_A_TIME)):
        return _A_TIME
    try:
        return json.dumps(_other_part(json.loads(value)))
    except ValueError:
        return value[:-1] + ("1" if value.endswith("0") else "0")


def _other_part(value: Any) -> Any:
    """The JSON value with its first part changed."""
    match value:
        case dict() if value:
            first = next(iter(value))
            return {**value, first: _other_part(value[first])}
        case list() if value:
            return [_other_part(value[0]), *value[1:]]
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}0"
    return ["0"] if isinstance(value, list) else {"a": "0"}


def _as_sql(value: Any) -> str:
    return str(value) if isinstance(value, int | float) else "'" + value.replace("'", "''") + "'"
