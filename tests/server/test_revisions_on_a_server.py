"""Revisions on a server: kept as in a file, and out of reach for raters' users."""

from collections.abc import Callable

import psycopg
import pytest

from reviewer.core.errors import StoreError
from reviewer.runs.repair.revise import read_place, revise, withdraw
from reviewer.study.session.content_rights import why_not_change
from store.copying import copy_store
from store.database import Database
from store.revisions import histories
from store.todos import add_todo, finish_todo
from tests.postgres import Server
from tests.studies import a_case, fill

KEY = "anchoring bias/0"
Opener = Callable[[str], Database]


def revised(database: Database) -> None:
    """A dataset with a repaired case, a withdrawn one, and something to do."""
    fill(database, "first", [a_case(number) for number in range(2)])
    for key in (KEY, "anchoring bias/1"):
        said = {"expected": read_place(database, "first", key).parent, "author": "maria", "reason": "clearer"}
        if key == KEY:
            revise(database, "first", key, a_case(10), **said)  # type: ignore[arg-type]
        else:
            withdraw(database, "first", key, **said)
    todo = add_todo(database, "first", KEY, note="ask", name="tom", by="maria")
    finish_todo(database, "first", todo.id, "tom")


def test_a_server_keeps_revisions_and_refuses_changes(
    server_url: str, server: Server, opened: Opener, tmp_path_factory: pytest.TempPathFactory
) -> None:
    database = opened(server_url)
    revised(database)
    assert read_place(database, "first", KEY).case == a_case(10)
    for deed in ("UPDATE revisions SET reason = 'x'", "DELETE FROM revisions", "TRUNCATE revisions"):
        with pytest.raises(psycopg.Error, match="append-only"):
            server.ask(server_url.rsplit("/", 1)[1], deed)
    copy = opened(str(tmp_path_factory.mktemp("copy") / "store.db"))
    copy_store(database, copy)
    with database.read() as here, copy.read() as there:
        assert histories(here) == histories(there)


def test_a_raters_user_may_neither_read_nor_write_revisions(
    central: Database, as_anna: str, opened: Opener
) -> None:
    revised(central)
    with psycopg.connect(as_anna.replace("+psycopg", "")) as connection:
        for deed in (
            "SELECT 1 FROM revisions",
            "INSERT INTO revisions (id) VALUES ('x')",
            "SELECT 1 FROM todos",
            "SELECT 1 FROM complaints",
        ):
            with pytest.raises(psycopg.Error, match=r"permission denied|does not exist"):
                connection.execute(deed)
            connection.rollback()
    theirs = opened(as_anna)
    assert why_not_change(theirs, "first", "maria") == (
        "Your database user is a rater; only the owner of the store can change cases."
    )
    with pytest.raises(StoreError):
        withdraw(theirs, "first", KEY, expected="0" * 64, author="maria", reason="x")
