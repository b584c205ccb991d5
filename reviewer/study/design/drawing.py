"""Drawing cases at random: a number of each group, or a total that is spread over the groups."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.protocols.base import Protocol
from reviewer.study.design.known_answers import PlacedCase
from reviewer.study.design.seeding import shuffled

_Strata = Mapping[tuple[str, str], Sequence[PlacedCase]]
"""The cases of each group of each dataset, in the protocol's order."""


def eligible(places: list[PlacedCase], include_seeds: bool) -> list[PlacedCase]:
    """If a dataset has generated cases and seeds: only the generated ones, unless seeds are included."""
    generated = [place for place in places if place[0].origin == "generated"]
    return places if include_seeds or not generated else generated


def draw(
    protocol: Protocol,
    available: Mapping[str, Sequence[PlacedCase]],
    seed: int,
    *,
    per_group: int | None = None,
    total: int | None = None,
    option: str = "--total",
) -> list[PlacedCase]:
    """Draw cases of each group of each dataset by the seed; all if no number is given. None is drawn twice.
    ``option`` names the option that gives the total, for the sentence of an error.

    Raises RequestError if there are fewer cases.
    """
    strata = _strata(protocol, available)
    sizes = dict.fromkeys(strata, per_group) if total is None else _spread(strata, total, option)
    drawn: dict[str, PlacedCase] = {}
    for (dataset, group), places in strata.items():
        fresh = [place for place in places if place[1].digest not in drawn]
        for place in _draw_group(dataset, group, fresh, sizes[dataset, group], seed):
            drawn[place[1].digest] = place
    if not drawn:
        raise RequestError(f"dataset {', '.join(available)!r} has no cases to draw from; import cases first.")
    return list(drawn.values())


def _strata(protocol: Protocol, available: Mapping[str, Sequence[PlacedCase]]) -> _Strata:
    strata: dict[tuple[str, str], Sequence[PlacedCase]] = {}
    for dataset, places in available.items():
        groups: dict[str, list[PlacedCase]] = defaultdict(list)
        for place in places:
            groups[place[1].group].append(place)
        strata |= {(dataset, group): groups[group] for group in protocol.groups_among(groups)}
    return strata


def _spread(strata: _Strata, total: int, option: str) -> dict[tuple[str, str], int]:
    """How many cases of each stratum give a total. A case in two datasets counts in the first."""
    room, taken = list[int](), set[str]()
    for places in strata.values():
        fresh = {case.digest for _, case in places} - taken
        room.append(len(fresh))
        taken |= fresh
    if total > len(taken):
        datasets = ", ".join(dict.fromkeys(dataset for dataset, _ in strata))
        raise RequestError(
            f"dataset {datasets!r} has {counted(len(taken), 'case')} to draw; you asked for {total}: take at "
            f"most {len(taken)} ({option} {len(taken)})."
        )
    return dict(zip(strata, _even_sizes(room, total), strict=True))


def _even_sizes(room: Sequence[int], total: int) -> list[int]:
    """Parts of a total that are as even as the room for each allows; what is left over goes to the first."""
    sizes = [0] * len(room)
    while left := total - sum(sizes):
        growing = [part for part, size in enumerate(sizes) if size < room[part]]
        for part in growing[:left]:
            sizes[part] = min(room[part], sizes[part] + max(1, left // len(growing)))
    return sizes


def _draw_group(
    dataset: str, group: str, places: Sequence[PlacedCase], wanted: int | None, seed: int
) -> list[PlacedCase]:
    by_case = {case.digest: (place, case) for place, case in reversed(places)}
    wanted = len(by_case) if wanted is None else wanted
    if wanted > len(by_case):
        most = len(by_case)
        remedy = f"take at most {most} (--per-group {most})" if by_case else "leave that dataset out"
        raise RequestError(
            f"dataset {dataset!r} has {counted(most, 'case')} to draw in {group!r}, apart from cases that "
            f"other datasets already gave; you asked for {wanted}: {remedy}."
        )
    chosen = shuffled(by_case, seed)[:wanted]
    return sorted((by_case[digest] for digest in chosen), key=lambda place: place[0].position)
