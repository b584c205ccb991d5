"""Sheets show each rater the outputs in their own order under letters, and take rankings of these letters."""

import csv
import json
import re
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.exports.study_export import write_texts
from reviewer.exchange.sheets.decision_sheet import decide_all, decisions_in, dispute_sheet
from reviewer.exchange.sheets.sheet_import import CheckedSheets, check_sheets, store_sheets
from reviewer.exchange.sheets.sheet_writer import validation_files
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.rankings import SYSTEMS, a_ranked_study
from tests.studies import open_store
from tests.study.test_ranking_sessions import order_of


@pytest.fixture
def store(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    a_ranked_study(database, tmp_path)
    ReviewSession(database, "pilot", "anna")
    ReviewSession(database, "pilot", "ben")
    return database


def sheet(store: Database, folder: Path, rater: str) -> Path:
    events = Ledger(store).events("pilot")
    write_texts(folder, validation_files(load_study(store, "pilot"), events, (rater,)))
    return folder / rater / "best.csv"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def filled(path: Path, answers: "list[str]", **cells: str) -> Path:
    read = rows(path)
    for row, answer in zip(read, answers, strict=False):
        row |= {"answer_best": answer, **cells}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(read[0]))
        writer.writeheader()
        writer.writerows(read)
    return path.parent


def checked(store: Database, folder: Path, rater: str = "anna") -> CheckedSheets:
    return check_sheets(load_study(store, "pilot"), folder, rater)


def test_a_sheet_has_letters_in_the_order_of_the_app_and_no_names(store: Database, tmp_path: Path) -> None:
    for rater in ("anna", "ben"):
        seen = {}
        session = ReviewSession(store, "pilot", rater)
        for _ in session.slots:
            seen[session.case.digest] = order_of(session)
            session.next()
        written = rows(sheet(store, tmp_path / "out", rater))
        assert [*written[0]][:6] == ["answer_best", "question", *(f"answers_{letter}" for letter in "ABCD")]
        for row in written:
            assert [row[f"answers_{letter}"].split()[0] for letter in "ABCD"] == seen[row["digest"]]
    told = (tmp_path / "out" / "ben" / "instructions.txt").read_text(encoding="utf-8")
    assert "Answers: A, B, C, D, ranked from the best to the worst, ties allowed, as in B > A = C" in told
    assert not any(system in told for system in SYSTEMS)


def test_rankings_of_letters_come_back_by_the_names_of_outputs(store: Database, tmp_path: Path) -> None:
    folder = filled(
        sheet(store, tmp_path / "out", "anna"), ["B > A = D > C", "a: 1, b: 2, c: 3, d: 4", "", "n/a"]
    )
    found = checked(store, folder)
    assert not found.problems
    store_sheets(store, load_study(store, "pilot"), "anna", found.verdicts)
    session = ReviewSession(store, "pilot", "anna")
    answers = []
    for _ in session.slots:
        answers.append(session.verdict.label)
        session.next()
    assert sorted(filter(None, answers)) == ['[["A"],["B"],["C"],["D"]]', '[["B"],["A","D"],["C"]]']
    kept = {event.case: json.loads(event.value or "") for event in Ledger(store).events("pilot")}
    by_case = {row["digest"]: row for row in rows(folder / "best.csv")}
    for case, ranking in kept.items():
        best = "B" if len(ranking) == 3 else "A"
        assert by_case[case][f"answers_{best}"].split()[0] == ranking[0][0]
    again = rows(sheet(store, tmp_path / "again", "anna"))
    assert [row["answer_best"] for row in again] == ["B > A = D > C", "A > B > C > D", "", ""]


@pytest.mark.parametrize(
    ("answer", "why"),
    [("B > A", "C and D have no rank"), ("Atlas > B > C > D", "is not one of the outputs A, B, C, D")],
)
def test_what_is_no_ranking_is_a_problem_of_its_cell(
    store: Database, tmp_path: Path, answer: str, why: str
) -> None:
    (problem,) = checked(store, filled(sheet(store, tmp_path / "out", "anna"), [answer])).problems
    assert "best.csv, line 2, column answer_best: " in str(problem)
    assert why in str(problem)
    assert "rank all outputs, as in B > A = C" in str(problem)


def test_the_sheet_of_another_rater_is_refused(store: Database, tmp_path: Path) -> None:
    folder = filled(sheet(store, tmp_path / "out", "anna"), ["A > B > C > D"] * 4)
    assert any("is not the text of the case" in str(one) for one in checked(store, folder, "ben").problems)


def test_an_adjudicator_decides_rankings_of_names_in_a_sheet(store: Database, tmp_path: Path) -> None:
    for rater in ("anna", "ben"):
        session = ReviewSession(store, "pilot", rater)
        for _ in session.slots:
            session.answer('[["A"],["B"],["C"],["D"]]')
    session = AdjudicationSession(store, "pilot", "dora")
    path = tmp_path / "disputes.csv"
    path.write_text(dispute_sheet(session), encoding="utf-8")
    read = rows(path)
    assert {"answers_Atlas", "answers_Delta"} <= {*read[0]}
    vote = r"\w+( [>=] \w+)+\n  \(1 vote\)"
    assert re.fullmatch(f"{vote}\n{vote}", read[0]["votes"])
    path.write_text(path.read_text().replace("\n,,", "\nAtlas,why,", 1))
    with pytest.raises(RequestError, match="rank all outputs, as in B > A = C, or leave it empty"):
        decisions_in(session, path)
    read[0] |= {"answer": "Delta > Atlas = Boreal > Cumulus", "reason": "whole"}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(read[0]))
        writer.writeheader()
        writer.writerows(read)
    assert decide_all(session, decisions_in(session, path)) == (1, 0, ())
    session.go_to(0)
    assert session.decision is not None
    assert session.decision.label == '[["Delta"],["Atlas","Boreal"],["Cumulus"]]'
