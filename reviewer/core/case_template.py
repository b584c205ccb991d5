"""Templates of cases with a control and a treatment: values that are sampled, and texts with gaps.

A value is one of a list, a whole number of a range, what another number leaves of a total, or a text that a
model writes. Other numbers of a case, such as its parameters, follow from its values by rules.
Templates with slots instead of gaps belong beside this module.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod
from typing import Final, Literal

from reviewer.core.errors import InputError
from reviewer.core.gap_text import TemplateText, TextPlace, parts_of_kind, template_source, top_gaps
from reviewer.core.sanitize import counted, shown

_MOST_NUMBERS: Final = 100_000
"""The most numbers of a range."""


@dataclass(frozen=True, slots=True)
class ListedValue:
    """One of these texts."""

    choices: tuple[str, ...]
    place: TextPlace = field(default=TextPlace(), compare=False)


@dataclass(frozen=True, slots=True)
class NumberValue:
    """A whole number from ``least`` on and below ``below``, times ``times``.

    ``distribution`` is the name that the published form gives it.
    """

    least: int
    below: int
    times: int = 1
    distribution: str = "randint"
    place: TextPlace = field(default=TextPlace(), compare=False)

    @property
    def choices(self) -> tuple[str, ...]:
        """All numbers, as texts."""
        return tuple(str(number * self.times) for number in range(self.least, self.below))


@dataclass(frozen=True, slots=True)
class RestValue:
    """What the number of another value leaves of a total."""

    other: str
    total: int
    place: TextPlace = field(default=TextPlace(), compare=False)


@dataclass(frozen=True, slots=True)
class AskedValue:
    """A text that a model writes by an instruction before it fills gaps. The instruction may hold values."""

    instruction: TemplateText
    place: TextPlace = field(default=TextPlace(), compare=False)


TemplateValue = ListedValue | NumberValue | RestValue | AskedValue


@dataclass(frozen=True, slots=True)
class NumberRule:
    """A number that follows from the values: a ``constant``; or that of a value, times ``times``; or what
    ``by_choice`` gives for each choice of the value. Numbers of values are rounded half to even.
    """

    constant: int = 0
    value: str = ""
    times: Fraction = Fraction(1)
    by_choice: tuple[tuple[str, int], ...] = ()
    place: TextPlace = field(default=TextPlace(0, 0), compare=False)

    def number(self, values: Mapping[str, str]) -> int:
        """The number for these values."""
        if not self.value:
            return self.constant
        if self.by_choice:
            return dict(self.by_choice)[values[self.value]]
        return round(int(values[self.value]) * self.times)


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
    """The template of one group: its values by name, its variants, and rules for numbers by name."""

    group: str
    values: Mapping[str, TemplateValue]
    variants: tuple[TemplateVariant, ...]
    definition: str = ""
    rules: Mapping[str, NumberRule] = field(default_factory=dict)
    where: str = field(default="template", compare=False)
    """Its place, for messages."""
    file: str = field(default="template", compare=False)
    """What messages call its file."""

    def sampled(self, chance: random.Random) -> dict[str, str]:
        """One choice for each value that is sampled or follows from one, but none for asked ones."""
        values: dict[str, str] = {}
        for name, value in self.values.items():
            if isinstance(value, ListedValue | NumberValue):
                values[name] = chance.choice(value.choices)
        for name, value in self.values.items():
            if isinstance(value, RestValue):
                values[name] = str(value.total - int(values[value.other]))
        return values

    def number_of_combinations(self, *names: str) -> int:
        """How many combinations of the choices of these values there are."""
        lists = [value.choices for name in names if (value := _sampled_value(self.values[name]))]
        return prod(map(len, lists))

    def combinations(self, *names: str) -> Iterator[dict[str, str]]:
        """Every combination of the choices of these values."""
        lists = [value.choices for name in names if (value := _sampled_value(self.values[name]))]
        for choices in product(*lists):
            yield dict(zip(names, choices, strict=True))


def _sampled_value(value: TemplateValue) -> ListedValue | NumberValue | None:
    return value if isinstance(value, ListedValue | NumberValue) else None


def check_template(template: CaseTemplate, where: str, given: Mapping[str, object] | None = None) -> None:
    """Raise InputError for the first fault between the parts of a template.

    ``given`` are values that something beside the file gives.
    """
    known = {*template.values, *(given or {})}
    _check_variants(template.variants, where)
    for variant in template.variants:
        _check_options(variant, where)
        for _, version in variant.versions:
            for text in version.texts:
                for part in parts_of_kind(text, "value"):
                    if part.text not in known:
                        raise InputError(
                            part.place.within(where),
                            f"has the value {shown(part.text)!r}, which no list gives",
                            f"add a list or range for it, or use {_listed(known)}",
                        )
    for name, value in template.values.items():
        _check_value(template, name, value, where)
    for name, rule in template.rules.items():
        if rule.value and _sampled_value(template.values.get(rule.value, ListedValue(()))) is None:
            wrong = f"the rule for {name} uses the value {shown(rule.value)!r}, which is not sampled"
            raise InputError(rule.place.within(where), wrong, "name a value that has a list or a range")
        _check_rule(template, name, rule, where)


def _check_rule(template: CaseTemplate, name: str, rule: NumberRule, where: str) -> None:
    if not rule.value:
        return
    if rule.value not in template.values:
        wrong = f"the rule for {name} uses the value {shown(rule.value)!r}, which no list gives"
        raise InputError(rule.place.within(where), wrong, f"use {_listed(set(template.values))}")
    for choices in template.combinations(rule.value):
        try:
            rule.number(choices)
        except (KeyError, ValueError):
            wrong = f"the rule for {name} gives no number for {shown(choices[rule.value])!r}"
            raise InputError(
                rule.place.within(where), wrong, "give a number for every choice of the value"
            ) from None


def _check_variants(variants: tuple[TemplateVariant, ...], where: str) -> None:
    """One score and one coin belong to all variants, so they have equally many options."""
    first = variants[0]
    for number, variant in enumerate(variants):
        place = _place_of(variant.control.options).within(where)
        if any(variant.name == earlier.name for earlier in variants[:number]):
            raise InputError(place, f"has the variant {shown(variant.name)!r} twice", "rename one")
        if len(variant.control.options) != len(first.control.options):
            wrong = (
                f"the variant {shown(variant.name)!r} has {counted(len(variant.control.options), 'option')} "
                f"and {shown(first.name)!r} {len(first.control.options)}"
            )
            raise InputError(place, wrong, "give all variants the same number of options")


def _check_options(variant: TemplateVariant, where: str) -> None:
    numbers = {name: len(version.options) for name, version in variant.versions}
    if min(numbers.values()) < 2:
        name = min(numbers, key=lambda each: numbers[each])
        options = dict(variant.versions)[name].options
        wrong = f"the {name} has {counted(numbers[name], 'option')}"
        raise InputError(_place_of(options).within(where), wrong, "give it at least 2")
    if len(set(numbers.values())) > 1:
        wrong = f"the control has {numbers['control']} options and the treatment {numbers['treatment']}"
        place = _place_of(variant.treatment.options)
        raise InputError(place.within(where), wrong, "give both the same number, so that decisions compare")
    for _, version in variant.versions:
        _check_different(version.options, where)


def _check_different(options: tuple[TemplateText, ...], where: str) -> None:
    seen = set[str]()
    for option in options:
        text = template_source(option).casefold()
        if text in seen:
            wrong = f"has the option {shown(template_source(option))!r} twice"
            raise InputError(_place_of((option,)).within(where), wrong, "reword one")
        seen.add(text)


def _place_of(options: tuple[TemplateText, ...]) -> TextPlace:
    return next((option[0].place for option in options if option), TextPlace(0, 0))


def _check_value(template: CaseTemplate, name: str, value: TemplateValue, where: str) -> None:
    place = value.place.within(where)
    if isinstance(value, NumberValue) and value.below - value.least > _MOST_NUMBERS:
        wrong = (
            f"value {shown(name)!r} has {value.below - value.least:,} numbers, more than {_MOST_NUMBERS:,}"
        )
        raise InputError(place, wrong, "narrow its range; `times` makes numbers greater")
    if isinstance(value, ListedValue | NumberValue) and not value.choices:
        raise InputError(
            place, f"value {shown(name)!r} has nothing to choose from", "widen its list or range"
        )
    if isinstance(value, RestValue):
        other = template.values.get(value.other)
        if not isinstance(other, NumberValue):
            wrong = f"value {shown(name)!r} is the rest of {shown(value.other)!r}, which is not a range"
            raise InputError(place, wrong, "name a value that has a range")
    if isinstance(value, AskedValue):
        for part in parts_of_kind(value.instruction, "value"):
            if not isinstance(template.values.get(part.text), ListedValue | NumberValue | RestValue):
                wrong = f"value {shown(name)!r} is asked with {shown(part.text)!r}, which is not sampled"
                raise InputError(place, wrong, "use values that have a list or a range")


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "no value"
