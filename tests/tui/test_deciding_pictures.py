"""Pictures of deciding and comparing."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.picturing import Compare, after, each_pictured

STUDY = "seeds-demo"
SAID = {
    ("anna", 1): "The remark is about earlier importers; options and rules are word for word the same.",
    ("ben", 1): "That the tests always passed is evidence, and the neutral version lacks it.",
    ("ben", 6): "x([red]) :- [bold]. decides nothing here.",
    ("cara", 6): "Both are fine by me, but see [the last rule].",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three raters have answered all about the seed dilemmas; ben and cara dissent here and there.

    The study is closed; one dispute is decided, one put off.
    """
    path = tmp_path_factory.mktemp("decided") / "demo.db"
    with closing(Database.open(str(path))) as database:
        import_path(database, Path(str(files("seeds") / "probe_swe")), "seeds")
        create_study(database, STUDY, Design(("seeds",), None, 1, raters=("anna", "ben", "cara")))
        for rater in ("anna", "ben", "cara"):
            _answer(ReviewSession(database, STUDY, rater), rater)
        close_study(database, STUDY, "lead")
        session = AdjudicationSession(database, STUDY, "zoe")
        why = "Tests of other importers say nothing of this one, but a reader may take them for a fact."
        session.decide("False", why)
        session.next_open()
        session.put_off()
    return path


def _answer(session: ReviewSession, rater: str) -> None:
    places = [place.case for place in session.bundle.sample]
    while not session.finished:
        number = places.index(session.slot.case)
        dissents = (rater == "ben" and number % 5 == 1) or (rater == "cara" and number == 6)
        if (rater, number) in SAID:
            session.comment(SAID[rater, number])
        if dissents and number == 6:
            session.flag()
        session.answer("False" if dissents else "True")


@pytest.fixture
def decided(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A copy, under a name that is the same everywhere."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(built, "demo.db")
    with closing(Database.open("demo.db")) as opened:
        yield opened


DISPUTES = {"queue": (), "reason": ("enter", "f"), "decided": ("home", "enter")}


@each_pictured("keys", DISPUTES, wide_only=("decided",), small_only=("reason",))
def test_disputes(
    decided: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    app = ReviewerApp(decided, "zoe", STUDY, adjudicating=True)
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))


@each_pictured("keys", {"list": ("v",), "case": ("v", "enter")})
def test_own_labels(
    decided: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    assert snap_compare(ReviewerApp(decided, "anna", STUDY), terminal_size=size, run_before=after(*keys))
