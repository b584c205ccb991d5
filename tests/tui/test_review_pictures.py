"""Pictures of the screens that a rater meets in a study; one smaller still, one without colour."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.pictured_review import build
from tests.tui.picturing import SIZES, Compare, after, each_pictured, pictured, with_a_card

pytestmark = pytest.mark.usefixtures("steady_cursor")

ASKED = {
    "second-look": ("second-look", "t"),
    "reconstruction": ("second-look", "n"),
    "axioms": ("second-look", "n n"),
    "why-both": ("by-case", "f t r"),
    "training": ("trained", "t"),
    "finished": ("finished", ""),
    "swapped": ("swapped", ""),
}
"""What a study may ask for: study, keys."""
LOOKED = {
    "remarked": ("b", "b"),
    "comment-tied": ("d c H m", "d c H m"),
    "jump": ("w", "w"),
    "found": ("slash o p t i o n enter m", "slash o p t i o n enter m"),
    "finder-typed": ("ctrl+p c a s e", "ctrl+p c a s e"),
    "filters": ("i", "i"),
    "linked": ("w f l", "w f l"),
    "derivation": ("b b R R w l e", "b b R R w h e"),
    "zoomed": ("w f z", "w f"),
    "folded": ("p", "w d"),
}
"""What a rater does in a study of the usual kind, half done: keys where it is wide, and where it is small."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pictured") / "reviewer.db"
    build(path)
    return path


@pytest.fixture
def database(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A copy, under a name that is the same everywhere."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(built, "reviewer.db")
    with closing(Database.open("reviewer.db")) as opened:
        yield opened


@each_pictured("asked", ASKED, wide_only=("reconstruction", "swapped", "finished"))
def test_asked(
    database: Database, snap_compare: Compare, asked: tuple[str, str], size: tuple[int, int]
) -> None:
    study, keys = asked
    app = ReviewerApp(database, "anna", study)
    assert snap_compare(app, terminal_size=size, run_before=after(*keys.split()))


@each_pictured("keys", LOOKED, wide_only=("jump", "filters", "found"), small_only=("finder-typed", "linked"))
def test_looked(
    database: Database, snap_compare: Compare, keys: tuple[str, str], size: tuple[int, int]
) -> None:
    app = ReviewerApp(database, "anna", "seeds-demo")
    pressed = keys[size != SIZES["wide"]].split()
    assert snap_compare(app, terminal_size=size, run_before=after(*pressed))


@pictured
def test_briefing(database: Database, snap_compare: Compare, size: tuple[int, int]) -> None:
    app = ReviewerApp(database, "ben", "seeds-demo")
    assert snap_compare(app, terminal_size=size, run_before=with_a_card)


RETURNED = {"revealed": "b b R R", "in-words": "b b R R W"}
"""What a rater sees of a case that they answered before: keys."""


@each_pictured("keys", RETURNED, wide_only=("in-words",))
def test_returned(database: Database, snap_compare: Compare, keys: str, size: tuple[int, int]) -> None:
    app = ReviewerApp(database, "anna", "seeds-demo")
    assert snap_compare(app, terminal_size=size, run_before=after(*keys.split()))


def test_manual(database: Database, snap_compare: Compare) -> None:
    app = ReviewerApp(database, "anna", "seeds-demo")
    assert snap_compare(app, terminal_size=SIZES["wide"], run_before=after("f1"))


def test_a_terminal_that_is_smaller_still(database: Database, snap_compare: Compare) -> None:
    app = ReviewerApp(database, "anna", "seeds-demo")
    assert snap_compare(app, terminal_size=(60, 20), run_before=after("b"))


def test_without_colour(database: Database, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = ReviewerApp(database, "anna", "second-look")
    assert snap_compare(app, terminal_size=SIZES["wide"], run_before=after("t"))


def test_a_busy_store(database: Database, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.lock_timeout.USUAL_MS", 20)
    monkeypatch.setattr("reviewer.tui.screens.store_retry.WAITS_SECONDS", 0)
    app = ReviewerApp(database, "anna", "seeds-demo")
    with closing(sqlite3.connect(database.location, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert snap_compare(app, terminal_size=SIZES["small"], run_before=after("t"))
