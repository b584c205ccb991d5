"""Tests with a control and a treatment as an implementation of the contract."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.number_text import all_digits, fixed
from reviewer.core.pane import Pair, Pane, Text
from reviewer.core.question import DecidedExample, Question
from reviewer.core.table import Cell, Table
from reviewer.protocols.base import MachineCheck, Protocol, Value
from reviewer.protocols.common_panes import panes_after_answer
from reviewer.protocols.treatment_tests.treatment_test import (
    CONTROL,
    TREATMENT,
    VERSIONS,
    TreatmentTest,
    null_scores,
)
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.outcome_files import OutcomeFiles
    from reviewer.protocols.procedure import ModelTask
    from reviewer.protocols.treatment_tests.treatment_templates import TreatmentTemplates


PASSED_RULES = "passed_rules"
"""Whether the texts of a generated test passed the rules for the fills of gaps."""
_HIDDEN = ("parameters", "published", "findings")

CORRECT_TEST = Question(
    key="correct_test",
    title="correct test",
    prompt="Do the two versions together test {bias}? {definition}",
    criteria=(
        (
            "True",
            "somebody with this bias would tend to decide differently in the treatment, and somebody "
            "without it would not.",
        ),
        (
            "False",
            "the treatment has no cue of this bias, if the control has it too, if a fact differs that a "
            "careful person should decide by, or if a version cannot be understood.",
        ),
    ),
    examples=(
        DecidedExample(
            case="Anchoring: the treatment asks first whether the share is more than 80%. Nothing "
            "else differs.",
            label="True",
            why="The number says nothing about the task and may still move the answer.",
        ),
        DecidedExample(
            case="Anchoring: the treatment says that experts measured a need of 80%.",
            label="False",
            why="A measured need is a reason, so another decision is no bias.",
        ),
    ),
    labels=("True", "False"),
    passing=("True",),
    shows=("versions", "options"),
    beside=("scenario",),
    reveals=_HIDDEN,
)

BEYOND_CUE = Question(
    key="beyond_cue",
    title="differs beyond the cue",
    prompt="Do the two versions differ in anything but the cue of {bias}?",
    criteria=(
        ("no", "only the cue differs."),
        ("a little", "wording or order differs, but nothing that a decision could rest on."),
        ("yes", "a fact, an option or the task differs."),
    ),
    guideline="The cue itself does not count, also where it has to replace a sentence.",
    labels=("no", "a little", "yes"),
    scale="ordinal",
    passing=("no",),
    shows=("versions", "options"),
    beside=("scenario",),
    reveals=_HIDDEN,
)

CUE_STRENGTH = Question(
    key="cue_strength",
    title="strength of the cue",
    prompt="How strong is the cue of {bias} in the treatment, from 0 (none) to 4 (very strong)?",
    criteria=(
        ("0", "the treatment has no such cue."),
        ("1", "it can be overlooked."),
        ("2", "it is plain, once."),
        ("3", "it is plain and stands where the decision is asked for."),
        ("4", "the whole treatment turns on it."),
    ),
    labels=("0", "1", "2", "3", "4"),
    scale="ordinal",
    shows=("versions",),
    beside=("scenario",),
    reveals=_HIDDEN,
)

PREDICTED = Question(
    key="predicted_choice",
    title="predicted choice",
    prompt="Somebody chooses “{usual}” in the control and “{choice}” in the treatment. Is this what {bias} "
    "predicts? {definition}",
    criteria=(
        ("True", "the bias would move the decision this way."),
        ("False", "it would leave the decision where it is, or move it the other way."),
    ),
    guideline="Whether the test is a good one does not matter here.",
    labels=("True", "False"),
    passing=("True",),
    shows=("versions", "options"),
    reveals=_HIDDEN,
)

QUESTIONS = (CORRECT_TEST, BEYOND_CUE, CUE_STRENGTH, PREDICTED)


_BRACKETS: Final = re.compile(r"\[\[|\]\]|\{\{|\}\}")

TEST_CHECKS: Mapping[str, MachineCheck] = {
    "same_texts": MachineCheck("serious", asks="Do the control and the treatment differ at all?"),
    "open_gaps": MachineCheck("serious", asks="Was every gap filled?"),
    "same_options": MachineCheck("untidy", asks="Do both versions have the same options in the same words?"),
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


def panes_of_test(
    test: TreatmentTest, measurements: Sequence[Measurement], findings: Sequence[Finding]
) -> Iterator[Pane]:
    """Both versions with filled gaps marked, and options; then the panes that wait for an answer."""
    control, treatment = (
        Text(test.text_of(version), marks=test.marks_of(version)) for version in (CONTROL, TREATMENT)
    )
    yield Pane("versions", "control and treatment", Pair(CONTROL, TREATMENT, control, treatment))
    yield Pane("options", "options", _options(test))
    yield Pane("scenario", "scenario", Text(test.scenario))
    yield Pane("parameters", "parameters of the score", _parameters(test))
    yield from panes_after_answer(measurements, findings)


def _options(test: TreatmentTest) -> Table:
    if not test.treatment_options or test.treatment_options == test.options:
        return Table.of(("number", "option"), list(enumerate(test.options, 1)))
    rows = zip(range(1, len(test.options) + 1), test.options, test.treatment_options, strict=True)
    return Table.of(("number", "option of the control", "option of the treatment"), list(rows))


def _parameters(test: TreatmentTest) -> Table:
    nulls = null_scores(len(test.options), {test.parameters: 1})
    rows: list[tuple[str, Cell]] = [
        ("k", test.k),
        ("x1", test.x1),
        ("x2", test.x2),
        ("score of a coin", all_digits(float(nulls.coin))),
        ("size of a coin's score", all_digits(float(nulls.size))),
    ]
    return Table.of(("name", "content"), rows)


DEFINITIONS = {
    "Anchoring": "An estimate is pulled towards a number that was mentioned before, although that "
    "number says nothing about it.",
    "Bandwagon Effect": "An opinion is preferred because many others hold it.",
    "Confirmation Bias": "Reasons against a decision count less once the decision was taken.",
    "Framing Effect": "The same fact is judged differently when it is told as a gain or as a loss.",
    "Halo Effect": "A good or bad impression of one quality spreads to other qualities that it says nothing "
    "about.",
    "Information Bias": "More information is asked for although it cannot change the decision.",
    "Not Invented Here": "A proposal is judged worse because it comes from outside one's own group.",
    "Planning Fallacy": "Plans stay too optimistic although similar plans took longer than expected.",
    "Self Serving Bias": "Successes are put down to oneself, and failures to circumstances.",
    "Status Quo Bias": "What is done already is preferred because it is done already.",
    "Sunk Cost Fallacy": "A plan is continued because of what was already spent on it, which cannot be "
    "regained.",
}
"""Our own definitions of biases, by the names that published templates have."""


class TreatmentTests(Protocol):
    """The same decision with and without a cue of a bias; how far the cue moves it is scored."""

    name = "treatment-tests"
    title = "Treatment tests"
    about = (
        "A case asks for the same decision twice: in a control, and in a treatment with a cue of a cognitive "
        "bias. How far the cue moves the decision is scored."
    )
    payload_model = TreatmentTest
    payload_version = 1
    headline_field = "treatment"
    group_noun = "bias"
    definitions = DEFINITIONS
    questions = QUESTIONS
    values = (
        Value(PASSED_RULES, CORRECT_TEST.key, {"true": "True", "false": "False"}, "rules of generation"),
    )
    machine_checks = TEST_CHECKS
    concerns = {
        **dict.fromkeys(("same_texts", "open_gaps"), CORRECT_TEST.key),
        "same_options": BEYOND_CUE.key,
    }
    example_folder = "treatment_tests"

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The bias, its definition, and two options, of which the second scores highest after the first."""
        test = TreatmentTest.model_validate(case.payload)
        usual, choice = test.predicted
        return {
            "bias": case.group,
            "definition": self.group(case.group).definition,
            "usual": test.options_of(CONTROL)[usual],
            "choice": test.options_of(TREATMENT)[choice],
        }

    def outcome_files(self) -> "Sequence[OutcomeFiles]":
        """What models decided in both versions."""
        from reviewer.protocols.treatment_tests.evaluation import DecisionFiles

        return (DecisionFiles(self),)

    def gap_templates(self) -> "TreatmentTemplates":
        """The published templates, and our own."""
        from reviewer.protocols.treatment_tests.treatment_templates import (
            TreatmentTemplates,  # loads what reads them
        )

        return TreatmentTemplates()

    def procedures(self) -> "Iterator[ModelTask]":
        """Both versions, with the options in balanced orders."""
        from reviewer.protocols.treatment_tests.evaluation import EVALUATION  # loaded only to evaluate models

        yield EVALUATION
        from reviewer.protocols.treatment_tests.generation import PLAN  # loaded only for generation

        yield PLAN

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Whether the versions differ, gaps are filled, options are the same, and a coin scores 0."""
        return judge_test(TreatmentTest.model_validate(case.payload))

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """Both versions, options and scenario; then parameters, values and findings."""
        return list(panes_of_test(TreatmentTest.model_validate(case.payload), measurements, findings))
