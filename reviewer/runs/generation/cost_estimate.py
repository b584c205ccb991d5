"""What a run of generation will take, before it begins: calls, tokens, cost. A guess, and said to be one."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.table import Cell, Table
from reviewer.llm.settings import Price
from reviewer.protocols.generation import Generation, PublishedRun, Sample

_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Calls of each kind where every candidate is valid, and where as many are as in a published run."""

    samples: Mapping[str, Sample]
    calls: Mapping[str, Mapping[str, int]]
    """Calls by kind of request, by the column that says when there will be so many."""
    price: Price | None

    @property
    def table(self) -> Table:
        """One row a kind of request, and one for all."""
        columns = self.calls.values()
        rows: list[tuple[Cell, ...]] = [
            (name, _prompt_tokens(sample), _answer_tokens(sample), *(calls[name] for calls in columns))
            for name, sample in self.samples.items()
        ]
        rows.append(("all calls", None, None, *(sum(calls.values()) for calls in columns)))
        rows.append(("all tokens", None, None, *map(self._tokens, columns)))
        rows.append(("cost", None, None, *map(self._cost, columns)))
        return Table.of(("request", "prompt tokens", "answer tokens", *self.calls), rows)

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
    generation: Generation, groups: Sequence[str], published: PublishedRun | None, price: Price | None
) -> CostEstimate:
    """The estimate for so many valid cases of each group as the settings want, on the seeds' lengths."""
    wanted, samples = generation.settings.target * len(groups), generation.samples(groups[0])
    runs = {"all valid": PublishedRun("", 1, {})}
    if published is not None:
        runs[f"as {published.name}"] = published
    calls = {title: _calls(generation, samples, wanted, run) for title, run in runs.items()}
    return CostEstimate(samples, calls, price)


def _calls(
    generation: Generation, samples: Mapping[str, Sample], wanted: int, published: PublishedRun
) -> Mapping[str, int]:
    """Calls of each kind for so many valid cases, where filters take the shares that they took there.

    Where a published filter is several steps here, each is taken to discard the same part of it. Requests
    that no step makes are an expansion's, each made once.
    """
    steps_of = Counter(step.counts_as for step in generation.steps)
    valid = published.valid or 1
    candidates = wanted * (1 + sum(published.discarded.values()) / valid)
    expansions = math.ceil(candidates / generation.settings.batch_size)
    calls = Counter[str]()
    for step in generation.steps:
        for name, number in step.calls.items():
            calls[name] += math.ceil(candidates * number)
        lost = published.discarded.get(step.counts_as, 0) / steps_of[step.counts_as]
        candidates -= wanted * lost / valid
    return {name: calls.get(name, expansions) for name in samples}


def _prompt_tokens(sample: Sample) -> int:
    characters = sum(len(message.content) for message in sample.request.messages)
    return math.ceil(characters / _CHARACTERS_A_TOKEN)


def _answer_tokens(sample: Sample) -> int:
    return math.ceil(sample.answer_characters / _CHARACTERS_A_TOKEN)
