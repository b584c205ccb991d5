"""The payload of a rewrite: a question, two answers, and the rejected one rewritten so that it shows a bias.

The group of the case is the name of the bias.
"""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from reviewer.protocols.judge_pairs.answer_pair import FilledText, KeptText, benchmark_of
from reviewer.protocols.judge_pairs.bias_entry import Definition
from store.records import JsonValue

JUDGEMENTS: Final = "judgements"
"""The value that holds what a judge said of a rewrite: a list of ``RewriteJudgement``."""
NAMED: Final = "named_bias"
"""The value that holds the bias that a discovery run named behind a judge's misjudgement of a rewrite."""


class RewriteJudgement(BaseModel):
    """What a judge said in one order: what it preferred, its whole reply, and reasons that it gave later."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model: str
    order: str
    choice: Literal["chosen", "rewritten", "tie", "none"]
    reply: str = ""
    reasons: str = ""

    @classmethod
    def listed(cls, value: JsonValue) -> "list[RewriteJudgement]":
        """Those of a stored value that have this form."""
        read = []
        for one in value if isinstance(value, list) else []:
            try:
                read.append(cls.model_validate(one))
            except ValidationError:
                continue
        return read


class Rewrite(BaseModel):
    """A rejected answer and its rewrite beside the chosen answer, which is the right one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    question: FilledText
    chosen: KeptText
    rejected: KeptText
    rewritten: KeptText
    definition: Definition
    source: KeptText = ""

    @property
    def benchmark(self) -> str:
        """The benchmark that the question is from."""
        return benchmark_of(self.source)
