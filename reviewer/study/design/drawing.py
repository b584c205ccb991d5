"""Drawing cases at random within strata: a number of each group, or a total that is spread over groups."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.protocols.base import Protocol
from reviewer.study.design.seeding import shuffled
from reviewer.study.design.study_design import FrozenStratum
from store.cases import PlacedCase

_Strata = Mapping[tuple[str, str], Sequence[PlacedCase]]
"""The cases of each stratum of each dataset, such as its groups in the protocol's order."""


@dataclass(frozen=True, slots=True)
class DrawnStratum:
    """The cases that were drawn of a stratum, which had ``size`` different cases to draw."""

    dataset: str
    name: str
    size: int
    cases: Sequence[PlacedCase]

    def frozen(self) -> FrozenStratum:
        """As the study keeps it."""
        digests = tuple(sorted(case.digest for _, case in self.cases))
        return FrozenStratum(dataset=self.dataset, name=self.name, size=self.size, cases=digests)


def eligible(places: list[PlacedCase], include_seeds: bool) -> list[PlacedCase]:
    """If a dataset has seeds and other cases: only the other ones, unless seeds are included."""
    others = [place for place in places if place[0].origin != "seed"]
    return places if include_seeds or not others else others


def draw(
    protocol: Protocol,
    available: Mapping[str, Sequence[PlacedCase]],
    seed: int,
    *,
    per_group: int | None = None,
    total: int | None = None,
    option: str = "--total",
) -> list[DrawnStratum]:
    """Draw cases of each group of each dataset by the seed; all if no number is given. None is drawn twice.
    ``option`` names the option that gives the total, for the sentence of an error.

    Raises RequestError if there are fewer cases.
    """
    strata = _by_group(protocol, available)
    sizes = dict.fromkeys(strata, per_group) if total is None else _spread(strata, total, option)
    drawn = draw_sizes(strata, sizes, seed)
    if not drawn:
        raise RequestError(f"dataset {', '.join(available)!r} has no cases to draw from; import cases first.")
    return drawn


def draw_at_random(
    available: Mapping[str, Sequence[PlacedCase]], seed: int, total: int | None
) -> list[DrawnStratum]:
    """Draw a total (None: all) of the cases of each dataset at random, whatever their groups.

    Raises RequestError if there are fewer cases.
    """
    strata = {(dataset, "all cases"): places for dataset, places in available.items() if places}
    if not strata:
        raise RequestError(f"dataset {', '.join(available)!r} has no cases to draw from; import cases first.")
    if total is not None:
        _spread(strata, total, "--total")  # refuses more cases than there are
    return draw_sizes(strata, dict.fromkeys(strata, total), seed)


def in_dataset_order(
    protocol: Protocol, available: Mapping[str, Sequence[PlacedCase]], drawn: Iterable[DrawnStratum]
) -> list[PlacedCase]:
    """The drawn cases by dataset, group and position, so that their order does not tell strata."""
    ordered = {
        dataset: sorted(places, key=lambda placed: placed[0].position)
        for dataset, places in available.items()
    }
    places = chain.from_iterable(_by_group(protocol, ordered).values())
    rank = {(place.dataset, place.key): number for number, (place, _) in enumerate(places)}
    cases = chain.from_iterable(stratum.cases for stratum in drawn)
    return sorted(cases, key=lambda placed: rank[placed[0].dataset, placed[0].key])


def frozen_draw(
    available: Mapping[str, Sequence[PlacedCase]], drawn: Sequence[DrawnStratum]
) -> tuple[FrozenStratum, ...]:
    """The strata as the study keeps them; () if probabilities of inclusion do not follow from them.

    That is so if a case that was not drawn from one dataset could be drawn from another one again.
    """
    different = {case.digest for places in available.values() for _, case in places}
    if sum(stratum.size for stratum in drawn) != len(different):
        return ()
    return tuple(stratum.frozen() for stratum in drawn)


def _by_group(protocol: Protocol, available: Mapping[str, Sequence[PlacedCase]]) -> _Strata:
    """The groups of each dataset as strata, in the protocol's order."""
    strata: dict[tuple[str, str], Sequence[PlacedCase]] = {}
    for dataset, places in available.items():
        groups: dict[str, list[PlacedCase]] = defaultdict(list)
        for place in places:
            groups[place[1].group].append(place)
        strata |= {(dataset, group): groups[group] for group in protocol.groups_among(groups)}
    return strata


def draw_sizes(strata: _Strata, sizes: Mapping[tuple[str, str], int | None], seed: int) -> list[DrawnStratum]:
    """Draw these numbers of cases (None: all) of each stratum, without what an earlier stratum gave."""
    drawn, taken = list[DrawnStratum](), set[str]()
    for (dataset, name), places in strata.items():
        fresh = {case.digest: (place, case) for place, case in reversed(places) if case.digest not in taken}
        cases = _draw_stratum(dataset, name, fresh, sizes[dataset, name], seed)
        drawn.append(DrawnStratum(dataset, name, len(fresh), cases))
        taken |= {case.digest for _, case in cases}
    return drawn


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


def _draw_stratum(
    dataset: str, name: str, places: Mapping[str, PlacedCase], wanted: int | None, seed: int
) -> list[PlacedCase]:
    most = len(places)
    wanted = most if wanted is None else wanted
    if wanted > most:
        remedy = f"take at most {most} (--per-group {most})" if most else "leave that dataset out"
        raise RequestError(
            f"dataset {dataset!r} has {counted(most, 'case')} to draw in {name!r}, apart from cases that "
            f"other datasets already gave; you asked for {wanted}: {remedy}."
        )
    return sorted(
        (places[digest] for digest in shuffled(places, seed)[:wanted]), key=lambda place: place[0].position
    )
