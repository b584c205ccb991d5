"""Pictures of the screens; the README shows one of them, so it cannot show what is no longer so.

After a change that is meant, make them again with ``pytest --snapshot-update``, and look at them.
"""

from importlib.resources import files
from itertools import count
from pathlib import Path

import pytest

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.study.design.sampling import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.picturing import Compare, after, pictured


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """The seed dilemmas as the demo has them, under a name that is the same everywhere."""
    monkeypatch.chdir(tmp_path)
    database = Database.open("demo.db")
    import_path(database, Path(str(files("seeds") / "probe_swe")), "seeds")
    create_study(database, "seeds-demo", Design(("seeds",), None, 1, raters=("anna", "ben")))
    return database


@pytest.fixture
def half_done(database: Database) -> Database:
    """The same, with 17 answers of 20 seconds each."""
    seconds = count(step=20.0)
    session = ReviewSession(database, "seeds-demo", "anna", stopwatch=lambda: next(seconds))
    for _ in range(17):
        session.answer("True")
    return database


REVIEW = {"open": "n", "saved": "t", "keys": "question_mark"}


def test_readme_picture(half_done: Database, snap_compare: Compare) -> None:
    app = ReviewerApp(half_done, "anna", "seeds-demo")
    assert snap_compare(app, terminal_size=(150, 44), run_before=after("t"))


@pictured
@pytest.mark.parametrize("key", REVIEW.values(), ids=REVIEW)
def test_review(half_done: Database, snap_compare: Compare, key: str, size: tuple[int, int]) -> None:
    app = ReviewerApp(half_done, "anna", "seeds-demo")
    assert snap_compare(app, terminal_size=size, run_before=after(key))
