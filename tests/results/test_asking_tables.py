"""First against second verdicts, and answers where they are known: counted, shown, exported."""

from pathlib import Path

import pytest

from reviewer.exchange.exports.study_export import BOOTSTRAP, codebook, study_tables
from reviewer.exchange.exports.study_source import StudySource
from reviewer.results.labels.known_answer_accuracy import known_answer_accuracy
from reviewer.results.labels.second_verdicts import second_verdicts
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from store.database import Database
from store.ledger import Ledger
from tests.studies import a_case, fill, open_store


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Two raters, five counted cases, one gold and one training; ben changes his mind on same task, twice."""
    database = open_store(tmp_path)
    fill(database, "data", [a_case(number) for number in range(7)])
    given = (
        GivenAnswer("training", "t.csv", "data", "anchoring bias/0", "axioms", "True"),
        GivenAnswer("gold", "g.csv", "data", "anchoring bias/1", "same_task", "False"),
        GivenAnswer("gold", "g.csv", "data", "anchoring bias/1", "axioms", "True"),
    )
    create_study(
        database, "pilot", Design(("data",), None, 7, options=Options(reveal="findings"), given=given)
    )
    for rater in ("anna", "ben"):
        _answer_all(ReviewSession(database, "pilot", rater), changes=2 if rater == "ben" else 0)
    return database


def _answer_all(session: ReviewSession, changes: int) -> None:
    for _ in range(3 * len(session.slots)):
        counted = session.bundle.roles[session.slot.case] == "counted"
        if session.finished and not session.waiting:
            return
        if session.stage is Stage.FEEDBACK:
            session.proceed()
        elif session.stage is Stage.SECOND and changes and counted:
            session.answer("False")
            changes -= 1
        else:
            session.answer("True")
    raise AssertionError("never finished")


def rows(database: Database) -> list[LabelRow]:
    return label_rows(load_study(database, "pilot"), Ledger(database).events("pilot"))


def test_changed_verdicts_are_counted_by_question_and_by_what_they_became(database: Database) -> None:
    found = second_verdicts(load_study(database, "pilot"), rows(database))
    first = found[0]
    assert (first.question.key, first.first, first.seen, first.again) == ("same_task", 10, 10, 10)
    assert (first.changed, first.changes, first.share.value) == (2, {("True", "False"): 2}, 0.2)
    assert [each.changed for each in found[1:]] == [0, 0, 0]


def test_quality_counts_known_answers_by_rater_role_and_question(database: Database) -> None:
    found = known_answer_accuracy(load_study(database, "pilot"), rows(database))
    told = {(each.rater, each.role, each.question): (each.known, each.answered, each.right) for each in found}
    assert told["anna", "gold", "all"] == (2, 2, 1)
    assert told["anna", "gold", "same task"] == (1, 1, 0)
    assert told["anna", "gold", "axioms"] == (1, 1, 1)
    assert told["all raters", "gold", "all"] == (4, 4, 2)
    assert told["ben", "training", "all"] == (1, 1, 1)
    share = next(each.share for each in found if (each.rater, each.question) == ("all raters", "all"))
    assert share.value == 0.5
    assert share.interval is not None
    assert share.interval.method == "Wilson"


def test_exports_hold_both_tables_and_say_what_their_columns_mean(database: Database) -> None:
    bundle = load_study(database, "pilot")
    tables = study_tables(
        StudySource.of(bundle, Ledger(database).events("pilot")), ("question", "generator"), BOOTSTRAP
    )
    assert tables["second_looks.csv"].rows[0][-1] == "2 True to False"
    assert {row[1] for row in tables["quality.csv"].rows} == {"gold", "training"}
    described = {(row[0], row[1]): row[3] for row in codebook(tables).rows}
    for name, table in tables.items():
        assert all(described[name, column] for column in table.columns)
    labels = tables["labels.csv"]
    at = {column: labels.columns.index(column) for column in ("role", "phase", "swapped", "reason")}
    assert {row[at["role"]] for row in labels.rows} == {"counted", "gold", "training"}
    assert {row[at["phase"]] for row in labels.rows} == {"before", "after"}


def test_a_study_that_reveals_nothing_and_knows_nothing_has_neither(tmp_path: Path) -> None:
    from tests.studies import a_study

    database = open_store(tmp_path)
    a_study(database)
    ReviewSession(database, "pilot", "anna").answer("True")
    bundle = load_study(database, "pilot")
    assert second_verdicts(bundle, rows(database)) == []
    assert known_answer_accuracy(bundle, rows(database)) == []
