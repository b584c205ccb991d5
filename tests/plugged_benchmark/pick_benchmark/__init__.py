"""PICK: a question with two options, of which one is right. A benchmark in a package of its own."""

from collections.abc import Hashable, Mapping, Sequence

from pydantic import BaseModel, Field

from reviewer.core.pane import Pane, Text, Variants
from reviewer.core.question import Question
from reviewer.llm.request import ModelRequest
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import (
    Answered,
    Answerer,
    Brought,
    Condition,
    EvaluationPlan,
    Factor,
    LabelRead,
    Measure,
)
from reviewer.protocols.procedure import ModelTask, PromptPlan, Prompts
from reviewer.protocols.work import Work
from store.records import Case, Finding, JsonValue, Measurement

OPTIONS = ("first", "second")
PLACES = {"as written": OPTIONS, "exchanged": OPTIONS[::-1]}
"""For each order, the options at A and at B."""

SOUND = Question(
    key="sound",
    title="sound",
    prompt="Is exactly one of the options right?",
    guideline="Read both options before you answer.",
    labels=("True", "False"),
    shows=("texts",),
)


class PickPayload(BaseModel, extra="forbid"):
    """What a case holds; every dataset is checked against it."""

    question: str = Field(min_length=1)
    first: str = Field(min_length=1)
    second: str = Field(min_length=1)
    right: str = Field(pattern="^(first|second)$")


def is_right(facts: Hashable, rest: Condition, labels: Mapping[str, str]) -> Brought:
    """1 for a right choice, 0 for a wrong one; a measure over no factor has one label, under ""."""
    return Brought(float(all(label == facts for label in labels.values())))


class PickEvaluation(EvaluationPlan):
    """Each case is asked with its options in both orders."""

    prompts = PromptPlan("pick_benchmark", {"pick": frozenset({"question", "first", "second"})})
    factors = (Factor("order", tuple(PLACES), tuple(PLACES)),)
    measures = (
        Measure("right", "right", "How often the right option is chosen.", "", is_right, best=1.0),
        Measure(
            "twice", "right in both orders", "How often it is chosen twice.", "order", is_right, best=1.0
        ),
    )
    answerers = (Answerer("A", "always A", lambda facts, put: PLACES[put["order"]][0]),)

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> Hashable:
        """The right option."""
        return str(case.payload["right"])

    def labels(self, case: Case) -> tuple[str, ...]:
        """Both options."""
        return OPTIONS

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered]:
        """One request, with the options in the order of the condition."""
        texts = [str(case.payload[option]) for option in PLACES[condition["order"]]]
        question = str(case.payload["question"])
        messages = prompts.fill("pick", question=question, first=texts[0], second=texts[1])
        return self.answer_to(ModelRequest(messages, "pick"), case, condition)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The option whose letter is the whole reply."""
        letters = dict(zip("AB", PLACES[condition["order"]], strict=True))
        label = letters.get(reply.strip().rstrip("."))
        return LabelRead(label, "" if label else "it is neither A nor B")


class Pick(Protocol):
    """Groups come from the file."""

    name = "pick"
    title = "PICK"
    payload_model = PickPayload
    payload_version = 1
    questions = (SOUND,)
    headline_field = "question"

    def procedures(self) -> Sequence[ModelTask]:
        """How models are asked."""
        return (PickEvaluation(),)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """Question and options below each other."""
        shown = ("question", *OPTIONS)
        return [Pane("texts", "texts", Variants(tuple((n, Text(str(case.payload[n]))) for n in shown)))]
