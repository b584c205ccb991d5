"""What a run of generation will take, before it begins: calls, tokens, cost. A guess, and said to be one."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.table import Cell, Table
from reviewer.llm.settings import Price
from reviewer.protocols.generation import Generation, PublishedRun, Sample
from reviewer.runs.generation.candidate_pipeline import EXPANSION

_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Calls of each kind where every candidate is valid, and where as many are as in a published run."""

    samples: Mapping[str, Sample]
    at_best: Mapping[str, int]
    as_published: Mapping[str, int]
    published: PublishedRun
    price: Price | None

    @property
    def table(self) -> Table:
        """One row a kind of request, and one for all."""
        rows: list[tuple[Cell, ...]] = [
            (
                name,
                _prompt_tokens(sample),
                _answer_tokens(sample),
                self.at_best[name],
                self.as_published[name],
            )
            for name, sample in self.samples.items()
        ]
        calls = (sum(self.at_best.values()), sum(self.as_published.values()))
        rows.append(("all calls", None, None, *calls))
        rows.append(("all tokens", None, None, *map(self._tokens, (self.at_best, self.as_published))))
        rows.append(("cost", None, None, *map(self._cost, (self.at_best, self.as_published))))
        columns = ("request", "prompt tokens", "answer tokens", "all valid", f"as {self.published.name}")
        return Table.of(columns, rows)

    def _tokens(self, calls: Mapping[str, int]) -> int:
        each = {name: _prompt_tokens(s) + _answer_tokens(s) for name, s in self.samples.items()}
        return sum(calls[name] * tokens for name, tokens in each.items())

    def _cost(self, calls: Mapping[str, int]) -> float | None:
        if self.price is None:
            return None
        price = self.price
        return round(
            sum(
                calls[name] * price.of(_prompt_tokens(sample), _answer_tokens(sample))
                for name, sample in self.samples.items()
            ),
            4,
        )


def cost_estimate(
    generation: Generation, groups: Sequence[str], published: PublishedRun, price: Price | None
) -> CostEstimate:
    """The estimate for so many valid cases of each group as the settings want, on the seeds' lengths."""
    wanted = generation.settings.target * len(groups)
    return CostEstimate(
        generation.samples(groups[0]),
        _calls(generation, wanted, PublishedRun("", 1, {})),
        _calls(generation, wanted, published),
        published,
        price,
    )


def _calls(generation: Generation, wanted: int, published: PublishedRun) -> Mapping[str, int]:
    """Calls of each kind for so many valid cases, where filters take the shares that they took there.

    Where a published filter is several steps here, each is taken to discard the same part of it.
    """
    steps_of = Counter(step.counts_as for step in generation.steps)
    valid = published.valid or 1
    candidates = wanted * (1 + sum(published.discarded.values()) / valid)
    calls = {EXPANSION: math.ceil(candidates / generation.settings.batch_size)}
    for step in generation.steps:
        for name, number in step.calls.items():
            calls[name] = math.ceil(candidates * number)
        lost = published.discarded.get(step.counts_as, 0) / steps_of[step.counts_as]
        candidates -= wanted * lost / valid
    return calls


def _prompt_tokens(sample: Sample) -> int:
    characters = sum(len(message.content) for message in sample.ask.messages)
    return math.ceil(characters / _CHARACTERS_A_TOKEN)


def _answer_tokens(sample: Sample) -> int:
    return math.ceil(sample.answer_characters / _CHARACTERS_A_TOKEN)
