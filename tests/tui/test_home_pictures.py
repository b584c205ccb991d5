"""Pictures of home: with nothing in the store, with much, and of the forms that open over it.

After a change that is meant, make them anew with ``pytest --snapshot-update``, and look at them.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.settings import Settings
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.studies import a_case, fill
from tests.tui.conftest import Opened
from tests.tui.picturing import Compare, after, pictured


@pytest.mark.parametrize("datasets", [0, 1], ids=["nothing", "no-study"])
@pictured
def test_empty(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    snap_compare: Compare,
    datasets: int,
    size: tuple[int, int],
    theme: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    database = Database.open("reviewer.db")
    if datasets:
        fill(database, "first-run", [a_case(0), a_case(1)])
    app = ReviewerApp(database, "anna", settings=Settings(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=after())


KEYS = {
    "open": (),
    "finished": ("down",),
    "closed": ("down", "down"),
    "sheet": ("question_mark",),
    "refused": ("a",),
    "exported": ("down", "e"),
    "import": ("i",),
    "import-wrong": ("i", *"nope", "ctrl+s"),
    "name": ("r",),
    "new-study": ("n",),
    "new-study-wrong": ("n", *"spring", "ctrl+s"),
    "close": ("c",),
    "reopen": ("down", "down", "c"),
}


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
@pictured
def test_home(
    pictured_store: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int], theme: str
) -> None:
    app = ReviewerApp(pictured_store, "anna", settings=Settings(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))


@pytest.mark.parametrize("seconds", [60, 0], ids=["waiting", "given-up"])
@pictured
def test_busy(
    pictured_store: Database,
    monkeypatch: pytest.MonkeyPatch,
    snap_compare: Compare,
    seconds: float,
    size: tuple[int, int],
    theme: str,
) -> None:
    monkeypatch.setattr("reviewer.tui.screens.store_retry.WAITS_SECONDS", seconds)
    app = ReviewerApp(pictured_store, "anna", settings=Settings(theme=theme))
    with closing(sqlite3.connect("reviewer.db", isolation_level=None)) as other:

        async def close_while_locked(pilot: Opened) -> None:
            await after("c")(pilot)
            other.execute("BEGIN IMMEDIATE")
            await after("ctrl+s")(pilot)

        assert snap_compare(app, terminal_size=size, run_before=close_while_locked)
