"""A store that is deleted, moved, cut or replaced while it is open: nothing is called saved after that."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from reviewer.core.errors import StoreGoneError
from reviewer.exchange.packs.pack import write_pack
from reviewer.exchange.packs.store_files import merge_file
from reviewer.study.session.review_session import ReviewSession
from store import sqlite
from store.backup import back_up, copy_file
from store.database import Database
from tests.studies import a_study, open_store

Deed = Callable[[Path], None]


def _replaced(path: Path) -> None:
    """What a sync tool does: write beside it, then rename over it."""
    other = path.with_name("other")
    shutil.copyfile(path, other)
    other.replace(path)


def _other_content(path: Path) -> None:
    """What ``cp`` does: the same file, with other bytes in it."""
    other = Database.open(str(path.with_name("another.db")))
    a_study(other, "another", cases=2)
    other.close()
    path.write_bytes(path.with_name("another.db").read_bytes())


VANDALS: dict[str, Deed] = {
    "deleted": Path.unlink,
    "moved": lambda path: path.rename(path.with_name("elsewhere")) and None,
    "replaced": _replaced,
    "cut": lambda path: os.truncate(path, 0),
    "cut in the middle": lambda path: os.truncate(path, path.stat().st_size // 2),
    "other content": _other_content,
}
LOG_VANDALS = VANDALS | {"other content": lambda path: path.write_bytes(os.urandom(path.stat().st_size))}


def wait_a_tick() -> None:
    """The clock of file systems goes in steps of some milliseconds."""
    time.sleep(0.02)


def log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A store whose log is brought into the file only where a test says so."""
    monkeypatch.setattr("store.database._WRITES_BESIDE", 1_000)
    database = open_store(tmp_path)
    a_study(database, cases=12)
    return database


@pytest.fixture
def session(database: Database) -> ReviewSession:
    session = ReviewSession(database, "pilot", "anna")
    for _ in range(3):
        session.answer("True")
    return session


def refuses_from_now_on(session: ReviewSession) -> None:
    before = session.done_count
    for _ in range(2):
        with pytest.raises(StoreGoneError, match="was moved or deleted"):
            session.answer("True")
    assert session.done_count == before


@pytest.mark.parametrize("settled", [True, False])
@pytest.mark.parametrize("vandal", VANDALS)
def test_a_file_that_is_gone_takes_no_answer(
    session: ReviewSession, tmp_path: Path, vandal: str, settled: bool
) -> None:
    if settled:
        session.database.settle()
    wait_a_tick()
    VANDALS[vandal](tmp_path / "reviewer.db")
    if not settled and vandal in ("cut in the middle", "other content"):
        # The log of so young a store holds every page, so nothing is lost, and saying so would be false.
        session.answer("True")
        back_up(tmp_path / "reviewer.db", tmp_path / "copy.db")
        with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
            assert copy.execute("SELECT count(*) FROM events").fetchone() == (4,)
        return
    refuses_from_now_on(session)


@pytest.mark.parametrize("vandal", LOG_VANDALS)
def test_a_log_that_is_gone_takes_no_answer(session: ReviewSession, tmp_path: Path, vandal: str) -> None:
    LOG_VANDALS[vandal](log(tmp_path / "reviewer.db"))
    refuses_from_now_on(session)


@pytest.mark.parametrize("vandal", VANDALS)
def test_a_pack_that_is_gone_takes_no_answer(database: Database, tmp_path: Path, vandal: str) -> None:
    path = tmp_path / "anna.review"
    write_pack(database, "pilot", "anna", path)
    with closing(Database.open(str(path), must_exist=True)) as pack:
        session = ReviewSession(pack, "pilot", "anna")
        session.answer("True")
        wait_a_tick()
        VANDALS[vandal](path)
        refuses_from_now_on(session)


