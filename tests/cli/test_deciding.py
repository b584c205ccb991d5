"""Closing, opening again and final labels on the command line."""

import csv
import io
import json
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.session.review_session import ReviewSession
from tests.cli.conftest import Result, Run
from tests.rounds import mostly_slow
from tests.studies import a_study, open_store


def test_closing_and_opening_again(run: Run, tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database)
    ReviewSession(database, "pilot", "anna").answer("True")
    refused = run("study", "close", "pilot", "--as", "lead")
    assert (refused.code, refused.out) == (2, "")
    assert "anna has done 1 of 12" in refused.err
    assert "Traceback" not in refused.err
    assert run("study", "close", "pilot", "--as", "lead", "--why", "[red]x", "--anyway").code == 0
    assert "closed" in run("study", "list").out
    shown = run("study", "show", "pilot")
    assert "closed by lead: [red]x (anna owed 11)" in shown.err
    assert run("study", "reopen", "pilot", "--as", "lead").code == 2
    assert run("study", "reopen", "pilot", "--as", "lead", "--why", "too early").code == 0
    assert "opened again by lead: too early" in run("study", "show", "pilot").err


def test_a_study_that_there_is_not(run: Run, tmp_path: Path) -> None:
    open_store(tmp_path)
    for command in (("close", "x"), ("reopen", "x", "--why", "y")):
        failed = run("study", *command)
        assert failed.code == 2
        assert "study 'x' is not in the store" in failed.err


@pytest.fixture
def split(tmp_path: Path) -> None:
    """Anna and ben answer one question of three cases each, and differ on all."""
    database = open_store(tmp_path)
    a_study(database)
    for rater, label in (("anna", "True"), ("ben", "False")):
        session = ReviewSession(database, "pilot", rater)
        for _ in range(3):
            session.answer(label)


@pytest.mark.usefixtures("split")
def test_final_labels_counted(run: Run, tmp_path: Path) -> None:
    database = open_store(tmp_path)
    third = ReviewSession(database, "pilot", "cara")
    for _ in range(3):
        third.answer("True")
    zoe = AdjudicationSession(database, "pilot", "zoe")
    zoe.decide("False", "against the majority")
    zoe.next_open()
    zoe.decide("True", "with the majority")
    rows = json.loads(run("labels", "pilot", "--counts", "--format", "json").out)
    columns = ("items", "unanimous", "majority", "adjudicated", "open", "overruled", "passing")
    told = {row["question"]: tuple(row[column] for column in columns) for row in rows}
    assert len(told) == 5
    assert told["same task"] == (3, 0, 1, 2, 0, 1, 0.666666666666667)
    assert told["axioms"] == (3, 0, 0, 0, 3, 0, None)
    assert told["all"] == (12, 0, 1, 2, 9, 1, 0.666666666666667)
    assert [row["passing_method"] for row in rows if row["passing"] is not None] == ["Wilson", "Wilson"]
    shown = run("labels", "pilot", "--counts")
    assert ".67°" in shown.out
    assert "of items" in shown.out
    assert "overruled: items adjudicated against a majority" in shown.err
    assert "Items without a final label are left out of this pass rate." in shown.err
    assert "leave --rater out" in run("labels", "pilot", "--counts", "--rater", "anna").err


@pytest.mark.usefixtures("split")
def test_final_labels_and_where_a_rater_differs(run: Run, tmp_path: Path) -> None:
    zoe = AdjudicationSession(open_store(tmp_path), "pilot", "zoe")
    zoe.decide("False", "x([red]) \x1b[31m, a rule is missing")
    shown = run("labels", "pilot")
    assert shown.code == 0
    assert "True (1 vote), False (1 vote)" in shown.out
    assert "adjudicated" in shown.out
    assert (
        "0 unanimous, 0 majority, 1 adjudicated, 11 open. Rule: adjudicated, else strict majority"
        in shown.err
    )
    assert "not closed" in shown.err
    rows = list(csv.DictReader(io.StringIO(run("labels", "pilot", "--format", "csv").out)))
    assert len(rows) == 12
    assert {row["open_because"] for row in rows} == {
        "",
        "no label",
        "no label has more than half of the votes",
    }
    own = json.loads(run("labels", "pilot", "--rater", "anna", "--differences", "--format", "json").out)
    assert [(row["label"], row["final"], row["reason"]) for row in own] == [
        ("True", "False", "x([red]) \x1b[31m, a rule is missing")
    ]
    told = run("labels", "pilot", "--rater", "anna", "--differences")
    assert "x([red]) ␛[31m" in told.out
    assert "anna differs from the final label on 1 of 3." in told.err
    assert len(json.loads(run("labels", "pilot", "--rater", "ben", "--format", "json").out)) == 3


@pytest.mark.usefixtures("split")
def test_requests_that_fit_nothing(run: Run) -> None:
    for arguments, sentence in (
        (("labels", "pilot", "--differences"), "name one with --rater"),
        (("labels", "pilot", "--rater", "zoe"), "'zoe' has labelled nothing in 'pilot'"),
        (("labels", "nil"), "study 'nil' is not in the store"),
    ):
        failed = run(*arguments)
        assert (failed.code, failed.out) == (2, "")
        assert sentence in failed.err


