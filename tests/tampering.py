"""Changing a store behind the program's back, and what `store check` says then."""

import sqlite3
from contextlib import closing
from pathlib import Path

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
        for statement in statements:
            connection.execute(statement)
        for _, sql in triggers:
            connection.execute(sql)
