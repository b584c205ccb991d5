"""How items came by their final labels, counted, and the share of them that passes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import proportion
from reviewer.core.estimate import Estimate
from reviewer.study.adjudication.final_labels import FinalLabel, FinalStatus
from reviewer.study.statistics.dimensions import ALL


@dataclass(frozen=True)
class FinalCount:
    """The items of one question and generator ("all": of every one).

    ``overruled`` are adjudicated against a majority of the votes. ``passing`` is the share of final labels
    that pass, over the items that have one and whose question has a passing label; it has an interval where
    no case counts twice, for Wilson's takes the items to be independent.
    """

    question: str
    generator: str
    statuses: Mapping[FinalStatus, int]
    overruled: int
    passing: Estimate

    @property
    def items(self) -> int:
        """All of them, open ones too."""
        return sum(self.statuses.values())


def final_counts(finals: Sequence[FinalLabel], level: float = DEFAULT_LEVEL) -> list[FinalCount]:
    """A count for each question and generator, in the order of the study; then all, where that is more."""
    found: dict[tuple[str, str], list[FinalLabel]] = {}
    for each in finals:
        found.setdefault((each.question.title, each.place.generator), []).append(each)
    counts = [_count(place, some, level) for place, some in found.items()]
    return [*counts, _count((ALL, ALL), finals, level)] if len(counts) > 1 else counts


def _count(place: tuple[str, str], finals: Sequence[FinalLabel], level: float) -> FinalCount:
    statuses = [each.status for each in finals]
    judged = [each for each in finals if each.label is not None and each.question.passing is not None]
    passing = proportion(sum(each.label == each.question.passing for each in judged), len(judged), level)
    if len({each.place.case for each in judged}) < len(judged):
        passing = replace(passing, interval=None, se=None)
    return FinalCount(
        *place,
        statuses={status: statuses.count(status) for status in FinalStatus},
        overruled=sum(_overruled(each) for each in finals),
        passing=passing,
    )


def _overruled(final: FinalLabel) -> bool:
    majority = final.item_votes.majority
    return final.adjudicated is not None and majority is not None and final.adjudicated != majority
