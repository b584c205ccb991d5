"""Pictures of the workbench: a changed program, a query, repairs by rule, and the question for a reason."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.tui.app import ReviewerApp
from reviewer.tui.screens import workbench
from reviewer.tui.workbench import background
from store.database import Database
from tests.prolog import need_prolog
from tests.studies import a_case, fill
from tests.tui.picturing import Compare, after, each_pictured

pytestmark = pytest.mark.usefixtures("steady_cursor")

_OPEN = ("l", "down", "E")
_FACT = (*"tested", "left_parenthesis", *"option", "underscore", "B", "right_parenthesis", "full_stop")
_CHANGED = (*_OPEN, "shift+tab", "down", "end", "enter", *_FACT)
KEYS = {
    "opened": _OPEN,
    "changed": _CHANGED,
    "query": (*_OPEN, "f5", *"best", "left_parenthesis", "X", "right_parenthesis", "enter"),
    "rules": (*_OPEN, "f3"),
    "reason": (*_CHANGED, "ctrl+s"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_prolog()
    path = tmp_path_factory.mktemp("pictured") / "reviewer.db"
    with closing(Database.open(str(path))) as database:
        fill(database, "one", [a_case(0)])
    return path


@pytest.fixture
def database(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A copy, under a name that is the same everywhere; every run takes no time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(workbench, "AFTER_KEY_SECONDS", 0.001)
    monkeypatch.setattr(background, "perf_counter", lambda: 0.0)
    shutil.copy(built, "reviewer.db")
    with closing(Database.open("reviewer.db")) as opened:
        yield opened


@each_pictured("keys", KEYS, wide_only=("changed", "query"), small_only=("opened", "reason"))
def test_workbench(
    database: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    app = ReviewerApp(database, "dora")
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))
