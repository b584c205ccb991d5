"""The pure checks of PROBE-SWE: what a pair must look like, how like its texts are, how logic treats it."""

import pytest

from reviewer.core.check_result import first_failed
from reviewer.oracle.result import Counts, Result, Status
from reviewer.protocols.probe_swe.dilemma_logic import neutrality_checks
from reviewer.protocols.probe_swe.dilemma_protocol import LikenessBounds, template_checks

GOOD = "I plan a release.\n- Option A: wait.\n- Option B: ship.\n\nWhich option do I take?"


def test_a_dilemma_with_a_question_and_two_options_passes() -> None:
    assert all(judged.passed and judged.why == "" for judged in template_checks(GOOD, GOOD))


@pytest.mark.parametrize(
    ("text", "check"),
    [
        (GOOD + " Thanks.", "question"),
        (GOOD.replace("plan", "biasedly plan"), "leak"),
        (GOOD.replace("Option B", "Or"), "options"),
        (GOOD.replace("\n\n", "\n- Option C: sleep.\n\n"), "options"),
        ("x" * 10_001 + GOOD, "length"),
    ],
)
def test_a_violation_is_found_in_either_version(text: str, check: str) -> None:
    for pair in ((text, GOOD), (GOOD, text)):
        found = first_failed(template_checks(*pair))
        assert (found.check, found.passed) == (check, False)
        assert found.why.endswith(".")


def test_the_words_the_option_i_prefer_are_no_third_option() -> None:
    assert all(judged.passed for judged in template_checks(GOOD, "The option I prefer is open. " + GOOD))


@pytest.mark.parametrize(
    ("bias", "cosine", "levenshtein", "failed"),
    [
        ("anchoring bias", 0.90, 0.70, None),
        ("anchoring bias", 0.8999, 0.8, "cosine"),
        ("anchoring bias", 0.99, 0.8, "cosine"),
        ("anchoring bias", 0.95, 0.6999, "levenshtein"),
        ("anchoring bias", 0.95, 0.99, "levenshtein"),
        ("framing effect", 0.85, 0.55, None),
        ("framing effect", 0.8499, 0.8, "cosine"),
        ("framing effect", 0.95, 0.5499, "levenshtein"),
    ],
)
def test_bounds_hold_their_lower_end_and_not_their_upper(
    bias: str, cosine: float, levenshtein: float, failed: str | None
) -> None:
    found = first_failed(LikenessBounds().judge(bias, cosine, levenshtein))
    assert found.passed is (failed is None)
    if failed:
        assert found.check == failed


def _result(choice: str | None = "option_A", inferences: int = 7, choices: int = 5) -> Result:
    return Result(
        Status.OK if choice else Status.NO_SOLUTION,
        "swipl 9.2.9",
        choice=choice,
        counts=Counts(inferences, choices, inferences, choices, comparable=True),
    )


@pytest.mark.parametrize(
    ("unbiased", "biased", "failed"),
    [
        (_result(), _result(), None),
        (_result(None), _result(), "runs"),
        (_result(), _result(None), "runs"),
        (_result("option_C"), _result("option_C"), "runs"),
        (_result(), _result("option_B"), "decision"),
        (_result(), _result(inferences=8), "inference_steps"),
        (_result(), _result(choices=6), "choice_steps"),
        (_result(inferences=0), _result(inferences=0), "inference_steps"),
        (Result(Status.REFUSED, "swipl", stopped_by="gate: shell"), _result(), "runs"),
    ],
)
def test_logic_must_treat_both_versions_alike(unbiased: Result, biased: Result, failed: str | None) -> None:
    found = first_failed(neutrality_checks(unbiased, biased))
    assert found.passed is (failed is None)
    assert (found.check == failed, bool(found.why)) == (failed is not None, failed is not None)


def test_an_option_in_another_case_is_told_as_such() -> None:
    """Generation takes options as they are written; the audit compares without case, and says so."""
    found = first_failed(neutrality_checks(_result("option_a"), _result()))
    assert (found.check, found.passed) == ("runs", False)
    assert "differs from option_A in upper and lower case" in found.why
    assert "no option" not in found.why
