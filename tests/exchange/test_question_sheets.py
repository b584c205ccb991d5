"""Sheets of benchmarks without a layout of their own, and the sheet of an adjudicator."""

import csv
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.exchange.exports.study_export import write_texts
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.exchange.sheets.decision_sheet import decide_all, decisions_in, dispute_sheet
from reviewer.exchange.sheets.sheet_import import CheckedSheets, check_sheets, store_sheets
from reviewer.exchange.sheets.sheet_writer import export_notes, validation_files
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from store.database import Database
from store.ledger import Ledger

TEXT = """\
[protocol]
name = "reports"
version = 1
title = "Reports"

[fields]
source = "source"
out = "out"

[source]
key = "{id}"
generator = "model"

[published.judge]
column = "judge"
opinion_on = "good"

[pane.note]
fields = "source"

[pane.texts]
kind = "pair"
fields = ["source", "out"]

[question.good]
prompt = "Is it good?"
guideline = "Good means that it is true."
labels = ["first", "second"]
mirrored = ["first", "second"]
shows = "texts"
beside = "note"

[question.errors]
prompt = "Which errors?"
kind = "labels"
labels = ["word; choice", "grammar", "style"]
shows = "texts"

[question.why]
prompt = "Why?"
kind = "text"
shows = "note"
"""
MODEL = "a-model-with-a-name"
ANNA = {
    "good": ["first", "SECOND - too short", "", "first"],
    "errors": ["grammar; style", "none of them", "", '["word; choice","style"]'],
    "why": ["because, so", "", "two\nlines", "=x"],
}
BEN = {"good": ["second", "second", "first", "first"], "errors": ["style"] * 4, "why": ["", "", "", ""]}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    rows = (
        {"id": f"a{n}", "source": f"=1+{n} rain", "out": f"pluie {n}", "model": MODEL, "judge": "first"}
        for n in range(4)
    )
    (tmp_path / "reports.toml").write_text(TEXT)
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as opened:
        import_path(opened, tmp_path / "rows.jsonl", "d", protocol=str(tmp_path / "reports.toml"))
        create_study(opened, "pilot", Design(("d",), None, 7, raters=("anna", "ben")))
        yield opened


def exported(database: Database, folder: Path, *raters: str, study: str = "pilot") -> Path:
    events = Ledger(database).events(study)
    write_texts(folder, validation_files(load_study(database, study), events, raters))
    return folder


