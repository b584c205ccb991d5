"""``store check`` and ``store backup``, and upgrades of a store of an older release."""

import json
import re
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.exports.study_export import export_study
from reviewer.exchange.exports.study_source import StudySource
from reviewer.results.labels.agreement_results import Method
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.review_session import ReviewSession
from store.cases import Filter, count_places
from store.database import Database
from store.ledger import Ledger
from store.records import Event
from tests.cli.conftest import Run
from tests.merging import merge_events
from tests.quick_start import quick_start
from tests.studies import a_study, open_store

ROOT = Path(__file__).parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with closing(open_store(tmp_path)) as database:
        a_study(database, cases=12)
        session = ReviewSession(database, "pilot", "anna")
        for label in ("True", "False", "True"):
            session.answer(label)
    return tmp_path / "reviewer.db"


def alter(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("DROP TRIGGER events_refuse_update")
        connection.execute("UPDATE events SET value = 'True'")
        connection.commit()


def test_check_says_in_one_line_that_all_is_whole(run: Run, store: Path) -> None:
    done = run("store", "check")
    whole, digest, covered = done.out.splitlines()
    assert done.code == 0
    assert whole.startswith("Every verdict is whole: 3 events of 1 study, 12 cases")
    assert re.fullmatch("Digest of study 'pilot': [0-9a-f]{64}", digest)
    assert covered.startswith("3 events in study 'pilot': 0 covered by signed counts, the last on ")
    assert "do not prove this of newer events" in done.err
    assert json.loads(run("store", "check", "--format", "json").out) == []


def test_check_names_what_is_not_and_repairs_nothing(run: Run, store: Path) -> None:
    alter(store)
    before = store.read_bytes()
    done = run("store", "check", "--format", "json")
    assert done.code == 2
    assert [fault["study"] for fault in json.loads(done.out)] == ["", "pilot"]
    assert "NOT whole" in done.err
    assert store.read_bytes() == before


def test_backup_is_a_store_and_never_writes_over(run: Run, store: Path, tmp_path: Path) -> None:
    assert run("store", "backup", "-o", "monday.db").code == 0
    with (
        closing(Database.open(str(store))) as old,
        closing(Database.open(str(tmp_path / "monday.db"))) as new,
    ):
        assert Ledger(old).events("pilot") == Ledger(new).events("pilot")
    again = run("store", "backup", "-o", "monday.db")
    assert (again.code, "already exists" in again.err) == (2, True)
    missing = run("store", "backup", "-o", "copy.db", "--store", "none.db")
    assert (missing.code, (tmp_path / "copy.db").exists()) == (2, False)


def test_killed_backup_leaves_a_visible_draft_that_the_next_one_replaces(
    run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(_draft: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as killed:
        killed.setattr("reviewer.core.whole_files._remove", lambda draft: None)
        killed.setattr("store.backup._check_whole", full_disk)
        assert run("store", "backup", "-o", "monday.db").code == 2
    assert {path.name for path in tmp_path.glob("*monday*")} == {"monday.db.unfinished"}
    assert run("store", "backup", "-o", "monday.db").code == 0
    assert {path.name for path in tmp_path.glob("*monday*")} == {"monday.db"}


def test_check_names_the_search_index_and_a_copy_has_a_new_one(run: Run, store: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("INSERT INTO case_words (case_words) VALUES ('delete-all')")
    checked = run("store", "check")
    not_checked = "and the index that finds cases by words. If a search misses cases,"
    assert (checked.code, not_checked in checked.err) == (0, True)
    assert run("store", "copy", "reviewer.db", "copy.db").code == 0
    counts = []
    for path in (store, tmp_path / "copy.db"):
        with closing(Database.open(str(path))) as database, database.read() as session:
            counts.append(count_places(session, Filter(text="option")))
    assert counts[0] == 0 < counts[1]


def test_backups_made_while_somebody_works_are_whole(run: Run, store: Path) -> None:
    command = [*quick_start(), "-m", "tests.faults.rater_process", str(store), "pilot", "ben", "1", "99999"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        process.stdout.readline()
        for number in range(4):
            time.sleep(0.05)
            done = run("store", "backup", "-o", f"{number}.db")
            assert "Every verdict is whole" in done.out
        process.kill()


def test_an_export_can_be_rebuilt_from_its_ledger(tmp_path: Path) -> None:
    """From study.json's events alone, in a store that never saw the raters, come the same files."""
    quick = Method(interval="bootstrap", resamples=20)
    exports = [tmp_path / name for name in ("first", "again")]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with closing(open_store(tmp_path / "one")) as first:
        a_study(first, cases=4, raters=("anna", "ben"))
    (tmp_path / "two" / "reviewer.db").write_bytes((tmp_path / "one" / "reviewer.db").read_bytes())
    with closing(open_store(tmp_path / "one")) as first:
        for number, rater in enumerate(("anna", "ben")):
            session = ReviewSession(first, "pilot", rater)
            while not session.finished:
                session.answer("True" if (session.position + number) % 3 else "False")
            session.flag()
            session.undo()
        export_study(StudySource.of(*read_study(first, "pilot")), exports[0], method=quick)
    kept = json.loads((exports[0] / "study.json").read_text())
    with closing(open_store(tmp_path / "two")) as second:
        made = [Event.model_validate(event) for event in reversed(kept["events"])]
        merge_events(second, "pilot", made, "study.json")
        export_study(StudySource.of(*read_study(second, "pilot")), exports[1], method=quick)
    files = {file.name: file.read_bytes() for file in exports[0].iterdir()}
    assert files == {file.name: file.read_bytes() for file in exports[1].iterdir()}
    assert len(files) > 5


def digest_in(text: str) -> str:
    """The only digest of 64 hex digits in a text, however often it is in there."""
    (found,) = set(re.findall(r"\b[0-9a-f]{64}\b", text))
    return str(found)


def test_a_report_prints_the_digest_that_check_prints_and_compares_with(run: Run, store: Path) -> None:
    assert run("report", "pilot", "--no-figures", "-o", "out").code == 0
    printed = re.search(r"Digest of the study\*\*: ([0-9a-f]{64})", Path("out/report.md").read_text())
    assert printed is not None
    assert digest_in(run("store", "check").out) == printed[1]
    done = run("store", "check", "--against", printed[1].upper())
    assert (done.code, f"exactly as when {printed[1]} was printed" in done.out) == (0, True)
    with closing(Database.open(str(store))) as database:
        ReviewSession(database, "pilot", "anna").answer("True")
    done = run("store", "check", "--against", printed[1])
    assert (done.code, f"holds everything that {printed[1]} covers" in done.out) == (0, True)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DROP TRIGGER events_refuse_delete")
        connection.execute("DELETE FROM events WHERE id = (SELECT min(id) FROM events)")
    done = run("store", "check", "--against", printed[1])
    assert (done.code, f"lacks something that {printed[1]} covers" in done.out) == (2, True)


def test_a_digest_of_something_else_is_not_there(run: Run, store: Path) -> None:
    done = run("store", "check", "--against", "0" * 64)
    assert (done.code, "No study here has the digest" in done.out) == (2, True)
    done = run("store", "check", "--against", "00ff")
    assert (done.code, "takes the 64 hex digits" in done.err) == (2, True)
