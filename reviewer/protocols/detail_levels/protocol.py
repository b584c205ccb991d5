"""Instances told at five levels of detail as an implementation of the contract."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import CheckPlan, Protocol, Value
from reviewer.protocols.detail_levels.checks import INSTANCE_CHECKS, judge_instance
from reviewer.protocols.detail_levels.level_instance import KeyedChoice, LevelInstance
from reviewer.protocols.detail_levels.panes import panes_of_instance
from reviewer.protocols.detail_levels.questions import AS_KEYED, PREDICTED_BY_BIAS, QUESTIONS
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.detail_levels.evaluation import LevelEvaluation
    from reviewer.protocols.detail_levels.templates import LevelTemplates

DEFINITIONS = {
    "Anchoring": "An estimate is pulled towards a number that was mentioned before, although that "
    "number says nothing about it.",
    "Availability": "What comes to mind easily is taken to be more likely than it is.",
    "Confirmation": "Evidence for what is believed already counts more than evidence against it.",
    "Framing": "The same fact is judged differently when it is told as a gain or as a loss.",
    "Interpretation": "Something that may mean several things is taken to mean something good or bad.",
    "Overattribution": "Behaviour is put down to a person's character, although the situation explains it.",
    "Prospect Theory": "A loss weighs more than a gain of the same size.",
    "Representativeness": "Somebody or something is taken to be likely because it looks typical, whatever "
    "the numbers say.",
}
"""Our own definitions of eight biases that published tables have."""


class DetailLevels(Protocol):
    """A scenario told at five levels of detail; each choice is biased, unbiased or unrelated."""

    name = "detail-levels"
    title = "Levels of detail"
    about = (
        "A case tells one scenario at five levels of detail. Each of its choices is keyed as biased, "
        "unbiased or unrelated, and models answer each level freely."
    )
    payload_model = LevelInstance
    payload_version = 1
    group_noun = "bias"
    definitions = DEFINITIONS
    questions = QUESTIONS
    values = (
        Value(AS_KEYED, PREDICTED_BY_BIAS.key, {"true": "True", "false": "False"}, "key of the asked choice"),
    )
    machine_checks = INSTANCE_CHECKS
    example_folder = "detail_levels"
    taken_by_name = True

    def defining(self, definitions: Mapping[str, str]) -> Self:
        """The same with these definitions before our own."""
        return super().defining({**DEFINITIONS, **definitions} if definitions else {})

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The bias, its definition, and the choice that raters are asked about."""
        return {
            "bias": case.group,
            "definition": self.group(case.group).definition,
            "choice": asked_choice(case).text,
        }

    def headline(self, case: Case) -> str:
        """The beginning of the first level."""
        return one_line(LevelInstance.model_validate(case.payload).levels[0], 120)

    def slot_templates(self) -> "LevelTemplates":
        """Scenarios at five levels."""
        from reviewer.protocols.detail_levels.templates import LevelTemplates  # loads what reads them

        return LevelTemplates()

    def evaluation_plan(self) -> "LevelEvaluation":
        """Every level, answered freely."""
        from reviewer.protocols.detail_levels.evaluation import EVALUATION  # loaded only to evaluate models

        return EVALUATION

    def check_plan(self, case: Case) -> CheckPlan:
        """Every check only reads the instance."""
        return CheckPlan()

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Whether slots are filled, and levels differ and grow."""
        return judge_instance(LevelInstance.model_validate(case.payload))

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The five levels and the choices; afterwards keys, values and findings."""
        return list(panes_of_instance(LevelInstance.model_validate(case.payload), measurements, findings))


def asked_choice(case: Case) -> KeyedChoice:
    """The choice that raters are asked about: any of them, by the digest of the case."""
    choices = case.payload["choices"]
    assert isinstance(choices, Sequence)
    return KeyedChoice.model_validate(choices[int(case.digest[:8], 16) % len(choices)])