def cells(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def fill(path: Path, answers: Sequence[str], column: int = 0) -> None:
    head, *rows = cells(path)
    for row, answer in zip(rows, answers, strict=False):
        row[column] = answer
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def filled(database: Database, folder: Path, rater: str, answers: Mapping[str, Sequence[str]]) -> Path:
    sheets = exported(database, folder, rater) / rater
    for question, given in answers.items():
        fill(sheets / f"{question}.csv", given)
    return sheets


def checked(database: Database, sheets: Path) -> CheckedSheets:
    return check_sheets(load_study(database, "pilot"), sheets)


def stored(database: Database, folder: Path, rater: str, answers: Mapping[str, Sequence[str]]) -> None:
    found = checked(database, filled(database, folder, rater, answers))
    assert not found.problems
    store_sheets(database, load_study(database, "pilot"), rater, found.verdicts)


def test_a_sheet_shows_what_raters_see_before_the_answer(database: Database, tmp_path: Path) -> None:
    folder = exported(database, tmp_path / "out") / "anna"
    assert sorted(path.name for path in folder.iterdir()) == [
        *("errors.csv", "good.csv", "instructions.txt", "why.csv")
    ]
    head, first, *others = cells(folder / "good.csv")
    assert head == ["answer_good", "question", "texts_1", "texts_2", "note_text", "digest"]
    assert first[:5] == ["", "Is it good?", "'=1+0 rain", "pluie 0", "'=1+0 rain"]
    assert len(others) == 3
    everything = "".join(path.read_text() for path in folder.iterdir())
    assert MODEL not in everything
    assert "judge" not in everything
    assert "Good means that it is true." in (folder / "instructions.txt").read_text()


def test_answers_of_every_kind_come_back_and_once(database: Database, tmp_path: Path) -> None:
    stored(database, tmp_path / "one", "anna", ANNA)
    events = Ledger(database).events("pilot")
    assert [event.value for event in events if event.kind == "label"] == [
        *('["grammar","style"]', "[]", '["word; choice","style"]'),
        *("first", "second", "first"),
        *("because, so", "two\nlines", "=x"),
    ]
    assert [event.value for event in events if event.kind == "comment"] == ["too short"]
    again = exported(database, tmp_path / "two", "anna") / "anna"
    shutil.make_archive(str(tmp_path / "anna"), "zip", tmp_path / "two", "anna")
    for sheets in (again, tmp_path / "anna.zip"):
        found = checked(database, sheets)
        assert not found.problems
        store_sheets(database, load_study(database, "pilot"), "anna", found.verdicts)
    assert Ledger(database).events("pilot") == events
    assert [row[0] for row in cells(again / "errors.csv")][1:] == [
        *("grammar; style", "none of them", "", '["word; choice","style"]')
    ]


def test_a_cell_that_is_no_answer_is_named(database: Database, tmp_path: Path) -> None:
    found = checked(database, filled(database, tmp_path / "out", "anna", {"errors": ["grammar; spelling"]}))
    (problem,) = found.problems
    assert "errors.csv, line 2, column answer_errors: says 'grammar; spelling'" in str(problem)
    assert "with ; between several" in str(problem)


def test_sides_keep_their_names_to_themselves_where_the_app_exchanges_them(
    database: Database, tmp_path: Path
) -> None:
    create_study(database, "swapped", Design(("d",), None, 7, raters=("anna",), options=Options(swap=True)))
    sheets = exported(database, tmp_path / "out", study="swapped") / "anna"
    assert cells(sheets / "good.csv")[0] == ["answer_good", "question", "texts_1", "texts_2", "digest"]
    notes = export_notes(load_study(database, "swapped"), [])
    assert "Sheets have both sides in their own order, also where the app exchanges them." in notes


@pytest.fixture
def adjudicated(database: Database, tmp_path: Path) -> AdjudicationSession:
    stored(database, tmp_path / "anna-sheets", "anna", ANNA)
    stored(database, tmp_path / "ben-sheets", "ben", BEN)
    return AdjudicationSession(database, "pilot", "zoe", given="spreadsheet")


def sheet_of(session: AdjudicationSession, folder: Path) -> Path:
    path = folder / "disputes.csv"
    path.write_text(dispute_sheet(session))
    return path


def test_disputes_are_decided_in_a_sheet(adjudicated: AdjudicationSession, tmp_path: Path) -> None:
    path = sheet_of(adjudicated, tmp_path)
    head, *rows = cells(path)
    assert [row[head.index("votes")] for row in rows] == [
        "first (1 vote), second (1 vote)",
        "grammar, style (1 vote), style (1 vote)",
        "style (1 vote), none of them (1 vote)",
        "style (1 vote), word; choice, style (1 vote)",
    ]
    assert "rater 1 (second): too short" not in path.read_text(), "they agree on that case"
    fill(path, ["second", "", "none of them", ""])
    with pytest.raises(RequestError, match="line 2, column reason: is empty; say in a few words why"):
        decisions_in(adjudicated, path)
    fill(path, ["it is shorter", "", "'=no", ""], 1)
    assert decide_all(adjudicated, decisions_in(adjudicated, path))[:2] == (2, 0)
    decided = [known for n in range(4) if (known := adjudicated.decision_at(n))]
    assert [(known.label, known.adjudicated_label.reason) for known in decided] == [
        *(("second", "it is shorter"), ("[]", "=no"))
    ]
    assert decide_all(adjudicated, decisions_in(adjudicated, sheet_of(adjudicated, tmp_path))) == (0, 2, ())


def test_disputes_decided_meanwhile_stay_so_and_the_rest_of_a_sheet_is_saved(
    adjudicated: AdjudicationSession, tmp_path: Path
) -> None:
    path = sheet_of(adjudicated, tmp_path)
    fill(path, ["why"] * 4, 1)
    fill(path, ["first", "grammar", "style", "style"])
    for index, label in ((0, "first"), (1, '["style"]')):
        adjudicated.go_to(index)
        adjudicated.decide(label, "decided in the app")
    saved = decide_all(adjudicated, decisions_in(adjudicated, path))
    assert (saved.new, saved.same) == (2, 1)
    (other,) = saved.others
    assert "line 3: zoe decided d:" in other
    assert "errors already: 'style', not 'grammar'. It stays so; to change it, decide it again in" in other
    decided = [known.adjudicated_label.reason for n in range(4) if (known := adjudicated.decision_at(n))]
    assert decided == ["decided in the app", "decided in the app", "why", "why"]


def test_a_sheet_of_decisions_with_a_fault_saves_nothing(
    adjudicated: AdjudicationSession, tmp_path: Path
) -> None:
    path = sheet_of(adjudicated, tmp_path)
    fill(path, ["why"] * 4, 1)
    fill(path, ["third", "grammar", "", ""])
    with pytest.raises(RequestError, match="line 2, column answer: says 'third', which is none of first"):
        decisions_in(adjudicated, path)
    head, _, _, third, *_ = cells(path)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, ["style", *third[1:]], ["grammar", *third[1:]]])
    with pytest.raises(RequestError, match=r"line 3: decides the same dispute as .*line 2, in another way"):
        decisions_in(adjudicated, path)
    path.write_text(path.read_text().replace("question_key", "key of it"))
    with pytest.raises((InputError, RequestError), match="lacks the column 'question_key'"):
        decisions_in(adjudicated, path)
    fill(sheet_of(adjudicated, tmp_path), ["0" * 64], -1)
    with pytest.raises(RequestError, match=r"line 2: is about 'd:.*', which is no dispute"):
        decisions_in(adjudicated, path)
