"""Warnings about raters: when there is one, when there is none, and that none says what was answered."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from reviewer.core.dialogue import Dialogue, Turn
from reviewer.core.pane import Pair, Text, Variants
from reviewer.results.labels.rater_warnings import RaterWarning, rater_warnings
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.reading_times import _words
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.studies import a_case, fill, open_store

CASES, KNOWN = 3, 2
LONG = "Wait for the audit. " * 100  # 400 words, which take a fast reader a minute
Answer = Callable[[int], str]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return open_store(tmp_path)


def turn_about(number: int) -> str:
    return ("True", "False")[number % 2]


def warnings_now(database: Database) -> list[RaterWarning]:
    bundle, events = read_study(database, "pilot")
    return rater_warnings(bundle, label_rows(bundle, events))


def warnings(
    database: Database,
    rater: str,
    seconds: float,
    labels: Answer = turn_about,
    *,
    verdicts: int | None = None,
) -> list[RaterWarning]:
    """What is said of a rater who answers with these labels, each after so many active seconds."""
    spent = iter(number * seconds for number in range(10_000))
    session = ReviewSession(database, "pilot", rater, stopwatch=lambda: next(spent))
    for number in range(len(session.slots) if verdicts is None else verdicts):
        session.answer(labels(number))
        session.proceed()
    return warnings_now(database)


def study(database: Database, roles: Sequence[str] = (), **options: object) -> None:
    """Three counted cases; with roles, two further cases of each with "True" as the known answer."""
    cases = [a_case(number, unbiased=f"{LONG} {number}") for number in range(CASES + KNOWN * len(roles))]
    fill(database, "data", cases)
    given = [
        GivenAnswer(
            role, "a file", "data", f"anchoring bias/{CASES + KNOWN * at + number}", "same_task", "True"
        )
        for at, role in enumerate(roles)
        for number in range(KNOWN)
    ]
    chosen = Options.model_validate(options)
    create_study(database, "pilot", Design(("data",), None, 7, options=chosen, given=tuple(given)))


def test_answers_faster_than_reading_are_told(database: Database) -> None:
    study(database)
    (warning,) = warnings(database, "anna", 0.0)
    assert warning.kind == "speed"
    assert (
        "anna answered 3 of 3 cases faster than people read. The median is 0.0 seconds until the first "
        "answer about the longest text of a case; a fast reader needs about 60 for it." in warning.sentence
    )


def test_all_answers_about_a_case_share_one_reading(database: Database) -> None:
    study(database, asking="case")
    assert warnings(database, "anna", 20.0) == []


def test_a_case_that_comes_back_was_not_read_before_its_first_answer(database: Database) -> None:
    study(database)
    (warning,) = warnings(database, "anna", 20.0)
    assert "The median is 20.0 seconds until the first answer" in warning.sentence


def test_answers_without_times_are_not_called_fast(database: Database) -> None:
    study(database)
    session = ReviewSession(database, "pilot", "anna")
    session.answer("True")
    assert warnings_now(database) == []


def test_one_label_always_is_told_and_not_named(database: Database) -> None:
    study(database)
    (warning,) = warnings(database, "anna", 300.0, lambda _number: "True")
    assert warning.sentence == "anna gave the same label in all 12 answers."


def test_a_few_equal_labels_say_nothing(database: Database) -> None:
    study(database)
    assert warnings(database, "anna", 300.0, lambda _number: "True", verdicts=9) == []


def test_failed_gold_is_told_with_its_count(database: Database) -> None:
    study(database, ["gold"])
    found = warnings(database, "anna", 300.0, lambda number: "False" if number < 5 else "True")
    assert [warning.sentence for warning in found] == [
        "anna matched 0 of 2 known answers in gold cases; the pass mark is 70%."
    ]


def test_training_counts_against_its_pass_mark_when_it_is_over(database: Database) -> None:
    study(database, ["training"], training_pass=0.8)
    assert warnings(database, "anna", 300.0, lambda _number: "False", verdicts=1) == []
    found = warnings(database, "anna", 300.0, lambda _number: "False", verdicts=1)
    assert [warning.sentence for warning in found] == [
        "anna matched 0 of 2 known answers in the training; the pass mark is 80%."
    ]
    assert warnings(database, "ben", 300.0, lambda _number: "True", verdicts=2) == found


def test_training_without_a_pass_mark_is_not_judged(database: Database) -> None:
    study(database, ["training"])
    assert warnings(database, "anna", 300.0, lambda _number: "False", verdicts=2) == []


def test_texts_that_are_not_compared_are_all_read() -> None:
    one, two = Text("one two three"), Text("one two")
    assert _words(Pair("a", "b", one, two)) == 3
    assert _words(Pair("a", "b", one, two, compared=False)) == 5
    assert _words(Variants((("a", one), ("b", two), ("c", two)))) == 3
    assert _words(Variants((("a", one), ("b", two), ("c", two)), compared=False)) == 7
    assert _words(Dialogue((Turn("a", "one two"), Turn("b", "three")))) == 3
