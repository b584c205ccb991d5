"""Strata that a lead chose for a draw, and how many cases of each are drawn."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, shown
from reviewer.core.suggestions import closest
from reviewer.study.design.drawing import DrawnStratum, draw_sizes
from store.cases import PlacedCase

if TYPE_CHECKING:
    from reviewer.agreement.allocation import Allocation

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
