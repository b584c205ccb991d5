"""Pictures of the screens; the README shows one of them, so it cannot show what is no longer so.

After a change that is meant, make them anew with ``pytest --snapshot-update``, and look at them.
"""

from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Protocol

import pytest

from reviewer.core.settings import Settings
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.study.design.sampling import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from store.database import Database


class Compare(Protocol):
    """The fixture of pytest-textual-snapshot."""

    def __call__(
        self, app: ReviewerApp, *, press: tuple[str, ...] = (), terminal_size: tuple[int, int]
    ) -> bool: ...


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


SIZES = {"wide": (160, 48), "small": (80, 24)}
THEMES = {"dark": "reviewer-dark", "light": "reviewer-light"}
REVIEW = {"open": "n", "saved": "t", "keys": "question_mark", "comment": "c"}


def test_readme_picture(half_done: Database, snap_compare: Compare) -> None:
    app = ReviewerApp(half_done, "anna", "seeds-demo")
    assert snap_compare(app, press=("t",), terminal_size=(150, 44))


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("key", REVIEW.values(), ids=REVIEW)
def test_review(
    half_done: Database, snap_compare: Compare, key: str, size: tuple[int, int], theme: str
) -> None:
    app = ReviewerApp(half_done, "anna", "seeds-demo", Settings(theme=theme))
    assert snap_compare(app, press=(key,), terminal_size=size)
