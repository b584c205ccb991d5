"""Spans in sheets of raters and of adjudicators: as people write them, both ways."""

import csv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.exchange.exports.study_export import write_texts
from reviewer.exchange.sheets.decision_sheet import decide_all, decisions_in, dispute_sheet
from reviewer.exchange.sheets.sheet_import import CheckedSheets, check_sheets, store_sheets
from reviewer.exchange.sheets.sheet_writer import validation_files
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.study_bundle import load_study
from store.database import Database
from store.ledger import Ledger
from tests.marked_texts import answer, marked_study

ANNA = {
    "c1": '13:17:insult; threat "I will find you"',
    "c2": "insult “मूर्ख”",
    "c3": "Nothing to mark",
    "c4": "",
}
ANSWERS = {
    "c1": answer("c1", ("fool", "insult"), ("I will find you", "threat")),
    "c2": answer("c2", ("मूर्ख", "insult")),
    "c3": answer("c3"),
}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(marked_study(tmp_path, ("anna", "ben"))) as opened:
        yield opened


def filled(database: Database, folder: Path, rater: str, cells: dict[str, str]) -> CheckedSheets:
    """The sheet of a rater with a cell for each case."""
    bundle = load_study(database, "toxic")
    write_texts(folder, validation_files(bundle, Ledger(database).events("toxic"), [rater]))
    path = folder / rater / "spans.csv"
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    keys = {place.case: place.key for place in bundle.sample}
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *([cells[keys[row[-1]]], *row[1:]] for row in rows)])
    return check_sheets(bundle, folder / rater, rater)


def taken(database: Database, folder: Path, rater: str, cells: dict[str, str]) -> None:
    found = filled(database, folder, rater, cells)
    assert not found.problems, found.problems
    store_sheets(database, load_study(database, "toxic"), rater, found.verdicts)


def test_a_rater_fills_in_spans_and_the_sheet_holds_them_again(database: Database, tmp_path: Path) -> None:
    taken(database, tmp_path / "one", "anna", ANNA)
    events = Ledger(database).events("toxic")
    keys = {place.case: place.key for place in load_study(database, "toxic").sample}
    assert {keys[event.case]: event.value for event in events if event.kind == "label"} == ANSWERS
    files = validation_files(load_study(database, "toxic"), events, ["anna"])
    cells = [row[0] for row in csv.reader(str(files["anna/spans.csv"]).lstrip("\ufeff").splitlines())]
    written = ["13:17:insult; 19:34:threat", "4:9:insult", "nothing to mark", ""]
    assert cells == ["answer_spans", *written]
    assert "label and the words as they are in the text" in str(files["anna/instructions.txt"])
    taken(database, tmp_path / "two", "anna", dict(zip(ANNA, written, strict=True)))
    assert Ledger(database).events("toxic") == events


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ('insult "nowhere"', "'nowhere' is not in the text; copy the words"),
        ("13:900:insult", "ends behind the text"),
        ("13:17:fury", "'fury' is not a label"),
        ("insult “fool” 4:8", "4:8 of the text is 'abso', not 'fool'; correct one of them"),
        ("fool", "'fool' is not a span"),
    ],
)
def test_a_cell_that_holds_no_spans_is_named(
    database: Database, tmp_path: Path, cell: str, says: str
) -> None:
    (problem,) = filled(database, tmp_path / "out", "anna", {**ANNA, "c1": cell}).problems
    assert "spans.csv, line 2, column answer_spans: " in str(problem)
    assert says in str(problem)


@pytest.fixture
def session(database: Database, tmp_path: Path) -> AdjudicationSession:
    taken(database, tmp_path / "anna", "anna", ANNA)
    taken(database, tmp_path / "ben", "ben", {**ANNA, "c1": "13-17 insult"})
    return AdjudicationSession(database, "toxic", "zoe", given="spreadsheet")


def test_an_adjudicator_copies_spans_of_a_vote(session: AdjudicationSession, tmp_path: Path) -> None:
    path = tmp_path / "disputes.csv"
    path.write_text(dispute_sheet(session))
    with path.open(newline="") as file:
        (row,) = csv.DictReader(file)
    lines = row["votes"].splitlines()
    assert lines[:2] == ["insult “fool” 13:17; threat “I will find you” 19:34", "  (1 vote)"]
    for said in (lines[0], "13-17 insult; 19–34 threat", ANSWERS["c1"]):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, [*row])
            writer.writeheader()
            writer.writerow({**row, "answer": said, "reason": "both are"})
        assert [decision.label for decision in decisions_in(session, path)] == [ANSWERS["c1"]]
    assert decide_all(session, decisions_in(session, path)) == (1, 0, ())
    assert "13:17:insult; 19:34:threat,both are" in dispute_sheet(session)


def test_a_decision_without_spans_is_refused(session: AdjudicationSession, tmp_path: Path) -> None:
    path = tmp_path / "disputes.csv"
    path.write_text(dispute_sheet(session).replace("\n,,toxic:", "\n19:34,why,toxic:"))
    with pytest.raises(
        RequestError, match=r"column answer: '19:34' is not a span; write START:END:LABEL.*leave it"
    ):
        decisions_in(session, path)
