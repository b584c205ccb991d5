"""Filters on the queue of disputes: those of one question, of one group, or with one split of the votes."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from reviewer.study.adjudication.votes import ItemVotes


@dataclass(frozen=True, slots=True)
class DisputeFilter:
    """The filter that an adjudicator chose; None means no restriction. ``question`` is a title."""

    question: str | None = None
    group: str | None = None
    split: str | None = None

    def __bool__(self) -> bool:
        return self != DisputeFilter()

    @property
    def words(self) -> str:
        """The filter for people, such as "same task, split 2 : 1"."""
        split = f"split {self.split}" if self.split else None
        return ", ".join(filter(None, (self.question, self.group, split)))

    def holds(self, item_votes: ItemVotes) -> bool:
        """Whether a dispute matches."""
        values = _values(item_votes)
        return all(getattr(self, name) in (None, value) for name, value in values.items())


def dispute_counts(disputed: Iterable[ItemVotes]) -> Mapping[str, Counter[str]]:
    """How many disputes each single filter would match, by field of the filter and value."""
    counts = {field.name: Counter[str]() for field in fields(DisputeFilter)}
    for item_votes in disputed:
        for name, value in _values(item_votes).items():
            counts[name][value] += 1
    return counts


def _values(item_votes: ItemVotes) -> Mapping[str, str]:
    votes = sorted(item_votes.counts.values(), reverse=True)
    return {
        "question": item_votes.question.title,
        "group": item_votes.place.group,
        "split": " : ".join(map(str, votes)),
    }
