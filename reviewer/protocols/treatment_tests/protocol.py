"""Tests with a control and a treatment as an implementation of the contract."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

from pydantic import ValidationError

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import CheckPlan, Protocol, Value
from reviewer.protocols.treatment_tests.checks import TEST_CHECKS, judge_test
from reviewer.protocols.treatment_tests.panes import panes_of_test
from reviewer.protocols.treatment_tests.questions import CORRECT_TEST, PASSED_RULES, QUESTIONS
from reviewer.protocols.treatment_tests.treatment_test import CONTROL, TREATMENT, TreatmentTest
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.generation import GenerationPlan
    from reviewer.protocols.outcome_files import OutcomeFiles
    from reviewer.protocols.treatment_tests.evaluation import TreatmentEvaluation
    from reviewer.protocols.treatment_tests.templates import TreatmentTemplates

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
    group_noun = "bias"
    definitions = DEFINITIONS
    questions = QUESTIONS
    values = (
        Value(PASSED_RULES, CORRECT_TEST.key, {"true": "True", "false": "False"}, "rules of generation"),
    )
    machine_checks = TEST_CHECKS
    example_folder = "treatment_tests"

    def defining(self, definitions: Mapping[str, str]) -> Self:
        """The same with these definitions before our own."""
        return super().defining({**DEFINITIONS, **definitions} if definitions else {})

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

    def headline(self, case: Case) -> str:
        """The beginning of the treatment."""
        return one_line(str(case.payload["treatment"]), 120)

    def outcome_files(self) -> "Sequence[OutcomeFiles]":
        """What models decided in both versions."""
        from reviewer.protocols.treatment_tests.decision_files import DecisionFiles

        return (DecisionFiles(self),)

    def draft_case(self, group: str, payload: Mapping[str, object]) -> Case | None:
        """The case of a discarded candidate, if its texts make one."""
        try:
            return self.case(group, payload)
        except ValidationError:
            return None

    def generation_plan(self) -> "GenerationPlan":
        """Cases from templates whose gaps a model fills."""
        from reviewer.protocols.treatment_tests.generation import PLAN  # loaded only for generation

        return PLAN

    def gap_templates(self) -> "TreatmentTemplates":
        """The published templates, and our own."""
        from reviewer.protocols.treatment_tests.templates import TreatmentTemplates  # loads what reads them

        return TreatmentTemplates()

    def evaluation_plan(self) -> "TreatmentEvaluation":
        """Both versions, with the options in balanced orders."""
        from reviewer.protocols.treatment_tests.evaluation import EVALUATION  # loaded only to evaluate models

        return EVALUATION

    def check_plan(self, case: Case) -> CheckPlan:
        """Every check only reads the test."""
        return CheckPlan()

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Whether the versions differ, gaps are filled, options are the same, and a coin scores 0."""
        return judge_test(TreatmentTest.model_validate(case.payload))

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """Both versions, options and scenario; then parameters, values and findings."""
        return list(panes_of_test(TreatmentTest.model_validate(case.payload), measurements, findings))
