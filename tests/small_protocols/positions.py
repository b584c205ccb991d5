"""A claim at five levels of detail; answers fall into classes, and each case has its own."""

from collections.abc import Hashable, Mapping
from itertools import pairwise

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
    NotAsked,
)
from reviewer.protocols.procedure import Prompts
from reviewer.protocols.work import Work
from store.records import Case, JsonValue
from tests.small_protocols.small import Small, asking, prompt_plan, read_after

LEVELS = ("1", "2", "3", "4", "5")
DECLINES = "declines"


def changes(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    """From one level to the next."""
    steps = list(pairwise(label[level] for level in sorted(label)))
    return Brought(sum(one != other for one, other in steps) / len(steps))


def declined(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(label[""] == DECLINES)


class PositionEvaluation(EvaluationPlan):
    prompts = prompt_plan("position", "classes", "claim")
    factors = (Factor("level", LEVELS, LEVELS),)
    measures = (
        Measure(
            "changes",
            "changes",
            "How often the position changes with one more detail.",
            "level",
            changes,
            best=0.0,
        ),
        Measure("declined", "declined", "How often no position is taken.", "", declined),
    )
    answerers = (Answerer(DECLINES, "always declines", lambda facts, put: DECLINES),)

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> None:
        return None

    def labels(self, case: Case) -> tuple[str, ...]:
        return (*map(str, case.payload["classes"]), DECLINES)

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered] | NotAsked:
        level, details = int(condition["level"]), case.payload["details"]
        if len(details) < level:
            return NotAsked(f"The claim has no level {level}.")
        claim = " ".join(map(str, details[:level]))
        request = asking(prompts, "position", classes=", ".join(self.labels(case)), claim=claim)
        return self.answer_to(request, case, condition)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        return read_after("Position", reply, self.labels(case))


class Claim(BaseModel, extra="forbid"):
    details: list[str]
    classes: list[str]


class Positions(Small):
    name, title, payload_model, plan = "positions", "Positions", Claim, PositionEvaluation()
