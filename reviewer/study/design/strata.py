"""Drawing cases at random within strata: a number of each group, or a total that is spread over groups.

A lead may choose the strata, and how many cases of each are drawn.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from reviewer.core.errors import RequestError
from reviewer.core.names import closest
from reviewer.core.sanitize import counted, shown
from reviewer.protocols.base import Protocol
from reviewer.study.design.seeding import shuffled
from reviewer.study.design.study_design import FrozenStratum
from store.cases import PlacedCase

if TYPE_CHECKING:
    from reviewer.agreement.allocation import Allocation


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


_GUESS = re.compile(r"\s*(.+?)\s*=\s*([^,=]*?)\s*(?:,|$)")

Classes = tuple[str, ...]
"""The classes of a case, one by each thing that strata are made by."""
_Filled = dict[tuple[str, Classes], list[PlacedCase]]


@dataclass(frozen=True, slots=True)
class GuessedStratum:
    """A stratum before a draw: how many cases of it could be drawn, and its guessed pass rate."""

    dataset: str
    name: str
    size: int
    guess: float


@dataclass(frozen=True, slots=True)
class Strata:
    """Into which strata cases fall, and how a total is allocated to these.

    ``by`` lists criteria of strata, such as ("finding:gist_differs", "group"). ``classes`` has those of
    each case at its dataset and key, and ``order`` the classes by each thing in the order in which people
    read them. ``guesses`` are pass rates by the name of a stratum or of a class, for Neyman's allocation;
    ``guessed_from`` names the study that gave some of them.
    """

    by: tuple[str, ...]
    classes: Mapping[tuple[str, str], Classes]
    order: tuple[Sequence[str], ...]
    allocation: "Allocation"
    guesses: Mapping[str, float] = field(default_factory=dict)
    guessed_from: str = ""

    def draw(
        self, available: Mapping[str, Sequence[PlacedCase]], seed: int, total: int
    ) -> list[DrawnStratum]:
        """Draw a total of the available cases by the seed. None is drawn twice.

        A case that is in several datasets counts in the first one. Raises RequestError where that cannot be.
        """
        from reviewer.agreement.allocation import allocate

        strata = self._filled(available)
        self._check_divided(strata)
        guesses = [*self._guesses(strata).values()] if self.allocation == "neyman" else []
        try:
            sizes = allocate([len(places) for places in strata.values()], total, self.allocation, guesses)
        except ValueError as error:
            raise RequestError(f"strata by {in_words(self.by)}: {error}; change --total.") from error
        named = {(dataset, stratum_name(classes)): places for (dataset, classes), places in strata.items()}
        return draw_sizes(named, dict(zip(named, sizes, strict=True)), seed)

    def guessed(self, available: Mapping[str, Sequence[PlacedCase]]) -> list[GuessedStratum]:
        """The strata of the available cases; raises RequestError where one has no guess."""
        strata = self._filled(available)
        self._check_divided(strata)
        return [
            GuessedStratum(dataset, stratum_name(classes), len(strata[dataset, classes]), guess)
            for (dataset, classes), guess in self._guesses(strata).items()
        ]

    def assumed(self, available: Mapping[str, Sequence[PlacedCase]]) -> dict[str, float]:
        """The guessed pass rate of each stratum as Neyman's allocation uses it; {} for other allocations."""
        from reviewer.agreement.allocation import shrunk

        guesses = self._guesses(self._filled(available)) if self.allocation == "neyman" else {}
        return {stratum_name(classes): shrunk(guess) for (_, classes), guess in guesses.items()}

    @property
    def shrunk_in_words(self) -> str:
        """A sentence on guesses that are too certain to be used as they are; "" if none is."""
        from reviewer.agreement.allocation import LEAST_GUESS, shrunk

        certain = [name for name, guess in self.guesses.items() if shrunk(guess) != guess]
        if not certain:
            return ""
        return (
            f"For the allocation, guessed pass rates are taken as {LEAST_GUESS:g} at least, "
            f"{1 - LEAST_GUESS:g} at most, since no guess makes a stratum known: "
            f"{', '.join(map(shown, certain))}."
        )

    def _filled(self, available: Mapping[str, Sequence[PlacedCase]]) -> _Filled:
        """The available cases of each stratum that has some, each case once."""
        strata, seen = _Filled(), set[str]()
        for dataset, places in available.items():
            for place, case in places:
                if case.digest not in seen:
                    classes = self.classes[dataset, place.key]
                    strata.setdefault((dataset, classes), []).append((place, case))
                seen.add(case.digest)
        datasets = [*available]
        return dict(
            sorted(strata.items(), key=lambda entry: (datasets.index(entry[0][0]), self._rank(entry[0][1])))
        )

    def _rank(self, classes: Classes) -> list[int]:
        return [order.index(name) for order, name in zip(self.order, classes, strict=True)]

    def _check_divided(self, strata: _Filled) -> None:
        """Raise RequestError if all cases that could be drawn are alike in something."""
        for number, by in enumerate(self.by):
            names = {classes[number] for _, classes in strata}
            if len(names) == 1:
                cases = sum(map(len, strata.values()))
                raise RequestError(
                    f"{shown(by)} makes only one stratum: {shown(names.pop())!r} has all of the "
                    f"{counted(cases, 'case')} to draw, and others have none; make strata by something else."
                )

    def _guesses(self, strata: Iterable[tuple[str, Classes]]) -> dict[tuple[str, Classes], float]:
        present = [*strata]
        words = {word for _, classes in present for word in (stratum_name(classes), *classes)}
        if unknown := next((name for name in self.guesses if name not in words), None):
            raise RequestError(
                f"a pass rate is guessed for {shown(unknown)!r}, and there is no such stratum with cases; "
                f"{closest(unknown, words, 'there are')}."
            )
        return {(dataset, classes): self._guess(classes) for dataset, classes in present}

    def _guess(self, classes: Classes) -> float:
        name = stratum_name(classes)
        if name in self.guesses:
            return self.guesses[name]
        of_classes = [one for one in dict.fromkeys(classes) if one in self.guesses]
        if len(of_classes) > 1:
            raise RequestError(
                f"stratum {shown(name)!r} has several guessed pass rates, of {in_words(of_classes)}; give it "
                f"one of its own: --guess '{shown(name)}=RATE'."
            )
        if not of_classes:
            lacking = f", which study {self.guessed_from} did not review" if self.guessed_from else ""
            raise RequestError(
                f"Neyman's allocation needs a guessed pass rate of stratum {shown(name)!r}{lacking}; give "
                f"--guess '{shown(name)}=RATE', such as .9."
            )
        return self.guesses[of_classes[0]]


def stratum_name(classes: Classes) -> str:
    """The name of a stratum for people and for guesses."""
    return " / ".join(classes)


def in_words(names: Iterable[str]) -> str:
    """Names in a sentence."""
    return " and ".join(map(shown, names))


def guesses_in(texts: Iterable[str]) -> dict[str, float]:
    """Guessed pass rates from texts such as "none=.98,serious=60%", by name. Raises RequestError."""
    text, guesses, end = ",".join(texts), dict[str, float](), 0
    while end < len(text):
        found = _GUESS.match(text, end)
        rate = None if found is None else _rate(found[2])
        if found is None or rate is None:
            raise RequestError(
                f"guess {shown(text[end:])!r} is not a stratum and a pass rate from 0 to 1; write it as in "
                "--guess none=.98,serious=.6."
            )
        if found[1] in guesses:
            raise RequestError(f"the pass rate of {shown(found[1])!r} is guessed twice; give it once.")
        guesses[found[1]], end = rate, found.end()
    return guesses


def _rate(text: str) -> float | None:
    try:
        rate = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return None
    return rate if 0 <= rate <= 1 else None
