"""The rule by which a study may be stopped early: a pass rate that is claimed to be above a limit."""

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from reviewer.core.errors import RequestError
from reviewer.core.question import Question
from reviewer.core.sanitize import one_line
from reviewer.study.design.seeding import derived_seed, shuffled

_RULE = re.compile(r"(?:(?P<question>.*\S)\s+)?pass rate\s*>\s*(?P<share>0?\.\d+|\d+(?:\.\d+)?\s*%)\s*")

REOPENED_MEANS = (
    "The interval of the stop rule holds at every look, so a claim that was made before the study was closed "
    "stays valid, and answers that come after the reopening may support it less: report both. The interval "
    "does not cover answers that raters change after they could see those of others."
)
"""What the report of a study with a stop rule says if it was opened again."""
REOPENED = f"The study has a stop rule. {REOPENED_MEANS}"
"""What a lead who opens such a study again should know."""


class StopRule(BaseModel):
    """The claim that more than ``above`` of all cases pass each of these questions, by key.

    ``sizes`` is how many cases could be drawn that each question is asked about: the cases that the claim
    speaks of.
    """

    model_config = ConfigDict(frozen=True)

    above: float = Field(gt=0.0, lt=1.0)
    sizes: Mapping[str, int]
    level: float = 0.95


class WantedRule(BaseModel):
    """What a lead asks for, before it is known which questions and cases a study has."""

    model_config = ConfigDict(frozen=True)

    above: float
    question: str = ""

    @classmethod
    def read(cls, text: str) -> "WantedRule":
        """The rule in a text such as "pass rate > .9"; raises RequestError."""
        match = _RULE.fullmatch(text.strip())
        share = match["share"] if match else "0"
        number = float(share.rstrip("% ")) / (100 if "%" in share else 1)
        if match is None or not 0 < number < 1:
            raise RequestError(
                f'--stop {one_line(text, 60)!r} is not a rule; give one such as "pass rate > .9", or for one '
                'question "same_task pass rate > .9".'
            )
        return cls(above=number, question=(match["question"] or "").strip())

    def asked(self, questions: Sequence[Question]) -> list[Question]:
        """The questions that it is about; raises RequestError where it can be about none."""
        meant = [q for q in questions if self.question in ("", q.key, q.title)]
        if not meant:
            keys = ", ".join(question.key for question in questions)
            raise RequestError(
                f"--stop names {one_line(self.question, 60)!r}, which the study does not ask; it asks {keys}."
            )
        if without := next((question for question in meant if not question.passing), None):
            raise RequestError(
                f"question {without.key!r} has no passing label, so no pass rate of it can be claimed; name "
                "another question in --stop."
            )
        return meant


def common_order(study_seed: int, cases: Iterable[str]) -> list[str]:
    """Cases, by digest, in the one random order in which all raters see them."""
    return shuffled(cases, common_order_seed(study_seed))


def common_order_seed(study_seed: int) -> int:
    """The seed of this order."""
    return derived_seed(study_seed, "common order")
