"""Two answers to a question: which is better, asked in both orders."""

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from pydantic import BaseModel

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
from reviewer.protocols.procedure import Prompts
from reviewer.protocols.work import Work
from store.records import Case, JsonValue
from tests.small_protocols.small import Small, asking, prompt_plan, read_after

STRAIGHT, TURNED = "first as A", "second as A"
NAMED_AS = {STRAIGHT: {"A": "first", "B": "second"}, TURNED: {"A": "second", "B": "first"}}


class AnswerFacts(NamedTuple):
    better: str


def right(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    assert isinstance(facts, AnswerFacts)
    return Brought(all(chosen == facts.better for chosen in label.values()))


def consistent(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(label[STRAIGHT] == label[TURNED])


class PreferenceEvaluation(EvaluationPlan):
    prompts = prompt_plan("preference", "question", "one", "other")
    factors = (Factor("order", (STRAIGHT, TURNED), (STRAIGHT, TURNED)),)
    measures = (
        Measure(
            "right",
            "right in both orders",
            "How often the better answer is chosen twice.",
            "order",
            right,
            best=1.0,
        ),
        Measure(
            "consistent",
            "consistent",
            "How often both orders lead to one answer.",
            "order",
            consistent,
            best=1.0,
        ),
        Measure("accuracy", "right", "How often the better answer is chosen.", "", right, best=1.0),
    )
    answerers = (
        Answerer("a", "always A", lambda facts, put: NAMED_AS[put["order"]]["A"]),
        Answerer("first", "always the first answer", lambda facts, put: "first"),
    )

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> AnswerFacts:
        return AnswerFacts(str(case.payload["better"]))

    def labels(self, case: Case) -> tuple[str, ...]:
        return ("first", "second")

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered]:
        one, other = (str(case.payload[name]) for name in NAMED_AS[condition["order"]].values())
        question = str(case.payload["question"])
        request = asking(prompts, "preference", question=question, one=one, other=other)
        return self.answer_to(request, case, condition)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        read = read_after("Better", reply, ("A", "B"))
        return LabelRead(NAMED_AS[condition["order"]][read.label]) if read.label else read


class Pair(BaseModel, extra="forbid"):
    question: str
    first: str
    second: str
    better: str


class Preferences(Small):
    name, title, payload_model, plan = "preferences", "Preferences", Pair, PreferenceEvaluation()
