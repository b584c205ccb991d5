"""A question that is asked for each entry of a list: its order, its numbers, and the name of the entry."""

import csv
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.protocols.declared.declared_protocol import protocol_of_text
from reviewer.results.labels.agreement_results import study_results
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_bundle import load_outline, load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_questions import study_questions
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.cli.conftest import Run
from tests.declarations import with_passages
from tests.protocols.declared.test_declaration_faults import faults

TEXT = """\
[protocol]
name = "criteria"
version = 1
title = "Criteria"

[fields]
answer = "answer"
criteria = { column = "criteria", type = "list" }

[source]
key = "{id}"

[pane.answer]
fields = "answer"

[question.met]
title = "criterion met"
prompt = "Does it meet this: {entry}?"
each = "criteria"
labels = ["yes", "no"]
passing = "yes"
shows = "answer"

[question.good]
prompt = "Is it good?"
labels = ["yes", "no"]
shows = "answer"
"""
ROWS = [
    {"id": "a", "answer": "It rains.", "criteria": ["short", "true"]},
    {"id": "b", "answer": "It snows.", "criteria": ["cold", " ", "white"]},
    {"id": "c", "answer": "It hails.", "criteria": []},
]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as opened:
        yield opened


def imported(database: Database, folder: Path, rows: list[dict[str, object]]) -> None:
    (folder / "criteria.toml").write_text(TEXT)
    (folder / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    import_path(database, folder / "rows.jsonl", "answers", protocol=str(folder / "criteria.toml"))


@pytest.fixture
def session(database: Database, tmp_path: Path) -> ReviewSession:
    imported(database, tmp_path, ROWS)
    create_study(database, "pilot", Design(("answers",), None, 7))
    return ReviewSession(database, "pilot", "anna")


def key_of(session: ReviewSession) -> str:
    return session.bundle.places[session.case.digest].key


def test_entries_of_a_case_follow_each_other_and_blank_ones_are_not_asked(session: ReviewSession) -> None:
    asked: dict[str, list[str]] = {}
    while not session.finished:
        asked.setdefault(f"{session.question.family} {key_of(session)}", []).append(session.wording)
        session.answer("yes")
    assert asked == {
        "met a": ["Does it meet this: short?", "Does it meet this: true?"],
        "met b": ["Does it meet this: cold?", "Does it meet this: white?"],
        **{f"good {key}": ["Is it good?"] for key in "abc"},
    }


def test_place_counts_cases_and_the_block_holds_the_entries_of_one(session: ReviewSession) -> None:
    place = session.place
    assert (place.question_number, place.question_count, place.case_number, place.case_count) == (1, 2, 1, 2)
    assert len(session.block) == 2
    session.answer("yes")
    assert session.place.case_number == 1
    session.answer("yes")
    assert (session.place.case_number, session.block) == (2, range(2, 4))
    session.go_to(4)
    assert (session.place.case_count, len(session.block)) == (3, 1)


def test_agreement_pools_entries_and_resamples_cases(session: ReviewSession, database: Database) -> None:
    other = ReviewSession(database, "pilot", "ben")
    for each in (session, other):
        while not each.finished:
            differs = each is other and each.bundle.entry_text(each.question, each.slot.case) == "white"
            each.answer("no" if differs else "yes")
    for bundle in (load_study(database, "pilot"), load_outline(database, "pilot")):
        rows = label_rows(bundle, Ledger(database).events("pilot"))
        results = study_results(bundle, rows, ("question",))
        met = next(result for result in results if result.where["question"] == "criterion met")
        assert (met.items, met.cases, met.ratings) == (4, 2, 8)
        assert met.of("po_all_agree").value == 0.75
        about = {(row.place.key, bundle.entry_text(row.question, row.place.case)) for row in rows}
        assert about - {(key, "") for key in "abc"} == {
            *(("a", "short"), ("a", "true"), ("b", "cold"), ("b", "white"))
        }


def test_labels_disputes_and_report_say_which_entry(
    session: ReviewSession, database: Database, tmp_path: Path, run: Run
) -> None:
    other = ReviewSession(database, "pilot", "ben")
    for each in (session, other):
        while not each.finished:
            each.answer("no" if each is other and key_of(each) == "b" else "yes")
    assert run("export", "pilot", "-o", "out").code == 0
    assert run("report", "pilot", "--no-figures", "-o", "report").code == 0
    for name in ("labels", "final_labels"):
        with (tmp_path / "out" / f"{name}.csv").open() as file:
            entries = {row["question_key"]: row["entry"] for row in csv.DictReader(file) if row["key"] == "b"}
        assert entries == {"met_1": "cold", "met_3": "white", "good": ""}
    report = (tmp_path / "report" / "report.md").read_text()
    assert "- entry: white" in report
    assert "criterion met (2 cases, each entry of a list, 4 in all" in report
    assert "> About case “a”: Does it meet this: short?" in report
    assert "2 raters judged 3 cases on 2 questions: 7 items" in report


def test_an_adjudicator_reads_which_entry_another_answer_is_about(
    session: ReviewSession, database: Database
) -> None:
    other = ReviewSession(database, "pilot", "ben")
    for each in (session, other):
        while not each.finished:
            each.answer("no" if each is other and each.question.key != "good" else "yes")
    close_study(database, "pilot", "kim")
    decides = AdjudicationSession(database, "pilot", "zoe")
    decides.go_to(next(n for n in range(4) if decides.place_at(n).key == "b"))
    said = {comment.label: comment.elsewhere for comment in decides.dispute.comments}
    assert said["no"] == (("criterion met “white”", "no"), ("good", "yes"))


def test_a_question_is_chosen_whole_or_by_entry() -> None:
    protocol = protocol_of_text(TEXT, "criteria.toml")
    for name in ("met", "criterion met"):
        assert len(study_questions(protocol, [name], ())) == 50
    assert [question.key for question in study_questions(protocol, ["met_2"], ())] == ["met_2"]


def test_more_entries_than_can_be_asked_are_refused(database: Database, tmp_path: Path) -> None:
    with pytest.raises(
        InputError,
        match=r"line 1, column 'criteria': holds 51 entries, and at most 50 are possible; correct it",
    ):
        imported(database, tmp_path, [{"id": "a", "answer": "It rains.", "criteria": ["x"] * 51}])


@pytest.mark.parametrize(
    ("passage", "instead", "fault"),
    [
        ("{entry}", "this", "[question.met] prompt: does not say which entry is meant"),
        ('each = "criteria"', 'each = "answer"', "[question.met] each: names field 'answer' of type text"),
        ('each = "criteria"', 'each = "crit"', "[question.met] each: there is no field 'crit'"),
        ("[question.good]", "[question.met_3]", "[question.met_3]: has the key that entry 3"),
        (
            "[question.good]",
            '[published.judge]\ncolumn = "judge"\nopinion_on = "met"\n\n[question.good]',
            "[published.judge] opinion_on: names question 'met', which is asked once for each entry",
        ),
        (
            "[question.good]",
            '[check.long]\nrule = "same"\nfields = "answer"\nquestion = "met"\n\n[question.good]',
            "[check.long] question: names question 'met', which is asked once for each entry",
        ),
    ],
)
def test_declarations_that_do_not_fit_are_refused(passage: str, instead: str, fault: str) -> None:
    assert any(fault in found for found in faults(with_passages((passage, instead), text=TEXT)))
