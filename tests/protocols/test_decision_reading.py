"""What is read in replies of many forms, and what is not."""

import csv

import pytest

from reviewer.protocols.probe_swe.decision_reading import (
    BOTH_SIDES,
    CUT_OFF,
    EMPTY,
    NO_DECISION,
    NO_SIDE,
    TOO_LONG,
    read_decision,
)
from tests.shared_data import shared_file

JUDGED = {"appropriate": "A", "inappropriate": "B"}


def test_the_shared_replies_are_read_as_is_sensible() -> None:
    with shared_file("evaluation/replies.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    read = {row["reply"]: read_decision(row["reply"], JUDGED).option or "" for row in rows}
    assert read == {row["reply"]: row["sensible"] for row in rows}


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("Decision: **Option B**", "B"),
        ('Decision: "Option A"', "A"),
        ("Decision: [Option A]", "A"),
        ("## Decision:\n\n**Option B** because it is simpler", "B"),
        ("Decision:\nB", "B"),
        ("Decision: I would go with Option B here.", "B"),
        ("Decision: I would choose B.", "B"),
        ("Decision: Option B over Option A", "B"),
        ("Decision: Option A rather than B", "A"),
        ("Decision: choose Option A instead of Option B", "A"),
        ("Decision: B, since A is not maintainable", "B"),
        ("Decision: Don't choose Option A; choose Option B", "B"),
        ("Decision: a", "A"),
        ("Decision: a better fit is Option B", "B"),
        ("Decision: A simple patch: Option B", "B"),
        ("My final decision: (b)", "B"),
        ("Recommendation: Option A", "A"),
        ("Option A: fast\nOption B: safe\nDecision: Option B", "B"),
        ("Decision: it was inappropriate", "B"),
        ("Decision: Appropriate (Option A)", "A"),
        ("DECISION: OPTION A", "A"),
        ("Decision: option_b", "B"),
    ],
)
def test_what_decides_is_read(reply: str, option: str) -> None:
    assert read_decision(reply, JUDGED).option == option


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", EMPTY),
        (" \n\t", EMPTY),
        ("<think>Option A it is. Decision: Option A", CUT_OFF),
        ("Explanation: x\nDecision:", CUT_OFF),
        ("I cannot say.", NO_DECISION),
        ("Option A: fast\nOption B: safe", NO_DECISION),
        ("Decision: it depends", NO_SIDE),
        ("Decision: neither of them", NO_SIDE),
        ("Decision: not Option A", NO_SIDE),
        ("Decision: Option A is not recommended", NO_SIDE),
        ("Decision: both A and B", BOTH_SIDES),
        ("Decision: Option A or Option B", BOTH_SIDES),
        ("Decision: appropriate (Option B)", BOTH_SIDES),
        ("Decision: 选项乙", NO_SIDE),
        ("Decision: \0", NO_SIDE),
        ("Decision: Option A" + "x" * 200_001, TOO_LONG),
    ],
)
def test_what_takes_no_side_is_not_read(reply: str, why: str) -> None:
    read = read_decision(reply, JUDGED)
    assert (read.option, read.why) == (None, why)


def test_words_are_answers_only_where_the_question_defines_them() -> None:
    assert read_decision("Decision: inappropriate").option is None
