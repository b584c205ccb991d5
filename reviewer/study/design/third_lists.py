"""The lists of cases that raters are asked about for third votes.

At least half of each list are cases on which the fixed votes agree, in random order, so that nobody can know
of a case on the list whether it is disputed. A list depends only on the cases, the raters and the seed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from reviewer.study.design.seeding import shuffled
from reviewer.study.session.blinding import list_for_third_votes


@dataclass(frozen=True)
class ThirdLists:
    """The drawn list of each rater, and the disputed cases for which nobody could be asked now."""

    lists: Mapping[str, tuple[str, ...]]
    left: tuple[str, ...]


@dataclass
class _Draw:
    """Which cases each rater may get, and which they have got."""

    disputed: dict[str, list[str]]
    free: Mapping[str, list[str]]
    """Rater → the undisputed cases that they have not seen, in random order."""
    seen: Mapping[str, set[str]]
    left: list[str] = field(default_factory=list)

    def give(self, case: str, raters: Iterable[str]) -> None:
        """Give a disputed case to the rater with the fewest, who has an undisputed case to go with it."""
        able = [
            rater
            for rater in raters
            if case not in self.seen[rater] and len(self.disputed[rater]) < len(self.free[rater])
        ]
        if able:
            self.disputed[min(able, key=lambda rater: len(self.disputed[rater]))].append(case)
        else:
            self.left.append(case)


def draw_third_lists(
    disputed: Iterable[str],
    agreed: Iterable[str],
    raters: Iterable[str],
    seen: Mapping[str, Iterable[str]],
    seed: str,
) -> ThirdLists:
    """A list for each rater: their share of the ``disputed`` cases, and as many ``agreed`` ones.

    ``seen`` are the cases that each rater was asked about. Cases are digests.
    """
    names, held = sorted(raters), {rater: {*seen.get(rater, ())} for rater in raters}
    hiding = shuffled(agreed, f"{seed}\0undisputed")
    free = {rater: [case for case in hiding if case not in held[rater]] for rater in names}
    draw = _Draw({rater: [] for rater in names}, free, held)
    for case in shuffled(disputed, f"{seed}\0disputed"):
        draw.give(case, shuffled(names, f"{seed}\0{case}"))
    return ThirdLists(dict(_with_undisputed(draw, seed)), tuple(draw.left))


def _with_undisputed(draw: _Draw, seed: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each rater's list, with the undisputed cases that the fewest others have got."""
    times = Counter[str]()
    for rater, disputed in draw.disputed.items():
        if not disputed:
            continue
        rank = {case: at for at, case in enumerate(draw.free[rater])}
        chosen = sorted(rank, key=lambda case: (times[case], rank[case]))[: len(disputed)]
        times.update(chosen)
        yield rater, list_for_third_votes(disputed, chosen, f"{seed}\0list of {rater}")
