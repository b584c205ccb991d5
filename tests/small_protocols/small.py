"""What the four small protocols share: one question to raters, and all texts of a case in one pane."""

import re
from collections.abc import Sequence
from typing import ClassVar

from reviewer.core.pane import Pane, Text, Variants
from reviewer.core.question import Question
from reviewer.llm.request import ModelRequest
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import EvaluationPlan, LabelRead
from reviewer.protocols.procedure import ModelTask, PromptPlan, Prompts
from store.records import Case, Finding, Measurement


class Small(Protocol):
    """A protocol without logic, checks or generation."""

    payload_version = 1
    questions = (
        Question(
            key="sound",
            title="sound",
            prompt="Is the case sound?",
            guideline="It is if a careful reader understands it at once.",
            labels=("True", "False"),
            shows=("texts",),
        ),
    )
    plan: ClassVar[EvaluationPlan]

    def procedures(self) -> Sequence[ModelTask]:
        return (self.plan,)

    def headline(self, case: Case) -> str:
        return str(next(iter(case.payload.values())))

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        texts = tuple((name, Text(str(value))) for name, value in case.payload.items())
        return [Pane("texts", "texts", Variants(texts))]


def prompt_plan(name: str, *placeholders: str) -> PromptPlan:
    return PromptPlan("tests.small_protocols", {name: frozenset(placeholders)})


def asking(prompts: Prompts, prompt: str, **values: str) -> ModelRequest:
    return ModelRequest(prompts.fill(prompt, **values), prompt)


def read_after(mark: str, reply: str, labels: Sequence[str]) -> LabelRead:
    """The only label of the last line that begins with a mark."""
    lines = re.findall(rf"^{mark}:(.*)$", reply, re.MULTILINE)
    said = re.findall(r"[\w-]+", lines[-1]) if lines else []
    named = [label for label in labels if label in said]
    return LabelRead(named[0]) if len(named) == 1 else LabelRead(None, "no label" if lines else f"no {mark}")
