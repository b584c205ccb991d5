"""How the choice in a free answer is read."""

import json
from collections import Counter
from importlib.resources import files

import pytest

from reviewer.protocols.detail_levels.choice_reading import choice_matches, read_choice
from reviewer.protocols.detail_levels.reader_errors import known_readings

CHOICES = ("Benjamin", "James", "It could be either")
READINGS = {
    "**A. Benjamin** While there is no link, his clothes fit.": "A",
    "b": "B",
    "(C)": "C",
    "2": "B",
    "D": "names D, which is none of 3 choices",
    "Option B, since he is formal.": "B",
    "A friend told me: it could be either one.": "C",
    "A. Benjamin\nB. James\nC. It could be either\n\nThe answer is C.": "C",
    "I would not choose James. It could be either of them.": "C",
    "<think>James?</think>I say Benjamim.": "A",
    "maybe": "no choice is near enough",
    "": "empty",
    "x" * 50_001: "too long",
}


@pytest.mark.parametrize(("reply", "expected"), READINGS.items(), ids=[reply[:20] for reply in READINGS])
def test_an_answer_takes_one_choice_or_says_why_not(reply: str, expected: str) -> None:
    read = read_choice(reply, CHOICES)
    assert (read.label or read.why) == expected


def slow_similarity(first: str, second: str) -> float:
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(second, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return 1 - row[-1] / max(len(first), len(second))


def test_the_score_is_that_of_the_formula_over_all_windows() -> None:
    reply, choices = "i think that the tarin is safer", ("the train", "the plane")
    for match in choice_matches(reply, choices):
        choice = choices[match.choice]
        count = len(reply) - len(choice) + 1
        windows = [slow_similarity(reply[at : at + len(choice)], choice) for at in range(count)]
        assert match.score == pytest.approx(0.25 * sum(windows) / count + 0.75 * max(windows), abs=1e-12)
        assert match.greatest == max(windows)


def test_a_choice_longer_than_the_answer_and_one_equal_to_it_have_one_window() -> None:
    longer, equal = choice_matches("the train", ("the train home", "the train"))
    assert longer.score == longer.greatest == pytest.approx(9 / 14)
    assert equal.score == 1
    assert read_choice("The train.", ("the train home", "the train")).label == "B"


def test_a_negation_before_every_match_is_told_and_other_matches_come_first() -> None:
    only = read_choice("I would never take the train there", ("the train", "by car"))
    assert (only.label, "near a negation" in only.why) == ("A", True)
    both = read_choice("I would not take the train, I go by car instead", ("the train", "by car"))
    assert (both.label, "near a negation" in both.why) == ("B", False)


@pytest.mark.parametrize(
    ("reply", "remark"),
    [
        ("I would never take option B.", "named by B; near a negation"),
        ("Do NOT choose option B.", "named by B; near a negation"),
        ("Not James. I take option B, not because I must.", "named by B"),
        ("Never option B? No: option B it is.", "named by B"),
        ("C. I would not go\n\nOption B", "named by B"),
    ],
)
def test_a_negation_before_a_letter_is_told_too(reply: str, remark: str) -> None:
    read = read_choice(reply, CHOICES)
    assert (read.label, read.why) == ("B", remark)


def test_a_choice_inside_another_one_that_was_taken_does_not_count() -> None:
    assert (
        read_choice("Neither train nor car, I say.", ("train", "car", "neither train nor car")).label == "C"
    )


def test_numbers_name_no_choice_where_choices_are_numbers() -> None:
    assert read_choice("2", ("1", "2", "3")).label == "B"
    assert read_choice("3", ("5", "3", "1")).label == "B"
    assert read_choice("answer: 1", ("5", "3", "1")).label == "C"


def test_the_errors_on_answers_of_our_own_are_known_by_kind() -> None:
    text = (files("seeds") / "detail_levels" / "level-answers.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    readings = list(known_readings(text, "answers"))
    assert [reading.read for reading in readings] == [line["published"]["reading"] for line in lines]
    results = Counter((reading.kind, reading.result) for reading in readings)
    assert len(readings) == 200
    assert results["letter alone", "right"] == results["choice in its words", "right"] == 20
    assert results["in other words", "not read"] == 12
    assert results["several choices", "read without a choice"] > 0 < results["irony", "another choice"]
