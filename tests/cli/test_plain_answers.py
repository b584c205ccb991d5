"""Plain mode: many labels, several labels, free text."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.cli.plain_speech import answer_written
from reviewer.core.question import Question
from reviewer.study.design.study_bundle import load_study
from store.database import Database
from store.ledger import Ledger
from tests.cli.conftest import Result, Run
from tests.cli.test_plain import Typed
from tests.studies import FREE, SEVERAL, a_study, with_questions

MANY = tuple(f"label {letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
Say = Callable[..., Result]


@pytest.fixture
def say(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Say:
    """Lines for a study with these questions, typed or from a pipe."""

    def call(text: str, *, typed: bool = True) -> Result:
        monkeypatch.setattr("sys.stdin", Typed(text) if typed else io.StringIO(text))
        return run("review", "pilot", "--rater", "anna", "--plain")

    return call


def asked(folder: Path, *questions: dict[str, object], cases: int = 3) -> Database:
    database = Database.open(str(folder / "reviewer.db"))
    keys = ("same_task", "bias_presence", "reconstruction")[: len(questions)]
    a_study(database, cases=cases, questions=keys, asking="case")
    with_questions(database, dict(zip(keys, questions, strict=True)))
    return database


def said(database: Database) -> list[str | None]:
    return [event.value for event in Ledger(database).events("pilot") if event.kind == "label"]


def test_many_labels_are_found_and_written_in_full(say: Say, tmp_path: Path) -> None:
    one = {"passing": (), "sides": None, "labels": MANY, "definitions": {"label c": "The third."}}
    database = asked(tmp_path, one, cases=4)
    shown = say("find LABEL C\nlabel c\n1\nlabel x\nq\n").out
    assert "1 label with these words:\n  label c: The third." in shown
    assert "any of the 26 labels in full, which `find TEXT` lists" in shown
    assert "1 label c" in shown, "the label used last has a digit for who types"
    assert said(database) == ["label c", "label c", "label x"]
    refused = say("1\n", typed=False)
    assert "it is none of the answers or commands" in refused.err, "labels used last have no digit in a pipe"
    assert len(said(database)) == 3


def test_several_labels_and_texts_are_answered_in_lines(say: Say, tmp_path: Path) -> None:
    database = asked(tmp_path, SEVERAL, FREE)
    result = say(
        "1 2\nwrite The task is the same_task.\nnone\nwrite\nmaybe\nwrite two  words\nb\nagain fine\nq\n"
    )
    assert "Saved: same task = anger, fear (case 1)." in result.out
    assert "Saved: same task = none of them (case 2)." in result.out
    assert "Answer: write TEXT." in result.out
    assert result.out.count("Not understood") == 2
    assert "Here an answer in free text begins with write." in result.out
    assert said(database) == ['["anger","fear"]', "The task is the same_task.", "[]", "two  words", "fine"]
    piped = say("joy, calm; left\nwrite from a pipe\n", typed=False)
    assert piped.code == 0, piped.err
    assert said(database)[-2:] == ['["joy, calm","left"]', "from a pipe"]


def question(database: Database, **fields: object) -> Question:
    return load_study(database, "pilot").questions[0].model_copy(update=fields)


def test_lines_mean_the_label_that_they_name(tmp_path: Path) -> None:
    database = Database.open(str(tmp_path / "reviewer.db"))
    a_study(database, cases=1)
    scale = question(database, labels=tuple(map(str, range(21))))
    assert [answer_written(scale, line) for line in ("0", "9", "10", "-", "20", "21")] == [
        *("0", "9", "10", "10", "20"),
        None,
    ]
    numbered = question(database, labels=("0: none", "1: some", "10: all"))
    assert [answer_written(numbered, line) for line in ("0", "1", "10", "-", "1: SOME", "2")] == [
        *("0: none", "1: some", "10: all", "10: all", "1: some"),
        None,
    ]
    several = question(database, **{**SEVERAL, "labels": ("anger", "fear", "joy, calm", "none")})
    assert answer_written(several, "anger,fear") == '["anger","fear"]'
    assert answer_written(several, "joy, calm") == '["joy, calm"]'
    assert answer_written(several, "joy, calm; 1") == '["anger","joy, calm"]'
    assert answer_written(several, '["fear"]') == '["fear"]'
    assert answer_written(several, "none of them") == "[]"
    assert answer_written(several, "none") == '["none"]'
    assert answer_written(several, "anger, joy") is None


def test_a_label_that_begins_with_its_key_is_told_once(say: Say, tmp_path: Path) -> None:
    asked(tmp_path, {"labels": ("1 very easy", "2 easy", "hard"), "passing": (), "sides": None})
    assert "Answer: 1 very easy, 2 easy, 3 hard." in say("q\n").out
