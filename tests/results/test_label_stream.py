"""Labels that are read case by case are those of all events together, with the same remarks."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from reviewer.core.errors import StoreError
from reviewer.exchange.exports import study_source
from reviewer.exchange.exports.study_export import export_study
from reviewer.exchange.exports.study_source import StudySource, open_study_source
from reviewer.results.labels import label_stream
from reviewer.results.labels.agreement_results import Method, study_results
from reviewer.results.labels.label_stream import ReadLabels, RowsOnDisk, read_labels, stale_labels
from reviewer.study.design.closing import close_study, late_events, reopen_study
from reviewer.study.design.left_out_raters import leave_out
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.append_only import OWN_TRIGGERS
from store.database import Database
from store.ledger import Ledger
from store.records import Event
from store.sqlite import make_single_file
from tests.studies import a_study

BY = ("question", "group")
BOOTSTRAP = Method(interval="bootstrap", resamples=200)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three raters who change, take back, skip and comment; one is left out, and one is late."""
    path = tmp_path_factory.mktemp("stream") / "reviewer.db"
    with closing(Database.open(str(path))) as database:
        a_study(database, cases=4, raters=("anna", "ben", "cara"))
        for rater, labels in (("anna", "TTFTTTFT"), ("ben", "TFFTTT"), ("cara", "FFF")):
            session = ReviewSession(database, "pilot", rater)
            for number, label in enumerate(labels):
                session.answer("True" if label == "T" else "False")
                if number == 2:
                    session.undo()
                    session.note("two answers fit")
                if number == 4:
                    session.comment("unclear")
                    session.flag()
                    session.skip()
        leave_out(database, "pilot", "cara", "lea", "answered at random")
        close_study(database, "pilot", "lea", anyway=True)
    return path


@pytest.fixture
def database(path: Path, tmp_path: Path) -> Database:
    copy = tmp_path / "reviewer.db"
    copy.write_bytes(path.read_bytes())
    return Database.open(str(copy))


@pytest.fixture(autouse=True)
def no_study_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_source, "_HELD_EVENTS", 0)


def altered(database: Database, statement: str) -> None:
    """Run a statement past the triggers."""
    with closing(sqlite3.connect(database.location)) as connection:
        for name in OWN_TRIGGERS:
            connection.execute(f"DROP TRIGGER IF EXISTS {name}")
        connection.execute(statement)
        connection.commit()


def check_equal(database: Database) -> ReadLabels:
    """Compare what is read case by case with what all events say."""
    read = read_labels(database, "pilot")
    bundle, events = read_study(database, "pilot")
    rows = label_rows(bundle, events)
    assert study_results(read.bundle, read.answers, BY, BOOTSTRAP) == study_results(
        bundle, rows, BY, BOOTSTRAP
    )
    assert (read.events, read.stale) == (len(events), stale_labels(rows))
    assert read.bundle.left_out == bundle.left_out
    assert read.late.total() == len(late_events(bundle, events))
    with open_study_source(database, "pilot", "tom") as source:
        at_once = StudySource.of(bundle, events)
        assert source.bundle.left_out == bundle.left_out
        for _ in range(2):
            assert [*source.rows] == [*at_once.rows] == rows
            assert [*source.everybody] == [*at_once.everybody]
            assert [*source.events] == events
        assert source.notes_and_decisions == at_once.notes_and_decisions
        assert [*source.cases] == [*at_once.cases]
        assert [*source.measurements] == [*at_once.measurements]
    return read


