"""Expressions of slots and values: numbers, names of earlier values, + − * / ( ), ranges, rounding, bounds.

``[50, 75] / 100`` draws a whole number from 50 to 75, both included. ``round(x)``, ``round(x, 2)``,
``floor(x)``, ``ceil(x)``, ``min(a, b)`` and ``max(a, b)`` are the only functions. An expression is read by
this parser and computed with exact fractions; it is never run as code. Values of templates with gaps, as
``round(share / 10) + 5``, follow from other values without ranges: nothing is drawn there.
"""

import math
import operator
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from reviewer.core.sanitize import shown

Compute = Callable[[Mapping[str, Fraction], random.Random], Fraction]
"""The value of an expression for earlier values; draws from ranges. Raises ExpressionError."""
_TOKEN: Final = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(.))", re.DOTALL)
_MOST_CHARACTERS: Final = 200
_MOST_DIGITS: Final = 15
_DEEPEST: Final = 30
_GREATEST: Final = 10**15
_ONE_NUMBER: Final[Mapping[str, Callable[[Fraction], int]]] = {"floor": math.floor, "ceil": math.ceil}
_TWO_NUMBERS: Final[Mapping[str, Callable[[Fraction, Fraction], Fraction]]] = {"min": min, "max": max}
_OPERATORS: Final = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
_FUNCTIONS: Final = ("round", *_ONE_NUMBER, *_TWO_NUMBERS)


class ExpressionError(ValueError):
    """The fault of an expression, and the remedy."""

    def __init__(self, wrong: str, remedy: str) -> None:
        self.wrong, self.remedy = wrong, remedy
        super().__init__(f"{wrong}; {remedy}")


def parse_expression(text: str, check_name: Callable[[str], None]) -> Compute:
    """What computes an expression; raises ExpressionError. ``check_name`` raises it for an unusable name."""
    if len(text) > _MOST_CHARACTERS:
        raise ExpressionError(f"has more than {_MOST_CHARACTERS} characters", "shorten it")
    parser = _Parser(text, check_name)
    compute = parser.sum(0)
    parser.end()
    try:
        compute({}, random.Random(0))  # noqa: S311  # without names, a fault is certain
    except (KeyError, ExpressionError) as fault:
        if isinstance(fault, ExpressionError):
            raise
    return compute


def number_text(number: Fraction) -> str:
    """A whole number with its digits, another one with at most six decimals."""
    if number.denominator == 1:
        return str(number.numerator)
    return f"{float(number):.6f}".rstrip("0").rstrip(".")


class _Parser:
    def __init__(self, text: str, check_name: Callable[[str], None]) -> None:
        self._tokens = [match.groups("") for match in _TOKEN.finditer(text.strip())]
        self._check_name = check_name
        self._at = 0

    def end(self) -> None:
        """Raise ExpressionError unless everything was read."""
        if self._at < len(self._tokens):
            raise self._unexpected()

    def sum(self, depth: int) -> Compute:
        left = self._product(depth)
        while sign := self._taken("+", "-", "−"):
            left = _combined("+" if sign == "+" else "-", left, self._product(depth))
        return left

    def _product(self, depth: int) -> Compute:
        left = self._factor(depth)
        while sign := self._taken("*", "/"):
            left = _combined(sign, left, self._factor(depth))
        return left

    def _factor(self, depth: int) -> Compute:
        if depth > _DEEPEST:
            raise ExpressionError(f"is nested more than {_DEEPEST} deep", "make it simpler")
        if self._taken("-", "−"):
            inner = self._factor(depth + 1)
            return lambda values, chance: -inner(values, chance)
        if self._taken("("):
            whole = self.sum(depth + 1)
            self._close(")")
            return whole
        if self._taken("["):
            low, high = self._two(depth, "]")
            return _drawn(low, high)
        if self._at == len(self._tokens):
            raise ExpressionError("ends too early", "complete it")
        number, name, _ = self._tokens[self._at]
        if not number and not name:
            raise self._unexpected()
        self._at += 1
        return self._constant(number) if number else self._named(name, depth)

    def _constant(self, number: str) -> Compute:
        if len(number) > _MOST_DIGITS:
            raise ExpressionError(
                f"has a number of more than {_MOST_DIGITS} characters", "give a smaller one"
            )
        constant = Fraction(number)
        return lambda values, chance: constant

    def _named(self, name: str, depth: int) -> Compute:
        if name in _FUNCTIONS and self._taken("("):
            return self._function(name, depth)
        self._check_name(name)
        return lambda values, chance: values[name]

    def _function(self, name: str, depth: int) -> Compute:
        if name in _TWO_NUMBERS:
            first, second = self._two(depth, ")")
            chosen = _TWO_NUMBERS[name]
            return lambda values, chance: chosen(first(values, chance), second(values, chance))
        inner = self.sum(depth + 1)
        if name in _ONE_NUMBER:
            self._close(")")
            whole = _ONE_NUMBER[name]
            return lambda values, chance: Fraction(whole(inner(values, chance)))
        digits = self._digits() if self._taken(",") else 0
        self._close(")")
        return lambda values, chance: Fraction(round(inner(values, chance), digits))

    def _digits(self) -> int:
        """The decimals to round to; a number below 0 rounds to tens, hundreds and so on."""
        sign = -1 if self._taken("-", "−") else 1
        number = self._tokens[self._at][0] if self._at < len(self._tokens) else ""
        if len(number) != 1:
            raise ExpressionError("rounds to a number of decimals that is not from -9 to 9", "correct it")
        self._at += 1
        return sign * int(number)

    def _two(self, depth: int, closing: str) -> tuple[Compute, Compute]:
        first = self.sum(depth + 1)
        self._close(",")
        second = self.sum(depth + 1)
        self._close(closing)
        return first, second

    def _taken(self, *signs: str) -> str:
        if self._at < len(self._tokens) and self._tokens[self._at][2] in signs:
            self._at += 1
            return self._tokens[self._at - 1][2]
        return ""

    def _close(self, sign: str) -> None:
        if not self._taken(sign):
            if self._at < len(self._tokens):
                raise self._unexpected()
            raise ExpressionError(f"lacks a {sign!r} at its end", "add it")

    def _unexpected(self) -> ExpressionError:
        token = "".join(self._tokens[self._at])
        return ExpressionError(f"has {shown(token)!r} where it does not belong", "correct the expression")


