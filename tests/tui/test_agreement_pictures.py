"""Pictures of agreement, its disagreements, and of disputes that are all decided."""

import shutil
from pathlib import Path

import pytest

from reviewer.core.settings import Settings
from reviewer.study.adjudication import AdjudicationSession
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.pictured_store import DONE, build
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


KEYS = {
    "map": (),
    "undefined": ("down",),
    "coefficients": ("v",),
    "pass-rates": ("v", "v"),
    "raters": ("v", "v", "v", "s"),
    "disagreements": ("enter",),
    "verdicts": ("enter", "enter"),
}


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
@pictured
def test_agreement(
    database: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int], theme: str
) -> None:
    app = ReviewerApp(database, "anna", settings=Settings(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=after("down", "a", *keys))


@pictured
def test_all_disputes_decided(
    database: Database, snap_compare: Compare, size: tuple[int, int], theme: str
) -> None:
    session = AdjudicationSession(database, DONE, "zoe")
    while session.next_open():
        session.decide("True", "The cue is in the biased version only.")
    app = ReviewerApp(database, "zoe", DONE, Settings(theme=theme), adjudicating=True)
    assert snap_compare(app, terminal_size=size, run_before=after())