@pytest.mark.usefixtures("split")
def test_the_export_holds_final_labels_and_their_codebook(run: Run, tmp_path: Path) -> None:
    assert run("export", "pilot", "-o", "out").code == 0
    rows = (tmp_path / "out" / "final_labels.jsonl").read_text().splitlines()
    assert len(rows) == 12
    book = list(csv.DictReader(io.StringIO((tmp_path / "out" / "codebook.csv").read_text())))
    described = {row["column"]: row["meaning"] for row in book if row["file"] == "final_labels.csv"}
    assert set(described) == {"", *json.loads(rows[0])}
    assert described["majority"].startswith("the label of more than half")
    assert (tmp_path / "out" / "final_labels.csv").exists()


@pytest.mark.usefixtures("split")
@pytest.mark.parametrize("form", ["table", "csv", "json"])
@mostly_slow(2)
@pytest.mark.parametrize("command", ["labels", "agreement"])
def test_who_has_not_finished_is_said_beside_what_raters_must_not_see_yet(
    run: Run, command: str, form: str
) -> None:
    shown = run(command, "pilot", "--format", form)
    assert "Not finished: anna has done 3 of 12, ben has done 3 of 12" in shown.err
    assert "Not finished" not in shown.out
    assert run("study", "close", "pilot", "--as", "lead", "--anyway").code == 0
    assert "Not finished" not in run(command, "pilot", "--format", form).err


def test_nobody_is_said_to_lag_who_has_shown_cases_twice_or_adjudicates(run: Run, tmp_path: Path) -> None:
    database = open_store(tmp_path)
    a_study(database, cases=4, repeats=0.5, raters=["anna"])
    anna = ReviewSession(database, "pilot", "anna")
    while not anna.finished:
        anna.answer("True")
        anna.proceed()
    assert "Not finished" not in run("agreement", "pilot").err


@pytest.mark.parametrize("nothing", [" ", "\u200b", "\u00ad \ufeff", "\x1b", "\u3164", "\u2800\n"])
def test_closing_with_an_empty_reason_asks_for_one(run: Run, tmp_path: Path, nothing: str) -> None:
    with closing(open_store(tmp_path)) as database:
        a_study(database)
    done = run("study", "close", "pilot", "--as", "lead", "--anyway", "--why", nothing)
    assert (done.code, "--why is empty; say in a few words why" in done.err) == (2, True)
    assert run("study", "close", "pilot", "--as", "lead", "--anyway").code == 0
    again = run("study", "reopen", "pilot", "--as", "lead", "--why", nothing)
    assert (again.code, "needs a reason" in again.err) == (2, True)


@pytest.fixture
def adjudicate(run: Run, split: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Result]:
    """Adjudication in plain mode of a closed study, from these lines."""
    assert run("study", "close", "pilot", "--as", "lead", "--why", "enough", "--anyway").code == 0

    def call(lines: str) -> Result:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        return run("adjudicate", "pilot", "--as", "zoe", "--plain")

    return call


def final_labels(run: Run) -> dict[str, str]:
    rows = csv.DictReader(io.StringIO(run("labels", "pilot", "--format", "csv").out))
    return {row["key"]: row["final"] for row in rows if row["adjudicated"] not in ("", None)}


def test_file_of_decisions_is_completed_from_the_list_and_taken_once(
    run: Run, adjudicate: Callable[[str], Result]
) -> None:
    listed = adjudicate("list\n").out
    assert "anna" not in listed + adjudicate("r\na\nn\nb\n").out
    names = [line.strip() for line in listed.splitlines() if re.fullmatch(r"\S+:.* \w+ ?", line)]
    assert len(names) == 3
    sheet = "".join(
        f"{name} {answer} because case {answer}\n" for name, answer in zip(names, "101", strict=True)
    )
    done = adjudicate(sheet)
    assert (done.code, "3 of 3 disputes decided" in done.out) == (0, True), done.err
    assert sorted(final_labels(run).values()) == ["False", "True", "True"]
    again = adjudicate(sheet)
    assert (again.code, again.out.count("As before: ")) == (0, 3)
    other = adjudicate(f"{names[0]} 0 because no\n")
    assert other.code == 2
    assert (
        "zoe decided this already: True; leave the line out, or decide it again in the app. This line and"
        in other.err
    )
    reworded = adjudicate(f"{names[0]} 1 because of another reason\n")
    assert (reworded.code, reworded.out.count("As before: ")) == (0, 1)
    assert adjudicate(f"u\n{names[2]} 0 because no\n").code == 0
    assert sorted(final_labels(run).values()) == ["False", "False", "True"]


def test_line_without_a_reason_or_an_answer_ends_the_file(
    run: Run, adjudicate: Callable[[str], Result]
) -> None:
    for line, says in (
        ("1", "a decision is ANSWER because REASON; '1' is none"),
        ("7 because it is", "'7' is not an answer; the answers are t/1 True, f/0 False"),
        ("1 because ", "a decision is ANSWER because REASON"),
    ):
        refused = adjudicate(f"1 because the first\n{line}\n0 because never taken\nu\n")
        assert (refused.code, says in refused.err) == (2, True), refused.err
        assert "line 2" in refused.err
        assert len(final_labels(run)) == 1
        assert adjudicate("u\n").code == 0


def test_put_off_dispute_stays_open(run: Run, adjudicate: Callable[[str], Result]) -> None:
    done = adjudicate("s\n1 because yes\nh\nq\n0 because not read\n")
    assert "Put off: " in done.out
    assert "ANSWER because REASON: decide, such as" in done.out
    assert "Everything is saved: 1 of 3 disputes decided." in done.out
    assert len(final_labels(run)) == 1
