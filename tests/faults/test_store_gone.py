"""The store goes away under the running app: it says so, takes nothing more, and offers another file."""

import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.packs.store_files import merge_file
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.studies import a_study, open_store
from tests.terminal import PATIENCE, Terminal

CASES = 12


def log(store: Path) -> Path:
    return store.with_name(store.name + "-wal")


def moved_over(path: Path) -> None:
    other = path.with_name("other")
    shutil.copyfile(path, other)
    other.replace(path)


def replaced_with_all_beside(path: Path) -> None:
    """What ``git clean`` and a checkout do: all files go, and another store stands there."""
    for file in list(path.parent.glob(path.name + "*")):
        file.unlink()
    with closing(Database.open(str(path))) as other:
        a_study(other, "another", cases=2)


VANDALS: dict[str, Callable[[Path], object]] = {
    "file deleted": Path.unlink,
    "file moved": lambda path: path.rename(path.with_name("elsewhere.db")),
    "file moved over": moved_over,
    "file cut": lambda path: os.truncate(path, 0),
    "all replaced": replaced_with_all_beside,
    "log deleted": lambda path: log(path).unlink(),
    "log cut": lambda path: os.truncate(log(path), 0),
    "log moved over": lambda path: moved_over(log(path)),
    "folder moved": lambda path: path.parent.rename(path.parent.with_name("elsewhere")),
}
USUAL = ("file moved over", "log deleted")
"""What is tried in every run of the tests; the others are slow tests."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a store, and a copy of the store as it was made."""
    folder = tmp_path / "work"
    folder.mkdir()
    with closing(open_store(folder)) as database:
        a_study(database, cases=CASES)
    shutil.copy(folder / "reviewer.db", tmp_path / "copy.db")
    return folder


def review(store: Path) -> Terminal:
    command = ["review", "pilot", "--rater", "anna", "--store", str(store)]
    return Terminal(command, 160, 40, forked=True)


def answers_in(file: Path) -> list[str | None]:
    """What a copy of this one file holds, without what stands beside it."""
    with closing(sqlite3.connect(shutil.copy(file, file.with_name("alone.db")))) as alone:
        return [row[0] for row in alone.execute("SELECT value FROM events WHERE kind = 'label' ORDER BY id")]


@pytest.mark.parametrize(
    ("vandal", "linked"),
    [
        *(pytest.param(name, False, marks=() if name in USUAL else pytest.mark.slow) for name in VANDALS),
        *(pytest.param(name, True, marks=pytest.mark.slow) for name in ("file deleted", "log deleted")),
    ],
)
def test_nothing_is_called_saved_and_the_answers_go_to_a_new_file(
    folder: Path, tmp_path: Path, vandal: str, linked: bool
) -> None:
    store, rescued = folder / "reviewer.db", tmp_path / "rescued.db"
    given = store
    if linked:
        given = tmp_path / "link.db"
        given.symlink_to(store)
    with review(given) as terminal:
        terminal.begin()
        terminal.wait_for("case 1 of")
        for number, key in enumerate("tf", start=1):
            terminal.press(key)
            terminal.wait_for("✓ saved", f"{number} of {4 * CASES} done")
        VANDALS[vandal](store)
        terminal.press("t")
        screen = terminal.wait_for("the store is gone", "Write the file")
        assert f"2 of {4 * CASES} done" in screen
        assert "✓ saved" not in screen
        terminal.press("\x1b")
        terminal.wait_for("✗ not saved", "was moved or deleted")
        terminal.press("t")
        terminal.wait_for("the store is gone", "Write the file")
        terminal.press("\x15")
        wait_until(lambda: terminal.read(0.05) is not None and "rescued-anna" not in terminal.text)
        terminal.press(str(rescued) + "\r")
        terminal.wait_for(f"holds 2 of {4 * CASES} answers", "reviewer merge")
        terminal.press("\x11")
        assert terminal.wait_for_end() == 0
    assert answers_in(rescued) == ["True", "False"]
    with closing(Database.open(str(tmp_path / "copy.db"))) as lead:
        assert [merged.added for merged in merge_file(lead, rescued, trusted=True)] == [2]
    with closing(Database.open(str(rescued))) as again:
        assert ReviewSession(again, "pilot", "anna").done_count == 2


# -- one file is one file --------------------------------------------------------------------------


def wait_until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.05)


def test_an_idle_app_leaves_all_answers_in_the_one_file(folder: Path) -> None:
    store = folder / "reviewer.db"
    with review(store) as terminal:
        terminal.begin()
        terminal.wait_for("case 1 of")
        for number, key in enumerate("tf", start=1):
            terminal.press(key)
            terminal.wait_for(f"{number} of {4 * CASES} done")
        wait_until(lambda: terminal.read(0.05) is not None and log(store).stat().st_size == 0)
        assert answers_in(store) == ["True", "False"]
        terminal.process.kill()


def test_a_busy_rater_is_never_many_answers_ahead_of_the_file(folder: Path) -> None:
    store = folder / "reviewer.db"
    with closing(Database.open(str(store))) as database:
        session = ReviewSession(database, "pilot", "anna")
        for number in range(1, 41):
            session.answer("True")
            assert number - len(answers_in(store)) < 8


@pytest.mark.parametrize("way_out", ["\x11", signal.SIGTERM, signal.SIGHUP])
def test_every_way_out_leaves_all_answers_in_the_one_file(
    folder: Path, way_out: str | signal.Signals
) -> None:
    """Also where another program has the store open, so that ending is not the last closing."""
    store = folder / "reviewer.db"
    with closing(Database.open(str(store))) as other, review(store) as terminal:
        Ledger(other).events("pilot")
        terminal.begin()
        terminal.wait_for("case 1 of")
        terminal.press("t")
        terminal.wait_for(f"1 of {4 * CASES} done")
        if isinstance(way_out, str):
            terminal.press(way_out)
        else:
            terminal.process.send_signal(way_out)
        code = terminal.wait_for_end()
        assert code == (0 if isinstance(way_out, str) else -way_out)
        assert answers_in(store) == ["True"]


def test_another_programs_writes_are_brought_in_by_an_idle_app(folder: Path) -> None:
    store = folder / "reviewer.db"
    with review(store) as terminal:
        terminal.begin()
        terminal.wait_for("case 1 of")
        with closing(Database.open(str(store))) as other:
            ReviewSession(other, "pilot", "ben").answer("True")
            other._file = None  # it ends without bringing in anything
            wait_until(lambda: terminal.read(0.05) is not None and answers_in(store) == ["True"])
        terminal.process.kill()
