"""What referees give the two sides of a debate, and who wins by the weights of the criteria."""

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from reviewer.protocols.reading.json_values import json_object
from store.records import JsonValue

CRITERIA: Final[Mapping[str, str]] = {
    "support": "how well the argument rests on words of the text",
    "logic": "whether its steps fit together and lead to its conclusion",
    "refutation": "how well it answers what the other side said",
    "completeness": "whether it covers every part of the definition of the bias",
    "persuasion": "how convincing it is to somebody who reads both sides",
    "reasonability": "how plausible the bias is for this text, whoever speaks for it",
}
"""The six criteria, each with the question that a referee answers."""
SIDES: Final = ("first", "second")
_MOST: Final = 10
NO_SCORES: Final = "no six scores from 0 to 10 for each side"
"""Why the scores of a referee cannot be read: prose, a missing criterion, or a number such as 11."""

Scores = tuple[float, ...]
"""The six scores of a side, in the order of ``CRITERIA``."""


class CriterionWeights(BaseModel):
    """The weight of each criterion. Equal weights are the default; only their proportions matter."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    support: float = 1.0
    logic: float = 1.0
    refutation: float = 1.0
    completeness: float = 1.0
    persuasion: float = 1.0
    reasonability: float = 1.0

    @model_validator(mode="after")
    def _one_counts(self) -> "CriterionWeights":
        if not any(self.values):
            raise ValueError("gives every criterion the weight 0; give one of them another weight")
        return self

    @property
    def values(self) -> Scores:
        """The weights in the order of the criteria."""
        return tuple(getattr(self, name) for name in CRITERIA)

    def mean(self, scores: Scores) -> float:
        """The weighted mean of six scores; a negative weight counts against a side."""
        total = sum(map(abs, self.values))
        return sum(weight * score for weight, score in zip(self.values, scores, strict=True)) / total


class LearntWeights(BaseModel):
    """From which debates weights were learnt, and how often they then name the right side.

    ``held_out`` is the accuracy on texts that the weights of a fold were not learnt from, and ``equal`` that
    of equal weights on the same debates. ``digest`` covers all debates. ``texts`` are digests of their texts,
    on which the weights are never used.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    debates: int = Field(ge=1)
    held_out: float = Field(ge=0, le=1)
    equal: float = Field(ge=0, le=1)
    digest: str
    texts: tuple[str, ...]


def scores_in(reply: str) -> tuple[Scores, Scores] | None:
    """The scores of both sides in a referee's reply; None if they are not all numbers from 0 to 10."""
    found = json_object(reply) or {}
    both = [_scores_of(found.get(side)) for side in SIDES]
    return (both[0], both[1]) if both[0] and both[1] else None


def _scores_of(given: JsonValue) -> Scores | None:
    if not isinstance(given, Mapping):
        return None
    scores = [given.get(name) for name in CRITERIA]
    known = [
        float(score) for score in scores if isinstance(score, int | float) and not isinstance(score, bool)
    ]
    return tuple(known) if len(known) == len(scores) and all(0 <= score <= _MOST for score in known) else None


def mean_scores(replies: Sequence[str]) -> tuple[Scores, Scores] | None:
    """The mean scores of both sides over the referees whose scores can be read; None if there are none."""
    read = [scores for scores in map(scores_in, replies) if scores]
    if not read:
        return None
    first, second = (
        tuple(sum(column) / len(read) for column in zip(*side, strict=True))
        for side in zip(*read, strict=True)
    )
    return first, second
