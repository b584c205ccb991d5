"""Draws different answers for a study: so many of each model and group, few of the same case.

A draw has two phases. First, at most c answers of each case of the run stay: its models take turns, in an
order that is random for each case and balanced over the cases that the same models answered, and each brings
one of its answers at random. So an answer stays with probability t / k, where k is the number of different
answers of its model to the case and t the expected number of them that stay. Then n of the R answers that
stayed are drawn at random of each model and group. The probability of inclusion is (t / k) (n / R): Särndal,
C.-E., Swensson, B. and Wretman, J. (1992), Model Assisted Survey Sampling, 9.3 (two-phase sampling).

An answer that several models gave in the same words belongs to one of these, chosen at random.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, one_line

Stratum = tuple[str, str]
"""A model and a group."""


class DifferentAnswer(NamedTuple):
    """An answer in the words that some outcomes have: ``given`` has their model and repeat.

    ``words`` are those of outcomes that have other words, which are equal without names of models. A run has
    hundreds of thousands of answers, and tuples are made fastest.
    """

    case: int
    group: str
    condition: str
    reply: str
    label: str | None
    why: str
    given: tuple[tuple[str, int], ...]
    words: Mapping[tuple[str, int], str] = MappingProxyType({})

    def reply_of(self, model: str, repeat: int) -> str:
        """The words of one of the outcomes."""
        return self.words.get((model, repeat), self.reply)


@dataclass(frozen=True, slots=True)
class DrawnAnswer:
    """A drawn answer, the stratum that it was drawn of, and with which probability it was."""

    answer: DifferentAnswer
    stratum: Stratum
    chance: float


@dataclass(frozen=True, slots=True)
class AnswerDraw:
    """The drawn answers, and how many different answers each stratum has."""

    drawn: tuple[DrawnAnswer, ...]
    sizes: Mapping[Stratum, int]


@dataclass(frozen=True, slots=True)
class DrawSize:
    """How many answers are drawn of each stratum (None: all), or in all, and at most how many of a case."""

    per_group: int | None = None
    total: int | None = None
    per_case: int = 1


EVERYTHING = DrawSize()


def draw_answers(answers: Iterable[DifferentAnswer], size: DrawSize, seed: int) -> AnswerDraw:
    """Draw by the seed; raises RequestError, naming model and group, where there are too few."""
    chance = random.Random(seed)  # noqa: S311  # no secret is drawn
    strata: dict[Stratum, dict[int, list[DifferentAnswer]]] = defaultdict(lambda: defaultdict(list))
    ordered = sorted(answers, key=attrgetter("case", "condition", "given"))
    for answer in ordered:
        model = answer.given[0][0]
        if answer.given[1:] and (models := sorted({model for model, _ in answer.given}))[1:]:
            model = chance.choice(models)
        strata[model, answer.group][answer.case].append(answer)
    sizes = {stratum: sum(map(len, strata[stratum].values())) for stratum in sorted(strata)}
    stayed = _stayed(strata, size.per_case, chance)
    wanted = _wanted({stratum: len(stayed[stratum]) for stratum in sizes}, size)
    drawn = [
        DrawnAnswer(answer, stratum, stays * wanted[stratum] / len(stayed[stratum]))
        for stratum in sizes
        for answer, stays in chance.sample(stayed[stratum], wanted[stratum])
    ]
    return AnswerDraw(tuple(drawn), sizes)


_Stayed = dict[Stratum, list[tuple[DifferentAnswer, float]]]


def _stayed(
    strata: Mapping[Stratum, Mapping[int, Sequence[DifferentAnswer]]], most: int, chance: random.Random
) -> _Stayed:
    """The answers that stay, each with its probability to stay."""
    models: dict[tuple[str, int], list[str]] = defaultdict(list)
    for (model, group), cases in sorted(strata.items()):
        for case in cases:
            models[group, case].append(model)
    alike: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
    for (group, case), names in models.items():
        alike[group, tuple(names)].append(case)
    stayed: _Stayed = defaultdict(list)
    for (group, together), same in sorted(alike.items()):
        chance.shuffle(same)
        turns = chance.sample(together, len(together))
        for number, case in enumerate(same):
            first = number % len(turns)
            held = {model: strata[model, group][case] for model in (*turns[first:], *turns[:first])}
            for model, answer in _of_case(held, most, chance):
                stays = _expected([len(of) for of in held.values()], len(held[model]), most)
                stayed[model, group].append((answer, stays / len(held[model])))
    return stayed


def _of_case(
    held: Mapping[str, Sequence[DifferentAnswer]], most: int, chance: random.Random
) -> Iterable[tuple[str, DifferentAnswer]]:
    """At most so many answers to one case: models take turns in this order."""
    left = {model: chance.sample(answers, len(answers)) for model, answers in held.items()}
    taken: list[tuple[str, DifferentAnswer]] = []
    while any(left.values()) and len(taken) < most:
        taken += [(model, answers.pop()) for model, answers in left.items() if answers][: most - len(taken)]
    return taken[:most]


def _expected(counts: Sequence[int], own: int, most: int) -> float:
    """How many answers of a model with ``own`` are expected to stay, over all orders of the models."""
    rounds, left = 0, most
    while (taking := sum(count > rounds for count in counts)) and left >= taking:
        left -= taking
        rounds += 1
    return min(own, rounds) + (left / taking if taking and own > rounds else 0.0)


def _wanted(room: Mapping[Stratum, int], size: DrawSize) -> dict[Stratum, int]:
    if size.total is not None:
        return _spread(room, size.total)
    if size.per_group is None:
        return dict(room)
    if short := {stratum: held for stratum, held in room.items() if held < size.per_group}:
        (model, group), held = min(short.items(), key=lambda entry: entry[1])
        raise RequestError(
            f"model {one_line(model)!r} has {counted(held, 'answer')} to draw in {group!r}, with at most "
            f"{size.per_case} of each case; you asked for {size.per_group}: take at most {held} (--per-group "
            f"{held}), or more answers of a case (--per-case {size.per_case + 1})."
        )
    return dict.fromkeys(room, size.per_group)


def _spread(room: Mapping[Stratum, int], total: int) -> dict[Stratum, int]:
    from reviewer.agreement.allocation import allocate

    most = sum(room.values())
    if total > most:
        raise RequestError(
            f"there are {counted(most, 'answer')} to draw, with few of each case; you asked for {total}: "
            f"take at most {most} (--total {most}), or more answers of a case (--per-case N)."
        )
    try:
        return dict(zip(room, allocate([*room.values()], total, "equal"), strict=True))
    except ValueError as error:
        raise RequestError(f"models and groups as strata: {error}; change --total.") from error
