"""Checks of a test that need no language model."""

import re
from collections.abc import Mapping
from typing import Final

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.number_text import fixed
from reviewer.protocols.base import MachineCheck
from reviewer.protocols.treatment_tests.questions import BEYOND_CUE, CORRECT_TEST
from reviewer.protocols.treatment_tests.score import null_scores
from reviewer.protocols.treatment_tests.treatment_test import VERSIONS, TreatmentTest

_BRACKETS: Final = re.compile(r"\[\[|\]\]|\{\{|\}\}")

TEST_CHECKS: Mapping[str, MachineCheck] = {
    "same_texts": MachineCheck(
        "serious", CORRECT_TEST.key, asks="Do the control and the treatment differ at all?"
    ),
    "open_gaps": MachineCheck("serious", CORRECT_TEST.key, asks="Was every gap filled?"),
    "same_options": MachineCheck(
        "untidy", BEYOND_CUE.key, asks="Do both versions have the same options in the same words?"
    ),
    "coin_scores_0": MachineCheck(
        "untidy", asks="Does a coin score 0 with these parameters, so that 0 means no bias?"
    ),
}


def judge_test(test: TreatmentTest) -> tuple[CheckResult, ...]:
    """What the checks say of one test, named as in ``TEST_CHECKS``."""
    versions = [(test.text_of(version), test.options_of(version)) for version in VERSIONS]
    same = versions[0] == versions[1]
    open_in = [
        version
        for version, (text, options) in zip(VERSIONS, versions, strict=True)
        if any(map(_BRACKETS.search, (text, *options)))
    ]
    left = f"The {' and the '.join(open_in)} still {'have' if len(open_in) > 1 else 'has'} a gap or a value."
    others = test.options_of(VERSIONS[0]) != test.options_of(VERSIONS[1])
    nulls = null_scores(len(test.options), {test.parameters: 1})
    coin = float(nulls.coin)
    mark = f"With these parameters a coin scores {fixed(coin, 3)}, not 0: compare scores with that."
    return (
        result_of("same_texts", not same, why="Both versions are the same." if same else ""),
        result_of("open_gaps", not open_in, why=left if open_in else ""),
        result_of("same_options", not others, why="The options differ in their words." if others else ""),
        result_of("coin_scores_0", not nulls.is_shifted, coin, 0, mark if nulls.is_shifted else ""),
    )
