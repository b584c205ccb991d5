"""TINY's judge: it scores each reply of a dialogue from 0 to 10; a referee decides where it is unsure."""

import re
from collections.abc import Mapping

from pydantic import Field

from reviewer.llm.request import ModelRequest
from reviewer.protocols.procedure import (
    CaseProcedure,
    ProcedureSettings,
    PromptPlan,
    RunContext,
    Sampling,
    Values,
)
from reviewer.protocols.work import Work, replies_to, together
from store.records import Case, JsonValue

SCORE = re.compile(r"Score: (10|[0-9])\b")
SHOWN = frozenset({"dialogue", "reply"})


class JudgeSettings(ProcedureSettings):
    unsure_from: int = Field(default=4, ge=0, le=10)
    """least score that the referee gives once more"""
    unsure_to: int = Field(default=6, ge=0, le=10)
    """greatest score that the referee gives once more"""
    temperature: float = Field(default=0.0, ge=0, le=2)
    """sampling temperature of both roles"""


def score_of(case: Case, number: int, run: RunContext) -> Work[tuple[int | None, bool]]:
    """The score of one reply, if there is one, and whether the referee gave it."""
    assert isinstance(run.settings, JudgeSettings)
    dialogue = "\n".join(f"{who}: {said}" for who, said in case.payload["turns"])
    messages = run.prompts.fill("score", dialogue=dialogue, reply=str(case.payload["replies"][number]))
    request = ModelRequest(messages, "score")
    (said,) = yield from replies_to(request, role="judge")
    score = read(said.text)
    if score is None or not run.settings.unsure_from <= score <= run.settings.unsure_to:
        return score, False
    (said,) = yield from replies_to(request, role="referee")
    return read(said.text), True


def read(reply: str) -> int | None:
    found = SCORE.findall(reply)
    return int(found[-1]) if found else None


def scored(case: Case, kept: Values, run: RunContext) -> Work[Values]:
    """The mean score of the replies, each score, and how many the referee gave; nothing if one is missing."""
    scores = yield from together("", [score_of(case, n, run) for n in range(len(case.payload["replies"]))])
    given: list[JsonValue] = [score for score, _ in scores if score is not None]
    if len(given) < len(scores):
        return {}
    mean = sum(score for score, _ in scores if score is not None) / len(given)
    return {"judge_score": mean, "judge_scores": given, "refereed": sum(refereed for _, refereed in scores)}


def sampling(settings: ProcedureSettings) -> Mapping[str, Sampling]:
    assert isinstance(settings, JudgeSettings)
    return dict.fromkeys(("judge", "referee"), Sampling(settings.temperature))


JUDGE = CaseProcedure(
    name="judge",
    roles=("judge", "referee"),
    settings=JudgeSettings,
    prompts=PromptPlan("tests.tiny_protocol", {"score": SHOWN}),
    work=scored,
    sampling=sampling,
)
