"""Raters whom the lead leaves out of the numbers, and counts again."""

import csv
from pathlib import Path

import pytest

from reviewer.study.integrity.quarantine import read_study
from store.database import Database
from store.ledger import Ledger
from tests.cli.conftest import Run
from tests.second_protocol.test_scales import GRADED, database, graded, rows
from tests.tui.conftest import WIDE, Opener, press, seen

__all__ = ["database", "graded"]
WHY = "ben wrote some of the items"


@pytest.fixture
def left_out(database: Database, run: Run) -> str:
    words = ("--as", "lead", "--why", WHY)
    done = run("study", "exclude", "pilot", "ben", *words, protocols=GRADED)
    assert done.code == 0, done.err
    assert "left out: ben by lead: ben wrote some of the items" in done.err
    return "ben"


def test_nothing_of_them_counts_and_both_results_are_shown(left_out: str, run: Run) -> None:
    (fit,) = [row for row in rows(run, "agreement", "pilot", "--by", "question") if row["question"] == "fit"]
    assert (fit["raters"], fit["labels"], fit["po_all_agree"]) == (2, 12, 0.5)
    compared = rows(run, "agreement", "pilot", "--both-ways")
    fits = {row["raters_counted"]: row for row in compared if row["question"] == "fit"}
    assert fits["without"]["fleiss_kappa_quadratic"] == fit["fleiss_kappa_quadratic"]
    assert (fits["everybody"]["raters"], fits["everybody"]["labels"]) == (3, 18)
    assert {row["given"] for row in rows(run, "labels", "pilot")} == {2}
    said = run("agreement", "pilot", protocols=GRADED).err
    assert "ben is left out since " in said
    assert f"as lead decided: {WHY}." in said


@pytest.mark.draws
@pytest.mark.usefixtures("left_out")
async def test_the_app_shows_both_results_with_the_reason(opened: Opener) -> None:
    async with opened(None, WIDE) as pilot:
        await press(pilot, "a")
        assert "ben left out" in seen(pilot)
        await press(pilot, *"vvvvv")
        text = seen(pilot)
        assert "agreement · without and with raters left out" in text
        assert WHY in text
        assert all(word in text for word in (" without ", " everybody "))
        await press(pilot, "v")
        assert "agreement · heat map" in seen(pilot)


def test_their_answers_are_exported_and_marked(left_out: str, run: Run, tmp_path: Path) -> None:
    assert run("export", "pilot", "-o", tmp_path / "out", protocols=GRADED).code == 0
    with (tmp_path / "out" / "labels.csv").open(newline="") as file:
        marks = {(row["rater"], row["left_out"]) for row in csv.DictReader(file)}
    assert marks == {("anna", "False"), ("ben", "True"), ("cara", "False")}
    assert (tmp_path / "out" / "both_ways.csv").exists()


def test_the_report_says_who_and_why_also_without_names(left_out: str, run: Run, tmp_path: Path) -> None:
    for words in ((), ("--anonymous",)):
        done = run("report", "pilot", "-o", tmp_path, "--no-figures", *words, protocols=GRADED)
        assert done.code == 0, done.err
        text = (tmp_path / "report.md").read_text()
        assert "Raters left out" in text
        assert "wrote some of the items" in text
        assert ("ben" in text) == (not words)


def test_it_is_on_the_record_and_can_be_taken_back(database: Database, left_out: str, run: Run) -> None:
    before = Ledger(database).events("pilot")
    taken = run("study", "include", "pilot", "ben", "--as", "lead", "--why", "a mix-up", protocols=GRADED)
    assert taken.code == 0, taken.err
    bundle, events = read_study(database, "pilot")
    assert [act.kind for act in bundle.acts][-2:] == ["exclude", "include"]
    assert (dict(bundle.excluded), events) == ({}, before)
    assert "nobody" not in run("study", "show", "pilot", protocols=GRADED).out
    refused = run("agreement", "pilot", "--both-ways", protocols=GRADED)
    assert (refused.code, "no rater of study 'pilot' is left out" in refused.err) == (2, True)
    assert run("store", "check", protocols=GRADED).code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("exclude", "pilot", "zoe", "--why", "x"), "'zoe' is not a rater of study 'pilot'"),
        (("exclude", "pilot", "ben", "--why", " "), "leaving a rater out needs a reason"),
        (("include", "pilot", "ben"), "'ben' is not left out of study 'pilot'"),
        (("exclude", "none", "ben", "--why", "x"), "study 'none' is not in the store"),
    ],
)
def test_refusals_write_nothing(
    database: Database,
    run: Run,
    words: tuple[str, ...],
    sentence: str,
) -> None:
    before = read_study(database, "pilot")[0].acts
    refused = run("study", *words, "--as", "lead", protocols=GRADED)
    assert (refused.code, refused.out) == (2, "")
    assert sentence in refused.err
    assert read_study(database, "pilot")[0].acts == before
