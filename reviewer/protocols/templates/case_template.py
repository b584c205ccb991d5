"""Templates of cases with a control and a treatment: values that are sampled, and texts with gaps.

A value is one of a list, a whole number of a range, a number computed from others, a text for each variant,
or a text that a model writes. A value that another program computes must be given before a case is made.
Numbers of a case, such as its parameters, follow from its values by rules.
"""

import math
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal

from reviewer.core.sanitize import shown
from reviewer.protocols.templates.expressions import ExpressionError, ValueExpression, number_text
from reviewer.protocols.templates.gap_text import TemplateText, top_gaps
from reviewer.protocols.templates.pieces import TextPlace

USUAL_VARIANT: Final = "default"
_MOST_NUMBERS: Final = 100_000
"""The most numbers of a range."""


@dataclass(frozen=True, slots=True)
class ListedValue:
    """One of these texts."""

    choices: tuple[str, ...]
    place: TextPlace = field(default=TextPlace(), compare=False)


DISTRIBUTIONS = ("randint", "uniform")
"""The words of the published form for a range. Under both, all its whole numbers are equally likely."""


@dataclass(frozen=True, slots=True)
class NumberValue:
    """A whole number from ``least`` on and below ``below``, in steps of ``step``.

    Both ends may follow from other values. ``distribution`` is the name that the published form gives it.
    """

    least: int | ValueExpression
    below: int | ValueExpression
    step: int = 1
    distribution: str = "randint"
    place: TextPlace = field(default=TextPlace(), compare=False)

    def choices_for(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """All numbers, as texts; raises ExpressionError."""
        least, below = (_whole(end, values) for end in (self.least, self.below))
        if (size := len(range(least, below, self.step))) > _MOST_NUMBERS:
            raise ExpressionError(
                f"has {size:,} numbers, more than {_MOST_NUMBERS:,}", "narrow its range, or widen its step"
            )
        return tuple(str(number) for number in range(least, below, self.step))


def _whole(end: int | ValueExpression, values: Mapping[str, str]) -> int:
    return math.ceil(end.number(values)) if isinstance(end, ValueExpression) else end


@dataclass(frozen=True, slots=True)
class ComputedValue:
    """A number that follows from other values."""

    expression: ValueExpression
    place: TextPlace = field(default=TextPlace(), compare=False)


@dataclass(frozen=True, slots=True)
class VariantValue:
    """A text for each variant of the template; ``default`` is that of the variants that are not named."""

    texts: Mapping[str, str]
    place: TextPlace = field(default=TextPlace(), compare=False)

    def text_of(self, variant: str) -> str:
        """The text of a variant."""
        return self.texts[variant if variant in self.texts else USUAL_VARIANT]


@dataclass(frozen=True, slots=True)
class AskedValue:
    """A text that a model writes by an instruction before it fills gaps. The instruction may hold values."""

    instruction: TemplateText
    place: TextPlace = field(default=TextPlace(), compare=False)


@dataclass(frozen=True, slots=True)
class OutsideValue:
    """A value that another program computes. ``known`` is all that the file says of it."""

    known: str = ""
    place: TextPlace = field(default=TextPlace(), compare=False)


TemplateValue = ListedValue | NumberValue | ComputedValue | VariantValue | AskedValue | OutsideValue


def names_used(value: TemplateValue) -> tuple[str, ...]:
    """The values that a value follows from."""
    match value:
        case NumberValue(least, below):
            ends = (end for end in (least, below) if isinstance(end, ValueExpression))
            return tuple(dict.fromkeys(name for end in ends for name in end.names))
        case ComputedValue(expression):
            return expression.names
        case _:
            return ()


def choices_for(value: TemplateValue, values: Mapping[str, str]) -> tuple[str, ...]:
    """The texts that a value is sampled from, beside these values; none if it is not sampled.

    Raises ExpressionError.
    """
    match value:
        case ListedValue(choices):
            return choices
        case NumberValue():
            return value.choices_for(values)
        case ComputedValue(expression):
            return (number_text(expression.number(values)),)
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class NumberRule:
    """A number that an expression of the values gives."""

    expression: ValueExpression
    place: TextPlace = field(default=TextPlace(0, 0), compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The values that it uses."""
        return self.expression.names

    def number(self, values: Mapping[str, str]) -> Fraction:
        """The number for these values; raises ExpressionError."""
        return self.expression.number(values)


@dataclass(frozen=True, slots=True)
class ChoiceRule:
    """A number for each choice of a value."""

    value: str
    choices: tuple[tuple[str, int], ...]
    place: TextPlace = field(default=TextPlace(0, 0), compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The value that it uses."""
        return (self.value,)

    def number(self, values: Mapping[str, str]) -> Fraction:
        """The number for these values; raises ExpressionError."""
        numbers, choice = dict(self.choices), values[self.value]
        if choice not in numbers:
            raise ExpressionError(f"gives no number for {choice!r}", "give one for every choice of the value")
        return Fraction(numbers[choice])


TemplateRule = NumberRule | ChoiceRule


@dataclass(frozen=True, slots=True)
class TemplateVersion:
    """The control or the treatment: sentences of the situation, the prompt, and the options."""

    situations: tuple[TemplateText, ...]
    prompt: TemplateText
    options: tuple[TemplateText, ...]

    @property
    def texts(self) -> tuple[TemplateText, ...]:
        """All texts, in their order."""
        return (*self.situations, self.prompt, *self.options)

    @property
    def gaps(self) -> tuple[str, ...]:
        """The instructions of its gaps, each once."""
        return tuple(dict.fromkeys(gap for text in self.texts for gap in top_gaps(text)))


@dataclass(frozen=True, slots=True)
class TemplateVariant:
    """One way of testing a group."""

    name: str
    control: TemplateVersion
    treatment: TemplateVersion

    @property
    def versions(self) -> tuple[tuple[Literal["control", "treatment"], TemplateVersion], ...]:
        """Both, with their names."""
        return ("control", self.control), ("treatment", self.treatment)


@dataclass(frozen=True, slots=True)
class CaseTemplate:
    """The template of one group: its values by name, its variants, and rules for numbers by name.

    Rules that are kept beside a file are a template without variants.
    """

    group: str
    values: Mapping[str, TemplateValue]
    variants: tuple[TemplateVariant, ...]
    definition: str = ""
    rules: Mapping[str, TemplateRule] = field(default_factory=dict)
    where: str = field(default="template", compare=False)
    """Its place, for messages."""
    file: str = field(default="template", compare=False)
    """What messages call its file."""

    def sampled(self, chance: random.Random, variant: str) -> dict[str, str]:
        """One choice for each value that is sampled or follows from others, but none for asked ones."""
        values: dict[str, str] = {}
        for name in self.in_order(self.values):
            value = self.values[name]
            if isinstance(value, VariantValue):
                values[name] = value.text_of(variant)
            elif choices := choices_for(value, values):
                values[name] = chance.choice(choices)
        return values

    def in_order(self, names: Iterable[str]) -> tuple[str, ...]:
        """These values and those that they follow from, each behind the ones that it uses.

        Raises ExpressionError for values that follow from each other.
        """
        waiting, ordered = self._with_used(names), dict[str, None]()
        while waiting:
            ready = [name for name in waiting if ordered.keys() >= set(names_used(self.values[name]))]
            if not ready:
                wrong = f"follows from itself, by way of {shown(waiting[-1])!r}"
                raise ExpressionError(wrong, "let one of them follow from no other value")
            ordered |= dict.fromkeys(ready)
            waiting = [name for name in waiting if name not in ordered]
        return tuple(ordered)

    def _with_used(self, names: Iterable[str]) -> list[str]:
        """These values and all that they follow from, in the order of the template."""
        used, new = set[str](), set(names)
        while new:
            used |= new
            new = {other for name in new for other in names_used(self.values[name])} - used
        return [name for name in self.values if name in used]

    def combinations(self, names: Iterable[str]) -> Iterator[tuple[dict[str, str], Fraction]]:
        """Every combination of the choices of these values, with its chance; raises ExpressionError."""
        return self._combined(self.in_order(names), {}, Fraction(1))

    def _combined(
        self, names: tuple[str, ...], values: dict[str, str], chance: Fraction
    ) -> Iterator[tuple[dict[str, str], Fraction]]:
        if not names:
            yield values, chance
            return
        choices = choices_for(self.values[names[0]], values)
        if not choices:
            raise ExpressionError(*nothing_to_choose(names[0], values))
        for choice in choices:
            yield from self._combined(names[1:], {**values, names[0]: choice}, chance / len(choices))


def nothing_to_choose(name: str, values: Mapping[str, str]) -> tuple[str, str]:
    """The fault of a value that has no choice with these values, and the remedy."""
    where = " and ".join(f"{shown(other)} is {shown(content)}" for other, content in values.items())
    wrong = f"value {shown(name)!r} has nothing to choose from"
    return f"{wrong} where {where}" if where else wrong, "widen its list or range"
