"""The score of two decisions, m = k (|a1 − x1| − |a2 − x2|) / max(|a1 − x1|, |a2 − x2|).

a1 and a2 are the numbers (from 0) of the options that were chosen in the control and in the treatment. k is 1
or -1, and x1 and x2 are the points that distances are measured from. The score lies between -1 and 1.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import agreeing, shown
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.templates.expressions import ExpressionError

Number = int | float
PARAMETERS = ("k", "x1", "x2")
FARTHEST_POINT: Final = 1_000
_MOST_COMBINATIONS: Final = 300_000
SIZE_CAUTION = "A mean size above 0 shows no bias by itself: a coin's is above 0 as well."


def coin_caution(shifted: Sequence[str], compare: str) -> str:
    """That a coin does not score 0 on these, and what to compare with."""
    on = agreeing(len(shifted), "A coin does not score 0 on", "A coin does not score 0 on any of")
    return f"{on} {', '.join(shifted)}: compare {compare}, not with 0."


@dataclass(frozen=True, slots=True)
class ScoreParameters:
    """The parameters of one case."""

    k: int
    x1: Number
    x2: Number

    def score(self, control: int, treatment: int) -> Fraction:
        """The score of a decision in the control and one in the treatment; 0 if both distances are 0."""
        first, second = abs(control - Fraction(self.x1)), abs(treatment - Fraction(self.x2))
        longest = max(first, second)
        return self.k * (first - second) / longest if longest else Fraction(0)


def shift(control: int, treatment: int, options: int) -> Fraction:
    """How far the treatment moved the decision, as a share of the way over all options."""
    return Fraction(treatment - control, options - 1)


Weights = Mapping[ScoreParameters, Fraction | int]
"""How often each combination of parameters occurs, as a share or a count."""


@dataclass(frozen=True, slots=True)
class NullScores:
    """What is scored without reading: by a coin, and by choosing one option or the first place always.

    ``size`` is the mean of the absolute value for a coin. The first place is the first option in one half of
    the cases and the last one in the other half.
    """

    coin: Fraction
    size: Fraction
    first: Fraction
    middle: Fraction
    last: Fraction
    first_place: Fraction

    @property
    def is_shifted(self) -> bool:
        """Whether a coin's mean score is another than 0, so that 0 does not mean "no bias"."""
        return self.coin != 0


def null_scores(options: int, weights: Weights) -> NullScores:
    """The exact values, over all pairs of options and all parameters with their weights."""
    always = [_mean(weights, lambda given, at=at: given.score(at, at)) for at in _places(options)]  # type: ignore[misc]
    first, middle, last = always
    coin = _mean(weights, lambda given: _of_coin(options, given)[0])
    size = _mean(weights, lambda given: _of_coin(options, given)[1])
    return NullScores(coin, size, first, middle, last, (first + last) / 2)


def _places(options: int) -> tuple[int, int, int]:
    return 0, (options - 1) // 2, options - 1


def _mean(weights: Weights, value: Callable[[ScoreParameters], Fraction]) -> Fraction:
    total = sum((number * value(given) for given, number in weights.items()), Fraction(0))
    return total / sum(weights.values())


@lru_cache(maxsize=4_096)
def _of_coin(options: int, given: ScoreParameters) -> tuple[Fraction, Fraction]:
    """The mean score of two independent equal choices among the options, and the mean of its size."""
    scale = Fraction(given.x1).denominator * Fraction(given.x2).denominator
    firsts = [abs(at * scale - int(Fraction(given.x1) * scale)) for at in range(options)]
    seconds = [abs(at * scale - int(Fraction(given.x2) * scale)) for at in range(options)]
    sums, sizes = Counter[int](), Counter[int]()
    for first in firsts:
        for second in seconds:
            longest = max(first, second) or 1
            sums[longest] += first - second
            sizes[longest] += abs(first - second)
    pairs = options * options
    mean, size = (
        sum((Fraction(number, longest) for longest, number in each.items()), Fraction(0)) / pairs
        for each in (sums, sizes)
    )
    return given.k * mean, size


def parameters_for(template: CaseTemplate, values: Mapping[str, str]) -> ScoreParameters:
    """The parameters of a case with these values; raises InputError if the template has no rule for one."""
    of = f"the template of {shown(template.group)!r}"
    if missing := missing_rules(template):
        raise InputError(template.where, f"{of} has no rule for {missing[0]}", f"add rules.{missing[0]}")
    k, x1, x2 = (_parameter(template, name, values) for name in PARAMETERS)
    for name, point in (("x1", x1), ("x2", x2)):
        if abs(point) > FARTHEST_POINT:
            wrong = f"{of} gives {name} = {shown(str(point))}"
            remedy = f"let it be from -{FARTHEST_POINT} to {FARTHEST_POINT}"
            raise InputError(_place_of_rule(template, name), wrong, remedy)
    if k not in (1, -1):
        wrong = f"{of} gives k = {shown(str(k))}"
        raise InputError(_place_of_rule(template, "k"), wrong, "let k be 1 or -1")
    return ScoreParameters(int(k), x1, x2)


def missing_rules(template: CaseTemplate) -> list[str]:
    """The parameters for which a template has no rule."""
    return [name for name in PARAMETERS if name not in template.rules]


def _parameter(template: CaseTemplate, name: str, values: Mapping[str, str]) -> Number:
    try:
        number = template.rules[name].number(values)
    except ExpressionError as fault:
        wrong = f"the rule for {name} {fault.wrong}"
        raise InputError(_place_of_rule(template, name), wrong, fault.remedy) from None
    return int(number) if number.denominator == 1 else float(number)


def _place_of_rule(template: CaseTemplate, name: str) -> str:
    place = template.rules[name].place
    return place.within(template.file) if place.line else template.where


def template_weights(template: CaseTemplate) -> Weights:
    """How often each combination of parameters occurs when values are sampled; raises InputError."""
    names = [name for rule in template.rules.values() for name in rule.names]
    weights: dict[ScoreParameters, Fraction] = {}
    try:
        for number, (values, chance) in enumerate(template.combinations(names)):
            if number == _MOST_COMBINATIONS:
                wrong = f"the values of its rules have more than {_MOST_COMBINATIONS:,} combinations"
                raise InputError(template.where, wrong, "narrow their ranges")
            given = parameters_for(template, values)
            weights[given] = weights.get(given, Fraction(0)) + chance
    except ExpressionError as fault:
        raise InputError(template.where, fault.wrong, fault.remedy) from None
    return weights