def _combined(sign: str, left: Compute, right: Compute) -> Compute:
    def compute(values: Mapping[str, Fraction], chance: random.Random) -> Fraction:
        first, second = left(values, chance), right(values, chance)
        if sign == "/" and not second:
            raise ExpressionError("divides by 0", "choose values that cannot give 0 there")
        result: Fraction = _OPERATORS[sign](first, second)
        if abs(result) > _GREATEST:
            raise ExpressionError(f"gives a number above {_GREATEST:,}", "choose smaller values")
        return result

    return compute


def _drawn(low: Compute, high: Compute) -> Compute:
    def compute(values: Mapping[str, Fraction], chance: random.Random) -> Fraction:
        least, most = low(values, chance), high(values, chance)
        if least > most:
            wrong = f"has bounds the wrong way round ({number_text(least)} and {number_text(most)})"
            raise ExpressionError(wrong, "put the lower one first")
        if least.denominator != 1 or most.denominator != 1:
            raise ExpressionError(
                "draws between numbers that are not whole", "draw a whole number and divide"
            )
        return Fraction(chance.randint(int(least), int(most)))

    return compute


_NUMBER_TEXT: Final = re.compile(r"[-−]?\d{1,15}(?:\.\d{1,15})?")
_NO_CHANCE: Final = random.Random(0)  # noqa: S311  # the parser of slots asks for one; nothing is drawn


@dataclass(frozen=True, slots=True)
class ValueExpression:
    """An expression with the names of the values that it uses. Two with the same text are equal."""

    text: str
    names: tuple[str, ...] = field(compare=False)
    compute: Compute = field(compare=False, repr=False)

    @classmethod
    def of(cls, text: str) -> "ValueExpression":
        """The expression of a text; raises ExpressionError."""
        if "[" in text:
            raise ExpressionError("draws a number", "give the value a range of its own, and use its name")
        names: dict[str, None] = {}
        compute = parse_expression(text, lambda name: names.update({name: None}))
        return cls(text.strip(), tuple(names), compute)

    @property
    def constant(self) -> int | None:
        """The whole number that the expression is; None for another one."""
        return int(self.text) if re.fullmatch(r"-?\d{1,15}", self.text) else None

    def number(self, values: Mapping[str, str]) -> Fraction:
        """The number for these values; raises ExpressionError."""
        return self.compute({name: _as_number(name, values[name]) for name in self.names}, _NO_CHANCE)


def _as_number(name: str, text: str) -> Fraction:
    if not _NUMBER_TEXT.fullmatch(text.strip()):
        wrong = f"uses {shown(name)!r}, which can be {shown(text)!r}"
        raise ExpressionError(wrong, "use values that are numbers")
    return Fraction(text.strip().replace("−", "-"))
