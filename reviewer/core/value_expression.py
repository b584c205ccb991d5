"""Numbers that follow from the values of a case: ``round(share / 10) + 5``, ``initial_risk - 10``.

The signs and functions are those of slots, without ranges: nothing is drawn here.
"""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from reviewer.core.sanitize import shown
from reviewer.core.slot_expression import Compute, ExpressionError, parse_expression

_NUMBER: Final = re.compile(r"[-−]?\d{1,15}(?:\.\d{1,15})?")
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
    if not _NUMBER.fullmatch(text.strip()):
        wrong = f"uses {shown(name)!r}, which can be {shown(text)!r}"
        raise ExpressionError(wrong, "use values that are numbers")
    return Fraction(text.strip().replace("−", "-"))
