"""The payload of a test, its checks, and the panes that raters see."""

import pytest
from pydantic import ValidationError

from reviewer.core.errors import InputError
from reviewer.core.pane import Pair, Text
from reviewer.protocols.intake import valid_case
from reviewer.protocols.treatment_tests.tests_protocol import judge_test
from reviewer.protocols.treatment_tests.treatment_test import TreatmentTest
from tests.treatment_cases import OPTIONS, PROTOCOL, a_test

FAULTS = {
    "k": ({"k": 2}, "let it be 1 or -1"),
    "options that differ in number": ({"treatment_options": OPTIONS[:6]}, "7 options and the treatment 6"),
    "one option": ({"options": OPTIONS[:1]}, "1 option"),
    "two equal options": ({"options": ("a", "A")}, "read the same"),
    "an empty text": ({"control": " "}, "is empty"),
    "a point without number": ({"x1": float("nan")}, "greater than"),
    "a piece outside": (
        {"filled": [{"version": "control", "start": 3, "end": 999, "kind": "gap", "name": "a"}]},
        "ends outside the control",
    ),
}


@pytest.mark.parametrize(("given", "wrong"), FAULTS.values(), ids=list(FAULTS))
def test_a_payload_that_does_not_fit_is_refused(given: dict[str, object], wrong: str) -> None:
    with pytest.raises(ValidationError, match=wrong):
        a_test(0, **given)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"k": 2}, "line 3: k is 2; let it be 1 or -1."),
        ({"x1": -2_000}, "line 3, field 'x1': is below -1000; correct it."),
        ({"options": "abc"}, "line 3, field 'options': is not a list; correct it."),
    ],
)
def test_a_case_that_does_not_fit_is_named_by_line_and_by_field_if_one_is_wrong(
    given: dict[str, object], wrong: str
) -> None:
    payload = {**a_test(0).payload, **given}
    with pytest.raises(InputError) as caught:
        valid_case(PROTOCOL, "Bandwagon Effect", payload, "line 3")
    assert str(caught.value) == wrong


def test_whole_points_are_one_number_however_they_are_written() -> None:
    assert a_test(0, x1=2.0).digest == a_test(0, x1=2).digest


def test_pieces_that_were_filled_are_marked_in_the_compared_pair() -> None:
    piece = {"version": "treatment", "start": 11, "end": 12, "kind": "value", "name": "others"}
    pane, *_ = PROTOCOL.panes(a_test(0, filled=[piece]), ())
    assert isinstance(pane.body, Pair)
    assert pane.compares
    assert isinstance(pane.body.right, Text)
    assert (pane.body.right.text[11:12], pane.body.right.marks, pane.body.left.marks) == (
        "A",
        ((11, 12),),
        (),
    )


def test_parameters_values_and_findings_wait_for_the_answer() -> None:
    for question in PROTOCOL.questions:
        assert {"parameters", "published", "findings"} <= set(question.reveals)
        assert not {*question.shows, *question.beside} & set(question.reveals)


def test_the_predicted_choice_is_named_from_the_parameters() -> None:
    assert PROTOCOL.terms(a_test(0), ())["choice"] == "surely A"
    assert PROTOCOL.terms(a_test(0, k=-1), ())["choice"] == "surely B"
    assert PROTOCOL.terms(a_test(0), ())["usual"] == "neither"


CHECKED = {
    "same_texts": {"treatment": "Same.", "control": "Same."},
    "open_gaps": {"treatment": "You are [[a role]]."},
    "same_options": {"treatment_options": (*OPTIONS[:6], "certainly B")},
    "coin_scores_0": {"x1": -4, "x2": -3},
}


@pytest.mark.parametrize(("check", "given"), CHECKED.items(), ids=list(CHECKED))
def test_each_check_fails_for_its_own_reason(check: str, given: dict[str, object]) -> None:
    judged = judge_test(TreatmentTest.model_validate(a_test(0, **given).payload))
    assert [result.check for result in judged if not result.passed] == [check]
    assert all(result.passed for result in judge_test(TreatmentTest.model_validate(a_test(0).payload)))
