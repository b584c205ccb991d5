"""The cost estimate of a generation run: calls, tokens and cost, before the run begins."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from reviewer.core.number_text import all_digits
from reviewer.core.table import Cell, Table
from reviewer.llm.settings import Price
from reviewer.protocols.generation import Generation, PublishedRun, Sample

_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Calls of each kind, if all candidates are valid and if filters discard as in a published run."""

    samples: Mapping[str, Sample]
    calls: Mapping[str, Mapping[str, int]]
    """Calls by kind of request, for each assumption; the keys are the titles of the columns."""
    prices: Mapping[str, Price]
    """Prices by model."""

    @property
    def without_price(self) -> list[str]:
        """The models without a price."""
        models = dict.fromkeys(sample.request.model for sample in self.samples.values())
        return [model for model in models if model not in self.prices]

    @property
    def totals(self) -> Mapping[str, tuple[int, int, float | None]]:
        """Calls, tokens and cost (None without a price) for each assumption."""
        return {
            title: (sum(calls.values()), self._tokens(calls), self._cost(calls))
            for title, calls in self.calls.items()
        }

    @property
    def table(self) -> Table:
        """One row for each kind of request, then the totals."""
        columns = self.calls.values()
        rows: list[tuple[Cell, ...]] = [
            (name, _prompt_tokens(sample), _answer_tokens(sample), *(calls[name] for calls in columns))
            for name, sample in self.samples.items()
        ]
        totals = zip(
            ("all calls", "all tokens", "cost"), zip(*self.totals.values(), strict=True), strict=True
        )
        rows += [(name, None, None, *values) for name, values in totals]
        return Table.of(("request", "prompt tokens", "answer tokens", *self.calls), rows)

    def _tokens(self, calls: Mapping[str, int]) -> int:
        tokens_of = {name: _prompt_tokens(s) + _answer_tokens(s) for name, s in self.samples.items()}
        return sum(calls[name] * tokens for name, tokens in tokens_of.items())

    def _cost(self, calls: Mapping[str, int]) -> float | None:
        if self.without_price:
            return None
        return all_digits(
            sum(
                calls[name]
                * self.prices[sample.request.model].of(_prompt_tokens(sample), _answer_tokens(sample))
                for name, sample in self.samples.items()
            )
        )


def cost_estimate(
    generation: Generation, groups: Sequence[str], published: PublishedRun | None, price: Price | None
) -> CostEstimate:
    """The estimate for the number of valid cases that the settings ask for, from the lengths of the seeds."""
    wanted, samples, having = generation.settings.target * len(groups), dict[str, Sample](), Counter[str]()
    for group in groups:
        for name, sample in generation.samples(group).items():
            samples.setdefault(name, sample)
            having[name] += 1
    shares = {name: Fraction(number, len(groups)) for name, number in having.items()}
    runs = {"all valid": PublishedRun("", 1, {})}
    if published is not None:
        runs[f"as {published.name}"] = published
    calls = {title: _calls(generation, shares, wanted, run) for title, run in runs.items()}
    models = [sample.request.model for sample in samples.values()]
    return CostEstimate(samples, calls, dict.fromkeys(models, price) if price else {})


def _calls(
    generation: Generation, shares: Mapping[str, Fraction], wanted: int, published: PublishedRun
) -> Mapping[str, int]:
    """Calls of each kind for this number of valid cases, if filters discard the shares of the published run.

    If several steps correspond to one published filter, each is assumed to discard an equal part of it.
    Requests that no step makes belong to an expansion and are made once in each, in the share of the groups
    that have them.
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
    return {name: calls.get(name, math.ceil(expansions * share)) for name, share in shares.items()}


def _prompt_tokens(sample: Sample) -> int:
    characters = sum(len(message.content) for message in sample.request.messages)
    return math.ceil(characters / _CHARACTERS_A_TOKEN)


def _answer_tokens(sample: Sample) -> int:
    return math.ceil(sample.answer_characters / _CHARACTERS_A_TOKEN)
