"""Pictures of home: with nothing in the store, with much, and of the forms that open over it.

After a change that is meant, make them anew with ``pytest --snapshot-update``, and look at them.
"""

import shutil
from pathlib import Path

import pytest

from reviewer.core.settings import Settings
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.studies import a_case, fill
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
    database: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int], theme: str
) -> None:
    app = ReviewerApp(database, "anna", settings=Settings(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))
