"""Which raters see which case, where each case is seen by some of a study's raters.

The design is incomplete and balanced: raters have as many cases, up to one, and any two raters share about
as many. It depends only on the cases, the names of the raters and the seed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.study.design.seeding import derived_seed, shuffled

Panels = dict[str, tuple[str, ...]]
"""Digest of a case → the raters who see it, in alphabetical order."""


def checked_size(size: int | None, raters: Sequence[str], cases: int) -> int | None:
    """How many raters see each case; None if all of them do. Raises RequestError if that is impossible."""
    if size is None or not cases:
        return None
    number = len(set(raters))
    if not number:
        raise RequestError(
            "a number of raters for each case needs the raters' names; give each of them with --rater."
        )
    if size > number:
        raise RequestError(
            f"{counted(size, 'rater')} for each case are more than the {number:,} of the study; "
            "name more raters, or ask fewer for each case."
        )
    if size * cases < number:
        raise RequestError(
            f"{counted(cases, 'case')} with {counted(size, 'rater')} each leave some of {number:,} raters "
            "without a case; name fewer raters, or draw more cases."
        )
    return None if size == number else size


def check_third_votes(size: int | None, raters: Sequence[str]) -> None:
    """Raise RequestError unless two raters vote on each case and others are there for third votes."""
    if size != 2:
        raise RequestError("third votes go with two votes a case; give --votes 2.")
    if len(set(raters)) < 3:
        raise RequestError(
            f"third votes need at least three raters, and the study has {len(set(raters)):,}; name more with "
            "--rater, or leave --third out."
        )


def balanced_panels(cases: Mapping[str, str], raters: Iterable[str], size: int, seed: int) -> Panels:
    """The panel of each case, given as digest → group."""
    tally, names = _Tally(), set(raters)
    places = shuffled(cases, derived_seed(seed, "panels"))
    panels = {case: tally.panel(shuffled(names, f"{seed}\0{case}"), size, cases[case]) for case in places}
    return {case: panels[case] for case in cases}


@dataclass
class _Tally:
    """How many cases each rater has, each pair of raters shares, and each rater has of each group."""

    cases: dict[str, int] = field(default_factory=dict)
    pairs: dict[frozenset[str], int] = field(default_factory=dict)
    groups: dict[tuple[str, str], int] = field(default_factory=dict)

    def panel(self, raters: Sequence[str], size: int, group: str) -> tuple[str, ...]:
        """The next panel: each time the rater with the fewest cases, who shares fewest with the others."""
        chosen: list[str] = []
        for _ in range(size):
            left = [rater for rater in raters if rater not in chosen]
            chosen.append(min(left, key=lambda rater: self._rank(rater, chosen, group)))
        for rater in chosen:
            self.cases[rater] = self.cases.get(rater, 0) + 1
            self.groups[rater, group] = self.groups.get((rater, group), 0) + 1
        for pair in map(frozenset, combinations(chosen, 2)):
            self.pairs[pair] = self.pairs.get(pair, 0) + 1
        return tuple(sorted(chosen))

    def _rank(self, rater: str, chosen: Iterable[str], group: str) -> tuple[int, int, int]:
        shared = sum(self.pairs.get(frozenset((rater, other)), 0) for other in chosen)
        return self.cases.get(rater, 0), shared, self.groups.get((rater, group), 0)


def shared_cases(panels: Mapping[str, Sequence[str]]) -> tuple[int, int]:
    """The fewest and the most cases that two raters share."""
    raters = sorted({rater for panel in panels.values() for rater in panel})
    shared = dict.fromkeys(combinations(raters, 2), 0)
    for panel in panels.values():
        for pair in combinations(sorted(panel), 2):
            shared[pair] += 1
    return min(shared.values(), default=0), max(shared.values(), default=0)
