"""The payload of a rewrite: a question, two answers, and the rejected one rewritten so that it shows a bias.

The group of the case is the name of the bias.
"""

from pydantic import BaseModel, ConfigDict

from reviewer.protocols.judge_pairs.answer_pair import FilledText, KeptText, benchmark_of
from reviewer.protocols.judge_pairs.bias_entry import Definition


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
