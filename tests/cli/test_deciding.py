"""``study close`` and ``reopen`` on the command line."""

from pathlib import Path

from reviewer.study.session import ReviewSession
from tests.cli.conftest import Run
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
