"""Templates of cases with a control and a treatment: values that are sampled, and texts with gaps.

Numbers of a case, such as its parameters, follow from its values by rules.
Templates with slots instead of gaps belong beside this module.
"""

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from reviewer.core.sanitize import shown
from reviewer.protocols.templates.expressions import ExpressionError
from reviewer.protocols.templates.gap_text import TemplateText, top_gaps
from reviewer.protocols.templates.template_values import (
    TemplateRule,
    TemplateValue,
    VariantValue,
    choices_for,
    names_used,
)


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
    """What is wrong with a value that has no choice beside these values, and what to do about it."""
    where = " and ".join(f"{shown(other)} is {shown(content)}" for other, content in values.items())
    wrong = f"value {shown(name)!r} has nothing to choose from"
    return f"{wrong} where {where}" if where else wrong, "widen its list or range"
