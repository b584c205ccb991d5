"""Faults between the parts of a template, and values that must be given before a case can be made."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import counted, shown
from reviewer.protocols.templates.case_template import (
    USUAL_VARIANT,
    AskedValue,
    CaseTemplate,
    NumberValue,
    OutsideValue,
    TemplateRule,
    TemplateValue,
    TemplateVariant,
    VariantValue,
    choices_for,
    names_used,
    nothing_to_choose,
)
from reviewer.protocols.templates.expressions import ExpressionError
from reviewer.protocols.templates.gap_text import TemplatePart, TemplateText, parts_of_kind, template_source
from reviewer.protocols.templates.pieces import TextPlace

_MOST_TRIED: Final = 2_000
"""How many combinations of values a rule is tried with when it is read."""


def check_template(template: CaseTemplate, where: str) -> None:
    """Raise InputError for the first fault between the parts of a template."""
    _check_variants(template.variants, where)
    for variant in template.variants:
        _check_options(variant, where)
    for part in values_in_texts(template):
        if part.text not in template.values:
            raise InputError(
                part.place.within(where),
                f"has the value {shown(part.text)!r}, which no list gives",
                f"add a list or range for it, or use {_listed(template.values)}",
            )
    for name, value in template.values.items():
        _check_value(template, name, value, where)
    for name, value in template.values.items():
        _check_sampling(template, name, value.place.within(where))
    for name, rule in template.rules.items():
        _check_rule(template, name, rule, where)


def values_in_texts(template: CaseTemplate) -> Iterator[TemplatePart]:
    """Every place of a value in the texts of a template."""
    for variant in template.variants:
        for _, version in variant.versions:
            for text in version.texts:
                yield from parts_of_kind(text, "value")


def values_to_give(template: CaseTemplate) -> Iterator[tuple[str, str, TextPlace]]:
    """The values without which no case can be made: name, what is wrong, and place."""
    for name, value in template.values.items():
        if isinstance(value, OutsideValue):
            known = f"; the file says: {shown(value.known)}" if value.known else ""
            yield name, f"value {shown(name)!r} is computed elsewhere{known}", value.place
        elif isinstance(value, NumberValue) and (wrong := _empty_range(template, name, value)):
            yield name, wrong, value.place


def _empty_range(template: CaseTemplate, name: str, value: NumberValue) -> str:
    """What is wrong with a range that follows from other values and is empty for some of these."""
    if rests_on_outside(template, [name]):
        return ""  # the other value is named
    try:
        for values, _ in islice(template.combinations(names_used(value)), _MOST_TRIED):
            if not value.choices_for(values):
                return nothing_to_choose(name, values)[0]
    except ExpressionError as fault:
        return fault.wrong
    return ""


def rests_on_outside(template: CaseTemplate, names: Iterable[str]) -> bool:
    """Whether another program computes one of these values, or one that they follow from."""
    return any(isinstance(template.values[name], OutsideValue) for name in template.in_order(names))


def check_fillable(template: CaseTemplate) -> None:
    """Raise InputError for the first value that must be given before a case can be made."""
    for name, wrong, place in values_to_give(template):
        where = place.within(template.file) if place.line else template.where
        raise InputError(where, wrong, f"give it as values.{name}, in the template or in a file of rules")


def _check_rule(template: CaseTemplate, name: str, rule: TemplateRule, where: str) -> None:
    place, of = rule.place.within(where), f"the rule for {name}"
    for used in rule.names:
        if used not in template.values:
            wrong = f"{of} uses the value {shown(used)!r}, which no list gives"
            raise InputError(place, wrong, f"use {_listed(template.values)}")
        if isinstance(template.values[used], AskedValue | VariantValue):
            wrong = f"{of} uses the value {shown(used)!r}, which is not sampled"
            raise InputError(place, wrong, "name a value that has a list or a range")
    if rests_on_outside(template, rule.names):
        return
    try:
        for values, _ in islice(template.combinations(rule.names), _MOST_TRIED):
            rule.number(values)
    except ExpressionError as fault:
        raise InputError(place, f"{of} {fault.wrong}", fault.remedy) from None


def _check_variants(variants: tuple[TemplateVariant, ...], where: str) -> None:
    """One score and one coin belong to all variants, so they have equally many options."""
    for number, variant in enumerate(variants):
        first = variants[0]
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
        name = min(numbers, key=lambda kind: numbers[kind])
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
    place, of = value.place.within(where), f"value {shown(name)!r}"
    for used in names_used(value):
        _check_used(template, of, used, place)
    match value:
        case NumberValue(step=step) if step < 1:
            raise InputError(place, f"{of} has the step {step}", "give a step of 1 or more")
        case VariantValue():
            _check_variant_value(template, of, value, place)
        case AskedValue(instruction):
            _check_instruction(template, of, instruction, place)


def _check_instruction(template: CaseTemplate, of: str, instruction: TemplateText, place: str) -> None:
    for part in parts_of_kind(instruction, "value"):
        if isinstance(template.values.get(part.text, AskedValue(())), AskedValue):
            wrong = f"{of} is asked with {shown(part.text)!r}, which is not sampled"
            raise InputError(place, wrong, "use values that have a list or a range")


def _check_sampling(template: CaseTemplate, name: str, place: str) -> None:
    """Raise InputError unless there are choices, beside the values that the value follows from."""
    value = template.values[name]
    try:
        if rests_on_outside(template, [name]):
            return
        for values, _ in islice(template.combinations(names_used(value)), _MOST_TRIED):
            choices = choices_for(value, values)
            if not (choices or values or isinstance(value, AskedValue | VariantValue)):
                raise InputError(place, *nothing_to_choose(name, {}))
    except ExpressionError as fault:
        of = "" if fault.wrong.startswith("value ") else f"value {shown(name)!r} "
        raise InputError(place, f"{of}{fault.wrong}", fault.remedy) from None


def _check_used(template: CaseTemplate, of: str, used: str, place: str) -> None:
    """Raise InputError unless a value that another one follows from is given or sampled."""
    if used not in template.values:
        wrong = f"{of} uses {shown(used)!r}, which no list gives"
        raise InputError(place, wrong, f"use a number, or {_listed(template.values)}")
    if isinstance(template.values[used], AskedValue | VariantValue):
        wrong = f"{of} uses {shown(used)!r}, which is not sampled"
        raise InputError(place, wrong, "name a value that has a list or a range")


def _check_variant_value(template: CaseTemplate, of: str, value: VariantValue, place: str) -> None:
    names = [variant.name for variant in template.variants]
    for name in value.texts:
        if name not in (*names, USUAL_VARIANT) and names:
            wrong = f"{of} names the variant {shown(name)!r}, which the template does not have"
            raise InputError(place, wrong, f"use {', '.join(names)} or {USUAL_VARIANT}")
    for name in names:
        if name not in value.texts and USUAL_VARIANT not in value.texts:
            wrong = f"{of} has no text for the variant {shown(name)!r}"
            raise InputError(place, wrong, f"add it, or a text named {USUAL_VARIANT}")


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(sorted(names)) or "no value"