def test_labels_case_by_case_are_those_of_all_events(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.delattr(label_stream, "read_study")  # nothing is read at once
        read = read_labels(database, "pilot")
    assert (read.bundle.cases, read.answers.raters) == ({}, ("anna", "ben"))
    check_equal(database)


def test_an_export_slot_by_slot_writes_the_same_files(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_study(StudySource.of(*read_study(database, "pilot")), tmp_path / "at once", BY, BOOTSTRAP)
    monkeypatch.delattr(study_source, "read_study")
    with open_study_source(database, "pilot", "tom") as source:
        written = export_study(source, tmp_path / "streamed", BY, BOOTSTRAP)
    assert len(written) > 10
    for path in written:
        assert path.read_bytes() == (tmp_path / "at once" / path.name).read_bytes()


def opened_again(database: Database) -> ReviewSession:
    """Ben's session in the study, which takes answers again."""
    reopen_study(database, "pilot", "lea", "three are missing")
    return ReviewSession(database, "pilot", "ben")


def test_an_export_shows_the_store_as_it_was(database: Database) -> None:
    session = opened_again(database)
    with open_study_source(database, "pilot", "tom") as source:
        before = [*source.events]
        session.answer("True")
        assert [*source.events] == before
    with open_study_source(database, "pilot", "tom") as source:
        assert len([*source.events]) == len(before) + 1


def test_answers_are_saved_while_a_study_in_one_file_is_exported(path: Path, tmp_path: Path) -> None:
    one_file = tmp_path / "one.db"
    one_file.write_bytes(path.read_bytes())
    make_single_file(one_file)
    with closing(Database.open(str(one_file))) as database:
        session = opened_again(database)
        with open_study_source(database, "pilot", "tom"):
            session.answer("True")


def test_a_planted_row_takes_no_other_out_of_the_export(database: Database) -> None:
    events = Ledger(database).events("pilot", "anna")
    columns = ", ".join(f'"{name}"' for name in Event.model_fields if name != "id")
    planted = f"SELECT ' ' || id, {columns} FROM events WHERE id = '{events[-1].id}'"
    altered(database, f"INSERT INTO events (id, {columns}) {planted}")
    assert check_equal(database).bundle.left_out


def test_a_full_temporary_folder_is_named(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(study_source, "RowsOnDisk", full)
    with (
        pytest.raises(StoreError, match=r"No space left on device.*TMPDIR"),
        open_study_source(database, "pilot", "tom"),
    ):
        pass


def test_rows_on_disk_are_read_side_by_side(database: Database) -> None:
    bundle, events = read_study(database, "pilot")
    rows = label_rows(bundle, events, everyone=True)
    with TemporaryFile() as file:
        on_disk = RowsOnDisk(file, rows * 100, bundle.questions, bundle.sample)
        assert all(
            row == other == known for row, other, known in zip(on_disk, on_disk, rows * 100, strict=True)
        )


def test_events_that_do_not_fit_are_left_out_as_ever(database: Database) -> None:
    altered(database, "UPDATE events SET value = 'False' WHERE kind = 'label' AND rater = 'anna'")
    assert check_equal(database).bundle.left_out


def test_late_and_stale_labels_are_counted(database: Database) -> None:
    altered(database, "UPDATE study_acts SET held = '[]' WHERE kind = 'close'")
    altered(database, "UPDATE measurements SET value = '\"option_B\"' WHERE name = 'choice'")
    read = check_equal(database)
    assert (read.late.total(), read.answers.raters) == (read.events, ())


@pytest.mark.parametrize(
    "value", ["'no list'", "'[\"' || (SELECT max(id) FROM events WHERE rater = 'ben') || '\"]'"]
)
def test_a_ledger_that_does_not_come_apart_is_read_at_once(database: Database, value: str) -> None:
    """A row that no case can be read with; and an event that claims to replace one of another case."""
    altered(
        database,
        f"UPDATE events SET supersedes = {value} WHERE id = (SELECT min(id) FROM events WHERE rater = 'ben')",
    )
    check_equal(database)


def test_an_event_that_replaces_one_of_another_case_is_seen(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.write() as session:
        session.connection().exec_driver_sql("UPDATE studies SET closed_at = NULL")
    *earlier, last = Ledger(database).events("pilot", "ben")
    other = next(event for event in earlier if event.case != last.case)
    with Ledger(database).turn("pilot", "ben", "") as turn:
        turn.add(
            case=last.case,
            question=last.question,
            question_digest=last.question_digest,
            kind="label",
            given="app",
            value="True",
            supersedes=[other.id],
        )
    altered(database, "DELETE FROM study_acts WHERE kind = 'close'")
    at_once: list[str] = []
    monkeypatch.setattr(
        label_stream, "read_study", lambda database, name: at_once.append(name) or read_study(database, name)
    )
    check_equal(database)
    assert at_once == ["pilot"]
