"""The values of a template, and the rules by which numbers of a case follow from them.

A value is one of a list, a whole number of a range, a number computed from others, a text for each variant,
or a text that a model writes. A value that another program computes must be given before a case is made.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from reviewer.protocols.templates.expressions import ExpressionError, ValueExpression, number_text
from reviewer.protocols.templates.gap_text import TemplateText
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
