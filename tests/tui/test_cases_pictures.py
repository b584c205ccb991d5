"""Pictures of looking cases up: all, some of them, one that is read, none."""

import shutil
from pathlib import Path

import pytest

from reviewer.core.settings import Settings
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.pictured_store import build
from tests.tui.picturing import Compare, after, pictured


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pictured") / "reviewer.db"
    build(path)
    return path


@pytest.fixture
def database(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A copy, under a name that is the same everywhere."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(built, "reviewer.db")
    return Database.open("reviewer.db")


_SEEDS_ONLY = ("down", "i", "end", "enter")
KEYS = {
    "all": (),
    "found": (*"ticket", "enter"),
    "read": (*_SEEDS_ONLY, "enter", "pagedown"),
    "none": (*_SEEDS_ONLY, "slash", *"zebra"),
    "choose": ("down", "i"),
}


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
@pictured
def test_cases(
    database: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int], theme: str
) -> None:
    app = ReviewerApp(database, "anna", settings=Settings(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=after("l", *keys))
