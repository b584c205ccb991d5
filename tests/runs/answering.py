"""A model for tests that answers generation's requests from pairs that are known: published ones, or made up.

It knows what is asked by the shipped prompts, and keeps count, for requests that are repeated look the same.
"""

import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tests.llm.server import Answer, Asked, error

Pair = Mapping[str, Any]
_TEXTS = re.compile(
    r"(?:# Version A|## Unbiased text)\n(.*?)\n\n(?:# Version B|## Biased text)\n(.*)", re.DOTALL
)


def options(accepted: str) -> tuple[str, str]:
    """The accepted option's title and the other one's."""
    return ("Option A", "Option B") if accepted == "option_A" else ("Option B", "Option A")


class KnownPairs:
    """Hands out the pairs of each bias, ``batch`` an expansion, and answers whatever is asked about them."""

    def __init__(self, pairs: Mapping[str, Sequence[Pair]], batch: int = 5) -> None:
        self._pairs = pairs
        self._batch = batch
        self._handed_out: Counter[str] = Counter()
        self._asked: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        every = [pair for found in pairs.values() for pair in found]
        self._by_unbiased = {pair["unbiased"].strip(): pair for pair in every}
        self._by_program = {pair["unbiased_prolog"].strip(): pair for pair in every}
        self._biased = {pair["biased"].strip() for pair in every}

    @property
    def exhausted(self) -> bool:
        """Whether every pair was handed out."""
        return all(self._handed_out[bias] >= len(found) for bias, found in self._pairs.items())

    def __call__(self, asked: Asked) -> Answer:
        """The answer to one request."""
        first = str(asked.body["messages"][0]["content"])
        with self._lock:
            if first.startswith("Please write"):
                return Answer(self.expansion(first))
            if first.startswith("You turn pairs"):
                return Answer(self.programs(self._pair(asked)))
            if first.startswith("You put dilemmas"):
                return Answer(self._by_program[asked.last.strip()]["reconstructed_unbiased_prompt"])
            if first.startswith("You examine"):
                return Answer(_said("Yes" if asked.last.strip() in self._biased else "No"))
            if first.startswith("You compare"):
                return Answer(self.verification(self._pair(asked)))
            if first.startswith("You help"):
                return Answer(self.decision(self._by_unbiased[asked.last.strip()]))
        return error(400, "no such prompt")

    def expansion(self, prompt: str) -> str:
        """The next pairs of the bias that the prompt is about."""
        bias = next(bias for bias in self._pairs if f"({bias}: " in prompt)
        done = self._handed_out[bias]
        self._handed_out[bias] += self._batch
        found = self._pairs[bias][done : done + self._batch]
        return (
            "\n\n".join(pair_text(number, pair) for number, pair in enumerate(found, 1)) or "I have no more."
        )

    def programs(self, pair: Pair) -> str:
        """Axioms and both programs."""
        return programs_text(pair)

    def verification(self, pair: Pair) -> str:
        """Yes, as often as it was published, then no."""
        said_yes = self._times("verification", pair) < pair["decisions_towards_validity"]
        return _said("Yes" if said_yes else "No", pair["bias_is_towards_incorrect_only_in_biased_version"])

    def decision(self, pair: Pair) -> str:
        """What logic decides, in as many of 5 runs as it was published, then the other option."""
        accepted, other = options(pair["correct_option"])
        agrees = self._times("decision", pair) < round(5 * pair["agreement_rate"])
        return _said(accepted if agrees else other)

    def _pair(self, asked: Asked) -> Pair:
        # A request that is repeated with a complaint has the same messages before it.
        said = (str(message["content"]) for message in asked.body["messages"] if message["role"] == "user")
        found = [match for text in said if (match := _TEXTS.fullmatch(text.strip()))][-1]
        return self._by_unbiased[found[1].strip()]

    def _times(self, what: str, pair: Pair) -> int:
        asked_before = self._asked[what, pair["unbiased"]]
        self._asked[what, pair["unbiased"]] += 1
        return asked_before


def pair_text(number: int, pair: Pair) -> str:
    """A pair as the expansion prompt asks for it."""
    texts = (f"## {title}\n```\n{pair[title.lower()]}\n```" for title in ("Unbiased", "Biased"))
    return "\n\n".join([f"# Pair {number}", *texts])


def programs_text(pair: Pair) -> str:
    """A translation as its prompt asks for it."""
    return (
        f"## Axioms\n```prolog\n{pair['axioms']}\n```\n\n"
        f"## Unbiased\n```prolog\n{pair['unbiased_prolog']}\n```\n\n"
        f"## Biased\n```prolog\n{pair['biased_prolog']}\n```\n\n"
        f"## Axioms in words\n{pair['axioms_description']}"
    )


def _said(decision: str, why: str = "It is so.") -> str:
    return f"Explanation: {why}\nDecision: {decision}"
