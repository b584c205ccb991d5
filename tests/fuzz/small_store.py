"""A small store that has something for every command: cases, a study with answers, calls, findings."""

from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.studies import BIASES, a_case, a_study, fill

DATASET = "pilot-data"
STUDY = "pilot"
RATERS = ("anna", "ben", "zoe")


def small_store(folder: Path) -> Path:
    """A store with one study, whose first two raters answered everything but a little."""
    path = folder / "small.db"
    path.write_bytes(_content())
    return path


@cache
def _content() -> bytes:
    """The file, which is made once in a process."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "small.db"
        with closing(Database.open(str(path))) as database:
            _fill(database)
        return path.read_bytes()


def _fill(database: Database) -> None:
    fill(database, "one", [a_case(number, bias) for number, bias in enumerate(BIASES[:4])])
    a_study(database, STUDY, 3)
    for rater in RATERS[:2]:
        session = ReviewSession(database, STUDY, rater)
        while not session.finished:
            session.answer("False" if rater == "ben" and session.position == 3 else "True")
    session = ReviewSession(database, STUDY, RATERS[2])
    session.answer("True")
