"""Reviewing line by line: what is read from standard input, and what is printed."""

import io
import re
from pathlib import Path

import pytest

from reviewer.study.design import Options
from reviewer.study.sampling import Design, create_study
from store.database import Database
from store.ledger import Ledger
from tests.cli.conftest import Result, Run
from tests.studies import a_case, a_study, fill


@pytest.fixture
def plain(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``plain("t\\nf\\n")`` on the study that stands in the folder's store."""

    def call(text: str) -> Result:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return run("review", "pilot", "--rater", "anna", "--plain")

    return call


def store(folder: Path, **options: object) -> Database:
    database = Database.open(str(folder / "reviewer.db"))
    a_study(database, **options)  # type: ignore[arg-type]
    return database


def said(database: Database) -> list[tuple[str, str | None]]:
    return [(event.kind, event.value) for event in Ledger(database).events("pilot")]


def test_answers_come_from_a_pipe_and_the_end_of_it_ends_the_review(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    result = plain("t\nf\n")
    assert (result.code, result.err) == (0, "")
    assert said(database) == [("label", "True"), ("label", "False")]
    assert "Question 1 of 4, same task. Case 1 of 3." in result.out
    assert "Saved: same task = True (case 1)." in result.out
    assert result.out.endswith("Everything is saved: 2 of 12 done.\n")
    assert re.search("[\x00-\x09\x0b-\x1f\x7f]", result.out) is None
    assert "2 of 12 done. h helps" in plain("").out


def test_every_command_does_what_the_help_says(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    result = plain("h\ns\nb\nc two words\nx\nTRUE\nu\nn\no\ng\na\nr\nwhat\nq\nt\n")
    assert result.code == 0
    assert said(database) == [
        ("skip", None),
        ("comment", "two words"),
        ("flag", "flagged"),
        ("label", "True"),
        ("undo", None),
    ]
    assert "Not understood: 'what'" in result.out
    assert "u       undo" in result.out
    assert "Your comment: two words" in result.out


def test_a_case_is_read_out_with_what_differs(plain: Run, tmp_path: Path) -> None:
    store(tmp_path)
    out = plain("").out
    assert "unbiased:\n  I plan release" in out
    assert re.search(r"at the right: '.*Ten ship", out)
    assert "program" not in out
    assert "axioms" in plain("a\n").out


def test_a_contradiction_a_second_look_and_their_answers(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path, asking="case", reveal="findings")
    result = plain("f\n\nt\nw an option is gone\n\n")
    assert said(database) == [
        ("label", "False"),
        ("note", "revealed"),
        ("label", "False"),
        ("label", "True"),
        ("reason", "an option is gone"),
        ("note", "revealed"),
        ("label", "True"),
    ]
    assert "Do both stand?" in result.out


def test_training_says_right_or_wrong_and_why(plain: Run, tmp_path: Path) -> None:
    from reviewer.study.known_answers import GivenAnswer

    database = Database.open(str(tmp_path / "reviewer.db"))
    fill(database, "data", [a_case(number) for number in range(3)])
    known = GivenAnswer(
        "training", "t.csv", "data", "anchoring bias/0", "same_task", "False", "It \x1b[31mchanged."
    )
    create_study(database, "pilot", Design(("data",), None, 1, options=Options(), given=(known,)))
    out = plain("t\n\nt\n").out
    assert "Training: ✗ The known answer is False. It ␛[31mchanged." in out
    assert "Training. Question 1 of 1" in out
    assert "Question 1 of 4, same task. Case 1 of 2." in out


def test_what_cannot_be_saved_is_said_and_nothing_moves(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    result = plain("c a\0b\nt\n")
    assert "Not saved: the comment holds a NUL character" in result.out
    assert said(database) == [("label", "True")]


def test_the_end_is_said(plain: Run, tmp_path: Path) -> None:
    store(tmp_path)
    out = plain("t\n" * 12).out
    assert "Everything is answered. b goes back, q quits." in out
    assert out.endswith("Everything is saved: 12 of 12 done.\n")


def test_an_answer_says_that_it_was_given_line_by_line_and_what_was_read_out(
    plain: Run, tmp_path: Path
) -> None:
    database = store(tmp_path)
    plain("t\na\nt\n")
    first, second = Ledger(database).events("pilot")
    assert (first.given, first.panes) == ("plain", ["texts"])
    assert (second.given, second.panes) == ("plain", ["axioms", "programs", "proof", "texts"])
