"""Counts of final labels by how they were reached, and the share of them that passes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import proportion
from reviewer.core.estimate import Estimate
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.final_labels import FinalLabel, FinalStatus


@dataclass(frozen=True)
class FinalCount:
    """Counts over the items of one question and generator ("all": of every question or generator).

    ``overruled`` counts items that were adjudicated against a majority of the votes. ``passing`` is the share
    of items that pass, among items with a final label whose question has a passing label. It has
    an interval only if no case counts twice, because Wilson's interval assumes independent items.
    """

    question: str
    generator: str
    statuses: Mapping[FinalStatus, int]
    overruled: int
    passing: Estimate

    @property
    def items(self) -> int:
        """All items, including open ones."""
        return sum(self.statuses.values())


def final_counts(finals: Sequence[FinalLabel], level: float = DEFAULT_LEVEL) -> list[FinalCount]:
    """A count per question and generator, in the order of the study; then the total, if there are several."""
    groups: dict[tuple[str, str], list[FinalLabel]] = {}
    for final in finals:
        groups.setdefault((final.question.title, final.place.generator), []).append(final)
    counts = [_count(group, members, level) for group, members in groups.items()]
    return [*counts, _count((ALL, ALL), finals, level)] if len(counts) > 1 else counts


def _count(group: tuple[str, str], finals: Sequence[FinalLabel], level: float) -> FinalCount:
    statuses = [final.status for final in finals]
    return FinalCount(
        *group,
        statuses={status: statuses.count(status) for status in FinalStatus},
        overruled=sum(_overruled(final) for final in finals),
        passing=final_pass_rate(finals, level),
    )


def final_pass_rate(finals: Sequence[FinalLabel], level: float = DEFAULT_LEVEL) -> Estimate:
    """The share of items that pass, among those with a final label whose question has a passing label."""
    judged = [final for final in finals if final.passes is not None]
    cases = len({final.place.case for final in judged})
    passed = sum(final.passes is True for final in judged)
    passing = proportion(passed, len(judged), level).resting_on(cases)
    return replace(passing, interval=None, se=None) if cases < len(judged) else passing


def _overruled(final: FinalLabel) -> bool:
    majority = final.item_votes.majority
    return final.adjudicated is not None and majority is not None and final.adjudicated != majority
