"""A verdict is read in the forms that judges use; a reply that takes no side is none, with a reason."""

import pytest

from reviewer.protocols.evaluation import Condition, LabelRead
from reviewer.protocols.judge_pairs.evaluation import EVALUATION
from reviewer.protocols.judge_pairs.rewrite_evaluation import EVALUATION as REWRITES
from reviewer.protocols.judge_pairs.verdict_reading import (
    CUT_OFF,
    EMPTY,
    NO_VERDICT,
    SEVERAL,
    TOO_LONG,
    read_verdict,
)
from tests.answer_pairs import a_pair


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ("I worked it out.\nVerdict: first", "first"),
        ("**Verdict:** the second answer is better.", "second"),
        ("Verdict: first\nNo, wait.\nVerdict: SECOND", "second"),
        ("> Final verdict: tie", "tie"),
        ("Verdict: [[B>A]]", "second"),
        ("<think>Verdict: second</think>\nVerdict: 1", "first"),
        ("My final verdict is [[A>>B]]", "first"),
        ("At first [[A]], but in the end [[ B >> A ]].", "second"),
        ("[[A=B]]", "tie"),
        ("[[C]]", "tie"),
        ("[[A<B]]", "second"),
    ],
)
def test_a_verdict_is_read(reply: str, place: str) -> None:
    assert read_verdict(reply) == LabelRead(place)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", EMPTY),
        ("<think>x</think> \n", EMPTY),
        ("<think>Verdict: first", CUT_OFF),
        ("Verdict:", CUT_OFF),
        ("Both are good.", NO_VERDICT),
        ("Verdict: neither", NO_VERDICT),
        ("Verdict: not the first", NO_VERDICT),
        ("Verdict: first or second", SEVERAL),
        ("Verdict: a or a tie", SEVERAL),
        ("Verdict: first " * 20_000, TOO_LONG),
    ],
)
def test_a_reply_without_a_side_is_none(reply: str, why: str) -> None:
    assert read_verdict(reply) == LabelRead(None, why)


def test_a_place_is_the_published_side_that_stood_there() -> None:
    case = a_pair()
    labels = [
        EVALUATION.read(case, Condition.of(order=order), f"Verdict: {said}").label
        for order in ("as published", "exchanged")
        for said in ("first", "second", "tie")
    ]
    assert labels == ["first", "second", "tie", "second", "first", "tie"]


def test_a_tie_is_one_verdict_since_the_second_version_of_the_reader() -> None:
    """Outcomes that version 1 read keep its label until they are read again."""
    for reply in ("Verdict: a tie", "**Verdict:** A tie.", "Verdict: is a  tie"):
        assert read_verdict(reply) == LabelRead("tie")
    assert EVALUATION.reader_version == REWRITES.reader_version == 2
