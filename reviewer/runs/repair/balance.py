"""Balances a dataset: chooses cases whose options are exchanged, so that each is right equally often.

The cases of a group are ordered by a digest of the seed and their keys. The first of them whose right option
is right too often are exchanged. So the choice depends on the seed alone, and if a balancing is interrupted,
the next call ends with the same cases.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from reviewer.core.errors import RequestError, Unfinished
from reviewer.core.sanitize import one_line
from reviewer.core.work_progress import Progress
from reviewer.oracle.evidence import same_option
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.program_runner import ProgramRunner
from reviewer.protocols.base import Protocol
from reviewer.runs.audit.check_texts import examination_of
from store.records import digest_of
from store.revisions import PlaceNow


@dataclass(frozen=True, slots=True)
class GroupBalance:
    """One group: how often each option is right now and should be, and the cases that may be exchanged.

    ``surplus`` are the places whose right option is right too often, in the order in which they are exchanged
    until ``needed`` of them are. ``undecided`` places have no option that is right.
    """

    group: str
    now: tuple[int, int]
    target: tuple[int, int]
    surplus: tuple[PlaceNow, ...]
    undecided: tuple[PlaceNow, ...]

    @property
    def needed(self) -> int:
        """How many cases have to be exchanged."""
        return abs(self.now[0] - self.target[0])


def right_options(
    protocol: Protocol, places: Sequence[PlaceNow], runner: ProgramRunner, progress: Progress | None = None
) -> dict[str, int | None]:
    """Key → the number of the option (0, 1) that the first program decides for; None for neither.

    Raises Unfinished if no worker of a cluster could run a case.
    """
    plans = [(now, examination_of(protocol, now.case) if now.case.is_whole else None) for now in places]
    planned = [((now, plan), (_decision_only(plan.first),)) for now, plan in plans if plan is not None]
    found: dict[str, int | None] = {now.place.key: None for now in places}
    with closing(runner.run(planned)) as results:
        for done, ran in enumerate(results, start=1):
            now, plan = ran.about
            if ran.result is None:
                raise Unfinished(
                    f"case {one_line(now.place.key)} was not run on the cluster: {ran.not_tested}. Run the "
                    "same command again, or leave --cluster out."
                )
            (result,) = ran.result
            if result.decided:
                numbers = (
                    number for number, option in enumerate(plan.options) if same_option(option, result.choice)
                )
                found[now.place.key] = next(numbers, None)
            if progress:
                progress(done, len(planned))
    return found


def option_names(protocol: Protocol, places: Sequence[PlaceNow]) -> tuple[str, str]:
    """The names of the two options of these cases; raises RequestError if they have not the same two."""
    plans = (examination_of(protocol, now.case) for now in places if now.case.is_whole)
    names = {plan.options for plan in plans if plan is not None}
    if len(names) != 1:
        raise RequestError("these cases do not all have programs that decide between the same two options.")
    return names.pop()


def balanced_groups(
    places: Sequence[PlaceNow], right: Mapping[str, int | None], seed: int
) -> tuple[GroupBalance, ...]:
    """How each group is balanced, in the order of the dataset.

    A group with an odd number of decided cases has one more of one option. Half of these groups have it of
    the first option, so that the whole dataset is as even as its groups.
    """
    groups: dict[str, list[PlaceNow]] = {}
    for now in places:
        groups.setdefault(now.case.group, []).append(now)
    counts = {group: Counter(right[now.place.key] for now in some) for group, some in groups.items()}
    odd = [group for group in groups if (counts[group][0] + counts[group][1]) % 2]
    odd.sort(key=lambda group: _rank(seed, group))
    more = set(odd[: (len(odd) + 1) // 2])
    return tuple(
        _group_balance(group, some, right, (counts[group][0], counts[group][1]), group in more, seed)
        for group, some in groups.items()
    )


def _group_balance(
    group: str,
    places: Sequence[PlaceNow],
    right: Mapping[str, int | None],
    now: tuple[int, int],
    more_of_first: bool,
    seed: int,
) -> GroupBalance:
    total = sum(now)
    first = (total + 1) // 2 if more_of_first else total // 2
    too_often = 0 if now[0] > first else 1
    surplus = [place for place in places if right[place.place.key] == too_often]
    surplus.sort(key=lambda place: _rank(seed, group, place.place.key))
    undecided = tuple(place for place in places if right[place.place.key] is None)
    return GroupBalance(group, now, (first, total - first), tuple(surplus), undecided)


def _rank(seed: int, *names: str) -> str:
    return digest_of([seed, *names])


def _decision_only(program: Program) -> Program:
    return replace(program, listing=False, count=False, prove=False, explain=())
