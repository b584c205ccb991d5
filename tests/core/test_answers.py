"""Answers as the ledger keeps them: one label, several labels, a text."""

from itertools import combinations

import pytest

from reviewer.core.answer_kinds import NONE_OF_THEM
from reviewer.core.question import (
    Question,
    Sides,
    answer_fault,
    answer_from_other_side,
    answer_in_words,
    answer_with,
    chosen_labels,
)

LABELS = ("anger", 'fear, "sudden"', "über ]", "left", "right")
ASKED = Question(
    key="feelings",
    title="feelings",
    prompt="Which feelings does it show?",
    guideline="Choose all.",
    labels=LABELS,
    shows=("text",),
    sides=Sides(titles=("1", "2"), mirrored=(("left", "right"),)),
)
SEVERAL = ASKED.model_copy(update={"kind": "labels"})
FREE = ASKED.model_copy(update={"kind": "text", "labels": ()})


def test_every_set_of_labels_is_read_back_as_it_was_given() -> None:
    sets = [chosen for size in range(len(LABELS) + 1) for chosen in combinations(LABELS, size)]
    answers = {answer_with(SEVERAL, chosen[::-1]): chosen for chosen in sets}
    assert len(answers) == 2 ** len(LABELS)
    assert all(chosen_labels(SEVERAL, answer) == chosen for answer, chosen in answers.items())
    assert not any(answer_fault(SEVERAL, answer) for answer in answers)


@pytest.mark.parametrize(
    "answer",
    [
        "anger",
        '["anger","anger"]',
        '["left","anger"]',
        '[ "anger"]',
        '["joy"]',
        "[1]",
        "{}",
        "",
        "[" * 9_999,
    ],
)
def test_what_is_no_set_of_labels_is_told(answer: str) -> None:
    assert "is not a JSON list of labels of this question; its labels are anger" in str(
        answer_fault(SEVERAL, answer)
    )


def test_one_label_and_a_text_are_answers_as_they_stand() -> None:
    assert (answer_fault(ASKED, "anger"), chosen_labels(ASKED, "anger")) == (None, ("anger",))
    assert answer_fault(ASKED, "joy") == (
        "'joy' is not a label of this question; its labels are " + ", ".join(LABELS)
    )
    assert answer_fault(FREE, "two\nlines") is None
    assert answer_fault(FREE, " \n") == "the answer is empty; write it in a few words"
    assert "NUL" in str(answer_fault(FREE, "a\0b"))
    assert answer_fault(FREE, "x" * 10_001) == (
        "the answer has 10,001 characters; at most 10,000 are kept; shorten it"
    )
    with pytest.raises(ValueError, match="names no labels"):
        chosen_labels(FREE, "anger")


def test_people_read_sets_in_words() -> None:
    assert answer_in_words(SEVERAL, answer_with(SEVERAL, ["left", "anger"])) == "anger, left"
    assert answer_in_words(SEVERAL, "[]") == NONE_OF_THEM
    assert answer_in_words(ASKED, "anger") == "anger"
    assert answer_in_words(SEVERAL, "of an earlier wording") == "of an earlier wording"


def test_labels_of_exchanged_sides_are_exchanged() -> None:
    assert answer_from_other_side(ASKED, "left") == "right"
    assert answer_from_other_side(SEVERAL, '["anger","left"]') == '["anger","right"]'
    assert answer_from_other_side(FREE, "left") == "left"
