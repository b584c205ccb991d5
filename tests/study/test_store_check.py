"""Checking a store: every alteration is a fault with a name, and a whole store has none."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.integrity.store_check import StoreCheck, check_store
from reviewer.study.session.review_session import ReviewSession
from store.untrusted_store import untrusted_store
from tests.studies import a_study, open_store


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    with closing(open_store(folder)) as database:
        a_study(database)
        session = ReviewSession(database, "pilot", "anna")
        for label in ("True", "False", "True"):
            session.answer(label)
        session.undo()
        session.comment("hm")
        ReviewSession(database, "pilot", "ben").answer("False")
        close_study(database, "pilot", "lead", anyway=True)
        deciding = AdjudicationSession(database, "pilot", "zoe")
        deciding.put_off()
        deciding.decide("False", "two of them differ")
        deciding.undo()
    return folder / "reviewer.db"


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path))


IMPORTED_AGAIN = "UPDATE datasets SET imported_at = '2999-01-01T00:00:00.000Z'"


def check(path: Path) -> StoreCheck:
    with untrusted_store(path, own=True) as file:
        return check_store(file)


def test_a_store_as_it_should_be(path: Path) -> None:
    found = check(path)
    assert (found.studies, found.cases, found.events, found.faults) == (1, 3, 9, [])
    assert found.sentence.startswith("Every verdict is whole: 9 events of 1 study, 3 cases")


@pytest.mark.parametrize(
    ("attack", "named"),
    [
        (
            "UPDATE events SET value = 'False' WHERE value = 'True'",
            "was altered: its digest does not match its content",
        ),
        ("UPDATE events SET rater = 'ben'", "was altered"),
        ("UPDATE events SET id = 'ffffffffffff7fffbfffffffffffffff' WHERE kind = 'comment'", "was altered"),
        (
            "DELETE FROM events WHERE id = (SELECT target FROM events WHERE kind = 'undo')",
            "which is not here",
        ),
        ("UPDATE events SET supersedes = 'many' WHERE kind = 'undo'", "cannot be read"),
        ("UPDATE cases SET payload = replace(payload, 'release 1', 'release 7')", "was altered: its digest"),
        (
            "UPDATE studies SET questions = replace(questions, 'labels', 'bales')",
            "the questions were altered",
        ),
        (
            "UPDATE studies SET questions = replace(questions, 'the same logical', 'another logical')",
            "question 'same_task' was altered, or its published values were: none of its ",
        ),
        ("UPDATE studies SET protocol = 'nil'", "a protocol or a group that this release"),
        ("DELETE FROM study_cases WHERE position = 0", "refers to a row of study_cases"),
        ("DELETE FROM cases", "is in the sample but missing"),
        ("UPDATE events SET kind = 'adjudication' WHERE kind = 'label'", "was altered"),
        ("SELECT 1", "trigger events_refuse_update is missing or altered"),
    ],
)
def test_every_alteration_is_a_fault(path: Path, attack: str, named: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(attack)
        connection.commit()
    found = check(path)
    assert found.sentence.startswith("NOT whole")
    told = [f"{fault.where} {fault.wrong}" for fault in found.faults]
    assert any(named in each for each in told), told


def test_a_trigger_that_does_nothing_is_noticed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER events_refuse_update")
        connection.execute("CREATE TRIGGER events_refuse_update BEFORE UPDATE ON events BEGIN SELECT 1; END")
    assert [fault.where for fault in check(path).faults] == ["trigger events_refuse_update"]


def test_damage_of_the_file_is_noticed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("DELETE FROM sqlite_master WHERE name = 'events_by_rater'")
        connection.commit()
    assert "the file is damaged" in check(path).sentence


def test_what_answered_other_terms_is_counted_and_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "reviewer.db"
    with closing(open_store(tmp_path)) as database:
        a_study(database)
        session = ReviewSession(database, "pilot", "anna")
        for _ in range(3):
            session.answer("True")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "UPDATE measurements SET value = '\"option_B\"' WHERE name = 'choice' "
            'AND "case" = (SELECT "case" FROM study_cases WHERE position = 0)'
        )
        connection.execute(IMPORTED_AGAIN)
        connection.commit()
    found = check(path)
    assert (found.faults, found.outdated) == ([], 1)
    assert found.sentence.endswith("triggers fit. 1 of them answered an earlier wording of their question.")


def test_an_audit_in_the_middle_of_a_study_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "reviewer.db"

    def alter(name: str, values: str) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"UPDATE measurements SET {values} WHERE name = '{name}'")
            connection.execute(IMPORTED_AGAIN)
            connection.commit()

    with closing(open_store(tmp_path)) as database:
        a_study(database)
        alter("choice", "name = 'hidden'")
        session = ReviewSession(database, "pilot", "anna")
        for _ in range(3):
            session.answer("True")
    alter("hidden", "name = 'choice', source = 'measured', variant = 'unbiased'")
    found = check(path)
    assert (found.faults, found.outdated) == ([], 3)