def test_an_older_copy_of_the_same_store_in_its_place_is_noticed(
    session: ReviewSession, tmp_path: Path
) -> None:
    path = tmp_path / "reviewer.db"
    session.database.settle()
    older = path.read_bytes()
    session.answer("False")
    session.database.settle()
    wait_a_tick()
    path.write_bytes(older)
    refuses_from_now_on(session)


@pytest.mark.parametrize("which", ["file", "log"])
def test_behind_a_link_the_file_itself_is_looked_at(tmp_path: Path, which: str) -> None:
    real, link = tmp_path / "real", tmp_path / "link.db"
    real.mkdir()
    with closing(open_store(real)) as database:
        a_study(database, cases=4)
    link.symlink_to(real / "reviewer.db")
    session = ReviewSession(Database.open(str(link), must_exist=True), "pilot", "anna")
    session.answer("True")
    path = real / "reviewer.db"
    (path if which == "file" else log(path)).unlink()
    refuses_from_now_on(session)


def test_what_took_the_place_of_a_store_is_left_alone(tmp_path: Path) -> None:
    """At the end, SQLite deletes the log by its name: by then it may be another store's."""
    (tmp_path / "other").mkdir()
    with closing(open_store(tmp_path)) as database:
        a_study(database, cases=4)
    code = (
        "from store.database import Database\n"
        "from reviewer.study.session.review_session import ReviewSession\n"
        "from reviewer.core.errors import StoreGoneError\n"
        f"database = Database.open({str(tmp_path / 'reviewer.db')!r})\n"
        "session = ReviewSession(database, 'pilot', 'anna'); session.answer('True')\n"
        "print('ready', flush=True); input()\n"
        "try: session.answer('True')\n"
        "except StoreGoneError: database.close(); print('gone')\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        for name in ("reviewer.db", "reviewer.db-wal", "reviewer.db-shm"):
            (tmp_path / name).unlink()
        other = open_store(tmp_path)
        a_study(other, "other", cases=2)
        assert process.communicate("\n")[0] == "gone\n"
    assert log(tmp_path / "reviewer.db").exists()
    copy = tmp_path / "other" / "copy.db"
    back_up(tmp_path / "reviewer.db", copy)
    with closing(sqlite3.connect(copy)) as found:
        assert found.execute("SELECT name FROM studies").fetchall() == [("other",)]


# -- no false alarm --------------------------------------------------------------------------------


def elsewhere(path: Path, *statements: str) -> None:
    """Another process works on the store, and ends."""
    code = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    code += "for statement in sys.argv[2:]: c.execute(statement).fetchall()\nc.close()"
    subprocess.run([sys.executable, "-c", code, str(path), *statements], check=True)


PEACEFUL: dict[str, Deed] = {
    "checkpoint": lambda path: elsewhere(path, "PRAGMA wal_checkpoint(TRUNCATE)"),
    "restart": lambda path: elsewhere(path, "PRAGMA wal_checkpoint(RESTART)"),
    "backup": lambda path: back_up(path, path.with_name("copy.db")) and None,
    "vacuum into": lambda path: elsewhere(path, f"VACUUM INTO '{path.with_name('copy.db')}'"),
    "vacuum": lambda path: elsewhere(path, "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"),
    "another process writing": lambda path: elsewhere(
        path,
        "CREATE TABLE other (value)",
        "INSERT INTO other SELECT hex(randomblob(90000))",
        "DROP TABLE other",
    ),
    "opened once more": lambda path: Database.open(str(path)).close(),
    "its header read": lambda path: sqlite.check_file(path, True),
}


@pytest.mark.parametrize("idle", [True, False])
@pytest.mark.parametrize("deed", PEACEFUL)
def test_no_false_alarm(session: ReviewSession, tmp_path: Path, deed: str, idle: bool) -> None:
    if idle:
        session.database.settle()
    wait_a_tick()
    for _ in range(2):
        (tmp_path / "copy.db").unlink(missing_ok=True)
        PEACEFUL[deed](tmp_path / "reviewer.db")
        for _ in range(3):
            session.answer("True")
    assert session.done_count == 9


def test_another_process_that_ends_leaves_the_log_in_place(session: ReviewSession, tmp_path: Path) -> None:
    """Reading the header of a file that is open gives back SQLite's locks on it, unless SQLite reads it."""
    path = tmp_path / "reviewer.db"
    sqlite.check_file(path, True)
    assert not sqlite.is_single_file(path)
    elsewhere(path, "SELECT 1 FROM events")
    assert log(path).exists()
    session.answer("True")


def test_a_merge_of_the_open_store_leaves_its_locks(session: ReviewSession, tmp_path: Path) -> None:
    path = tmp_path / "reviewer.db"
    assert all(not account.added for account in merge_file(session.database, path))
    elsewhere(path, "SELECT 1 FROM events")
    assert log(path).exists()
    session.answer("True")


def test_a_copy_of_the_open_store_as_it_lies_leaves_its_locks(
    session: ReviewSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite refuses to copy what it cannot open, and the bytes are copied instead."""

    def refuse(*_: Path) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr("store.backup._copy_pages", refuse)
    path = tmp_path / "reviewer.db"
    copy_file(path, tmp_path / "copy.db")
    assert log(tmp_path / "copy.db").read_bytes() == log(path).read_bytes()
    elsewhere(path, "SELECT 1 FROM events")
    assert log(path).exists()
    session.answer("True")
    with pytest.raises(OSError, match="No such file or directory"):
        copy_file(tmp_path / "nowhere.db", tmp_path / "other.db")


def test_a_look_costs_little(session: ReviewSession) -> None:
    """Counted, for a busy machine takes longer for the same."""
    file = session.database._file
    assert file is not None
    calls = Counter[str]()
    file.before_write()
    sys.setprofile(lambda _frame, event, _argument: calls.update([event]))
    file.before_write()
    file._check_places()
    file._advanced(file._position)
    sys.setprofile(None)
    assert calls["call"] + calls["c_call"] < 150


# -- errors in words -------------------------------------------------------------------------------

REPORTED = {
    "SQLITE_IOERR_SHMSIZE": ("disk I/O error", "says nothing about its content"),
    "SQLITE_IOERR_READ": ("disk I/O error", "says nothing about its content"),
    "SQLITE_IOERR_WRITE": ("disk I/O error", "the disk or a quota is full"),
    "SQLITE_FULL": ("database or disk is full", "the disk or a quota is full"),
    "SQLITE_CORRUPT": ("database disk image is malformed", "is damaged"),
    "SQLITE_NOTADB": ("file is not a database", "is damaged"),
    "SQLITE_READONLY": ("attempt to write a readonly database", "check its permissions"),
    "SQLITE_CANTOPEN": ("unable to open database file", "check its permissions"),
}


@pytest.mark.parametrize("name", REPORTED)
def test_no_error_of_sqlite_advises_what_can_destroy_data(tmp_path: Path, name: str) -> None:
    reason, words = REPORTED[name]
    original = sqlite3.OperationalError(reason)
    original.sqlite_errorname = name
    sentence = str(sqlite.file_explanation(OperationalError("", {}, original), str(tmp_path / "x.db")))
    assert words in sentence
    assert not any(bad in sentence for bad in ("restore", "delete", "remove", "another with --store"))


def test_frames_of_a_writer_that_was_killed_in_a_commit_are_no_alarm(
    session: ReviewSession, tmp_path: Path
) -> None:
    """They lie beyond the end that SQLite knows, look like commits, and are written over."""
    path = tmp_path / "reviewer.db"
    with log(path).open("r+b") as file:
        frames = file.read()[32:]
        file.write(frames)
    for _ in range(3):
        session.answer("True")
    back_up(path, tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("SELECT count(*) FROM events").fetchone() == (6,)
