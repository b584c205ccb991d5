"""Control and treatment: two texts are given a score from 1 to 5, on a scale that rises or falls."""

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

SCORES = ("1", "2", "3", "4", "5")
SCALES = {"rising": "5 is the best score.", "falling": "1 is the best score."}


class OfferFacts(NamedTuple):
    fair: int


def shift(facts: Hashable, rest: Condition, score: Mapping[str, str]) -> Brought:
    return Brought((int(score["treatment"]) - int(score["control"])) / 4)


def drawn_away(facts: Hashable, rest: Condition, score: Mapping[str, str]) -> Brought:
    """How much farther from the fair score the treatment is, as a share of the greater distance."""
    assert isinstance(facts, OfferFacts)
    control, treatment = (abs(int(score[text]) - facts.fair) for text in ("control", "treatment"))
    greater = max(control, treatment)
    return Brought((treatment - control) / greater, greater) if greater else Brought(0.0, 0.0)


RISES_AND_FALLS = ("sum of what scores rise, as shares of the scale", "sum of what they fall")


class OfferEvaluation(EvaluationPlan):
    prompts = prompt_plan("score", "scale", "text")
    factors = (
        Factor("text", ("control", "treatment"), ("control", "treatment")),
        Factor("scale", tuple(SCALES), ("rising",)),
    )
    measures = (
        Measure(
            "shift",
            "shift",
            "How far the score moves, as a share of the scale.",
            "text",
            shift,
            -1.0,
            best=0.0,
            directions=RISES_AND_FALLS,
        ),
        Measure(
            "away",
            "drawn away",
            "How much farther from the fair score it ends.",
            "text",
            drawn_away,
            -1.0,
            directions=("steps away from the fair score", "steps towards it"),
        ),
    )
    answerers = (Answerer("best", "always the best score", lambda facts, put: "5"),)

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> OfferFacts:
        return OfferFacts(int(str(case.payload["fair"])))

    def labels(self, case: Case) -> tuple[str, ...]:
        return SCORES

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered]:
        text = str(case.payload[condition["text"]])
        request = asking(prompts, "score", scale=SCALES[condition["scale"]], text=text)
        return self.answer_to(request, case, condition)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        read = read_after("Score", reply, SCORES)
        falls = condition["scale"] == "falling" and read.label
        return LabelRead(str(6 - int(read.label))) if falls and read.label else read


class Offer(BaseModel, extra="forbid"):
    control: str
    treatment: str
    fair: int


class Offers(Small):
    name, title, payload_model, plan = "offers", "Offers", Offer, OfferEvaluation()
