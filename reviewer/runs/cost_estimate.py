"""The cost estimate of a run: calls, tokens and cost, before it begins."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from reviewer.core.number_text import all_digits, fixed
from reviewer.core.table import Cell, Table
from reviewer.llm.model_settings import Price
from reviewer.llm.request import ChatMessage
from reviewer.protocols.procedure import Sample

CHARACTERS_A_TOKEN = 4
ANSWER_TOKENS = 150
"""The length of an answer with a short explanation, as a guess."""
ANSWER_CHARACTERS = ANSWER_TOKENS * CHARACTERS_A_TOKEN
_REPEATED = 20
"""Lines that are not shown a second time, at least."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What a run is expected to take: examples of requests as texts, a table of calls, tokens and cost.

    ``lines`` say the same as the table to somebody who is about to start the run. ``remarks`` are sentences
    below the table, and ``end`` names what ends the run.
    """

    examples: Sequence[str]
    table: Table
    lines: Sequence[str]
    remarks: Sequence[str]
    end: str


def sampled_estimate(
    samples: Mapping[str, Sample],
    calls: Mapping[str, Mapping[str, int]],
    models: Mapping[str, str],
    prices: Mapping[str, Price],
    *,
    subject: str,
    remark: str,
    end: str,
) -> CostEstimate:
    """The estimate from an example of each kind of request, and the calls by kind for each assumption.

    ``models`` are those of the roles. The sentence begins with ``subject``, and ``remark`` names the
    assumptions.
    """

    def model_of(sample: Sample) -> str:
        return models[sample.role or next(iter(models))]

    unpriced = [model for model in dict.fromkeys(map(model_of, samples.values())) if model not in prices]

    def summed(counts: Mapping[str, int], each: Callable[[Sample], float]) -> float:
        return sum(counts[name] * each(sample) for name, sample in samples.items())

    def cost(counts: Mapping[str, int]) -> float | None:
        if unpriced:
            return None
        return all_digits(summed(counts, lambda sample: prices[model_of(sample)].of(*_tokens(sample))))

    totals = {
        title: (sum(counts.values()), int(summed(counts, lambda sample: sum(_tokens(sample)))), cost(counts))
        for title, counts in calls.items()
    }
    rows: list[tuple[Cell, ...]] = [
        (name, *_tokens(sample), *(counts[name] for counts in calls.values()))
        for name, sample in samples.items()
    ]
    of_all = zip(("all calls", "all tokens", "cost"), zip(*totals.values(), strict=True), strict=True)
    rows += [(name, None, None, *values) for name, values in of_all]
    lines = [f"{subject} whole run takes about:"]
    for title, (number, tokens, money) in totals.items():
        price = "" if money is None else f", cost {fixed(money)}"
        lines.append(f"  {title}: {number:,} calls, {tokens:,} tokens{price}")
    lines.append("Tokens are characters / 4, without reasoning. Answers that are kept already cost nothing.")
    no_price = f"No price is known for {', '.join(unpriced)}" if unpriced else ""
    return CostEstimate(
        [text for name, sample in samples.items() for text in shown(name, sample.request.messages)],
        Table.of(("request", "prompt tokens", "answer tokens", *calls), rows),
        [*lines, *([f"{no_price}, so the cost is not known."] if no_price else [])],
        [f"{remark} {no_price}." if no_price else remark],
        end,
    )


def without_repeats(texts: Iterable[str]) -> Iterator[str]:
    """The texts; lines that an earlier text has already are counted where many of them follow each other."""
    before = set[str]()
    for text in texts:
        lines = text.split("\n")
        runs = [(known, list(some)) for known, some in groupby(lines, before.__contains__)]
        kept = [
            [f"(the same {len(some)} lines as above)", ""] if known and len(some) >= _REPEATED else some
            for known, some in runs
        ]
        before.update(lines)
        yield "\n".join(chain.from_iterable(kept))


def shown(title: str, messages: Sequence[ChatMessage]) -> Iterator[str]:
    """The messages of an example as texts, each below its title and its role."""
    return (f"── {title} · {message.role} ──\n{message.content}\n" for message in messages)


def _tokens(sample: Sample) -> tuple[int, int]:
    """The approximate tokens of a request and of its answer."""
    characters = sum(len(message.content) for message in sample.request.messages)
    return math.ceil(characters / CHARACTERS_A_TOKEN), math.ceil(
        sample.answer_characters / CHARACTERS_A_TOKEN
    )
