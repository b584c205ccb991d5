"""One text, judged 0 or 1, under one condition: nothing is compared."""

from collections.abc import Hashable, Mapping

from pydantic import BaseModel

from reviewer.protocols.evaluation import (
    Answered,
    Answerer,
    Brought,
    Condition,
    Division,
    EvaluationPlan,
    LabelRead,
    Measure,
)
from reviewer.protocols.procedure import Prompts
from reviewer.protocols.work import Work
from store.records import Case, JsonValue
from tests.small_protocols.small import Small, asking, prompt_plan


def judged_unlawful(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(label[""] == "1")


def missed(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    """Only unlawful texts can be missed."""
    return Brought(label[""] == "0", facts == "unlawful")


class VerdictEvaluation(EvaluationPlan):
    prompts = prompt_plan("verdict", "text")
    factors = ()
    measures = (
        Measure("unlawful", "judged unlawful", "How often a text is judged unlawful.", "", judged_unlawful),
        Measure("missed", "missed", "How often an unlawful text is judged lawful.", "", missed, best=0.0),
    )
    answerers = (Answerer("alarm", "always 1", lambda facts, put: "1"),)
    divisions = (Division("law", "law", str),)

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> str:
        return "unlawful" if case.payload["unlawful"] else "lawful"

    def labels(self, case: Case) -> tuple[str, ...]:
        return ("0", "1")

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered]:
        request = asking(prompts, "verdict", text=str(case.payload["text"]))
        return self.answer_to(request, case, condition)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        said = reply.strip()
        return LabelRead(said) if said in ("0", "1") else LabelRead(None, "neither 0 nor 1")


class Advice(BaseModel, extra="forbid"):
    text: str
    unlawful: bool


class Verdicts(Small):
    name, title, payload_model, plan = "verdicts", "Verdicts", Advice, VerdictEvaluation()
