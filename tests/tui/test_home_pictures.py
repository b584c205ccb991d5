"""Pictures of home: with nothing in the store, with much, and of the forms that open over it.

After a change that is meant, make them again with ``pytest --snapshot-update``, and look at them.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.conftest import Opened
from tests.tui.picturing import SIZES, Compare, after, each_pictured, pictured


@pictured
def test_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snap_compare: Compare, size: tuple[int, int]
) -> None:
    monkeypatch.chdir(tmp_path)
    app = ReviewerApp(Database.open("reviewer.db"), "anna")
    assert snap_compare(app, terminal_size=size, run_before=after())


KEYS = {
    "open": (),
    "sheet": ("question_mark",),
    "import": ("i",),
    "name": ("r",),
    "new-study": ("n",),
    "new-study-wrong": ("n", *"spring", "ctrl+s"),
    "close": ("c",),
}


@each_pictured(
    "keys", KEYS, wide_only=("new-study", "sheet", "name", "close"), small_only=("new-study-wrong",)
)
def test_home(
    pictured_store: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    app = ReviewerApp(pictured_store, "anna")
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))


def test_busy(pictured_store: Database, snap_compare: Compare) -> None:
    app = ReviewerApp(pictured_store, "maria")
    with closing(sqlite3.connect("reviewer.db", isolation_level=None)) as other:

        async def close_while_locked(pilot: Opened) -> None:
            await after("c")(pilot)
            other.execute("BEGIN IMMEDIATE")
            await after("ctrl+s")(pilot)

        assert snap_compare(app, terminal_size=SIZES["small"], run_before=close_while_locked)
