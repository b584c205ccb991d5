"""The answers in all repeats of one judge to one question about one case."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JudgeVotes:
    """``answers`` counts readable replies by answer. ``repeats`` were planned; those that are neither
    readable nor ``unreadable`` are missing.
    """

    answers: Mapping[str, int]
    unreadable: int
    repeats: int

    @classmethod
    def of(cls, replies: Iterable[tuple[str, str | None]], repeats: int) -> "JudgeVotes":
        """From the state of each outcome and the answer that was read, if one was."""
        told = list(replies)
        unreadable = sum(state == "unreadable" for state, answer in told if answer is None)
        return cls(dict(Counter(answer for _, answer in told if answer is not None)), unreadable, repeats)

    @property
    def readable(self) -> int:
        """How many replies could be read."""
        return sum(self.answers.values())

    @property
    def answered(self) -> bool:
        """Whether any reply came."""
        return self.readable + self.unreadable > 0

    @property
    def answer(self) -> str | None:
        """The answer of most readable replies; None without any, or if two answers have the most."""
        most = max(self.answers.values(), default=0)
        first = [answer for answer, count in self.answers.items() if count == most]
        return first[0] if len(first) == 1 else None

    def votes_for(self, answer: str) -> int:
        """How many replies give this answer: k of ``readable``."""
        return self.answers.get(answer, 0)
