"""Pictures of the screens; the README shows one of them, so it cannot become outdated.

After a change that is meant, make them again with ``pytest --snapshot-update``, and look at them.
"""

import shutil
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from itertools import count
from pathlib import Path

import pytest

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.picturing import Compare, after, each_pictured


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The seed dilemmas as the demo has them, with 17 answers of 20 seconds each."""
    path = tmp_path_factory.mktemp("half-done") / "demo.db"
    with closing(Database.open(str(path))) as database:
        import_path(database, Path(str(files("seeds") / "probe_swe")), "seeds")
        create_study(database, "seeds-demo", Design(("seeds",), None, 1, raters=("anna", "ben")))
        seconds = count(step=20.0)
        session = ReviewSession(database, "seeds-demo", "anna", stopwatch=lambda: next(seconds))
        for _ in range(17):
            session.answer("True")
    return path


@pytest.fixture
def half_done(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A copy, under a name that is the same everywhere."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(built, "demo.db")
    with closing(Database.open("demo.db")) as opened:
        yield opened


REVIEW = {"open": "n", "saved": "t", "keys": "question_mark"}
"""Keys; the picture of the README shows the saved answer where it is wide."""


def test_readme_picture(half_done: Database, snap_compare: Compare) -> None:
    app = ReviewerApp(half_done, "anna", "seeds-demo")
    assert snap_compare(app, terminal_size=(150, 44), run_before=after("t"))


@each_pictured("key", REVIEW, wide_only=("open",), small_only=("saved",))
def test_review(half_done: Database, snap_compare: Compare, key: str, size: tuple[int, int]) -> None:
    app = ReviewerApp(half_done, "anna", "seeds-demo")
    assert snap_compare(app, terminal_size=size, run_before=after(key))
