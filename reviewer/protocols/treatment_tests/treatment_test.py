"""The payload: a scenario, a control, a treatment, their options, and the parameters of the score.

The score of two decisions is m = k (|a1 − x1| − |a2 − x2|) / max(|a1 − x1|, |a2 − x2|). a1 and a2 are the
numbers (from 0) of the options that were chosen in the control and in the treatment. k is 1 or -1, and x1 and
x2 are the points that distances are measured from. The score lies between -1 and 1.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from reviewer.core.errors import InputError
from reviewer.core.sanitize import agreeing, counted, shown
from reviewer.protocols.payload_text import StrictPayload, stripped, whole_number
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.templates.expressions import ExpressionError
from reviewer.protocols.templates.pieces import FilledPiece

Number = int | float
PARAMETERS = ("k", "x1", "x2")
FARTHEST_POINT: Final = 1_000
_MOST_COMBINATIONS: Final = 300_000
SIZE_CAUTION = "A mean size above 0 shows no bias by itself: a coin's is above 0 as well."


def coin_caution(shifted: Sequence[str], compare: str) -> str:
    """A sentence that a coin does not score 0 on these, and the score to compare with."""
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


FORM: Final = "A POSITION at a company from the INDUSTRY industry deciding …"
_SCENARIO: Final = re.compile(r"An? (.+?) at a company from the (.+?) industry deciding .+\.")


def begun_scenario(position: str, industry: str) -> str:
    """The beginning of a scenario, before its decision."""
    article = "An" if position[:1].casefold() in "aeiou" else "A"
    return f"{article} {position} at a company from the {industry} industry"


def described_scenarios(scenarios: Sequence[str]) -> str:
    """How many scenarios have this form, and how many industries and positions these have, in a sentence."""
    read = [match for each in scenarios if (match := _SCENARIO.fullmatch(each))]
    form = f"of the form “{FORM}”"
    if not read:
        return f"None of {counted(len(scenarios), 'scenario')} is {form}."
    industries = Counter(match[2] for match in read)
    sizes = sorted(set(industries.values()))
    of_each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    positions = counted(len({match[1] for match in read}), "position")
    many = f"{len(industries):,} {agreeing(len(industries), 'industry', 'industries')}"
    many += f" with {of_each} each, and {positions}"
    of = f"{len(read):,} of {counted(len(scenarios), 'scenario')}"
    return f"{of} {agreeing(len(scenarios), 'is', 'are')} {form}: {many}."


CONTROL, TREATMENT = "control", "treatment"
VERSIONS: Final = (CONTROL, TREATMENT)
MOST_OPTIONS: Final = 50
_MOST_CHARACTERS: Final = 50_000
_MOST_PIECES: Final = 1_000


_Text = Annotated[str, stripped(_MOST_CHARACTERS)]
_Options = Annotated[tuple[_Text, ...], Field(strict=False, max_length=MOST_OPTIONS)]
_Point = Annotated[
    Number,
    Field(ge=-FARTHEST_POINT, le=FARTHEST_POINT, allow_inf_nan=False),
    AfterValidator(whole_number),
]


class FilledSpan(StrictPayload):
    """Characters ``start`` to ``end`` of a version, and where they came from: a sampled value or a gap.

    ``name`` is the name of the value or the instruction of the gap.
    """

    version: Literal["control", "treatment"]
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    kind: Literal["value", "gap"]
    name: str


class TreatmentTest(StrictPayload):
    """One test. The options of the treatment are those of the control unless they are given."""

    scenario: _Text
    control: _Text
    treatment: _Text
    options: _Options
    treatment_options: _Options = ()
    k: int
    x1: _Point
    x2: _Point
    filled: Annotated[tuple[FilledSpan, ...], Field(strict=False, max_length=_MOST_PIECES)] = ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.k not in (1, -1):
            raise ValueError(f"k is {self.k}; let it be 1 or -1")
        if len(self.options) < 2:
            raise ValueError(f"has {counted(len(self.options), 'option')}; give at least 2")
        if self.treatment_options and len(self.treatment_options) != len(self.options):
            raise ValueError(
                f"the control has {counted(len(self.options), 'option')} and the treatment "
                f"{len(self.treatment_options)}; give both the same number"
            )
        for options in (self.options, self.treatment_options):
            if len({option.casefold() for option in options}) < len(options):
                raise ValueError("two options read the same; reword one")
        for span in self.filled:
            if not span.start < span.end <= len(self.text_of(span.version)):
                raise ValueError(f"a filled piece ends outside the {span.version}; correct its start and end")
        return self

    @property
    def parameters(self) -> ScoreParameters:
        """The parameters of the score."""
        return ScoreParameters(self.k, self.x1, self.x2)

    def text_of(self, version: str) -> str:
        """The text of a version."""
        return self.control if version == CONTROL else self.treatment

    def options_of(self, version: str) -> tuple[str, ...]:
        """The options of a version, in the order that decisions are counted in."""
        return (self.treatment_options or self.options) if version == TREATMENT else self.options

    def marks_of(self, version: str) -> tuple[tuple[int, int], ...]:
        """The characters of a version that were filled in."""
        return tuple((span.start, span.end) for span in self.filled if span.version == version)

    @property
    def predicted(self) -> tuple[int, int]:
        """The middle option of the control, and the one of the treatment that then scores highest."""
        number = len(self.options)
        middle = (number - 1) // 2
        return middle, max(range(number), key=lambda at: self.parameters.score(middle, at))


def joined_text(
    version: Literal["control", "treatment"], texts: Sequence[Sequence[FilledPiece]]
) -> tuple[str, list[FilledSpan]]:
    """Sentences joined to a text, and its filled spans. The last sentence, the prompt, begins a paragraph."""
    text, spans = "", list[FilledSpan]()
    for number, pieces in enumerate(texts, 1):
        if text:
            text += "\n\n" if number == len(texts) else " "
        for piece in pieces:
            start, text = len(text), text + piece.text
            if piece.kind != "literal" and piece.text:
                spans.append(
                    FilledSpan(version=version, start=start, end=len(text), kind=piece.kind, name=piece.name)
                )
    return text, spans
