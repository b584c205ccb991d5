"""What the published tests of ten biases compute beside their templates: values, and rules for k, x1 and x2.

A file of the published form holds only texts and lists. These rules follow from the published decisions and
from the published code's description. Texts that a model writes for them have our own instructions.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from reviewer.core.case_template import (
    AskedValue,
    CaseTemplate,
    NumberRule,
    NumberValue,
    RestValue,
    TemplateValue,
)
from reviewer.core.errors import RequestError
from reviewer.core.gap_text import TextPlace, parse_gap_text
from reviewer.protocols.treatment_tests.published_xml import template_from_xml, template_to_xml

_Rules = Mapping[str, NumberRule]


def _rules(k: NumberRule | int, x1: NumberRule | int = 0, x2: NumberRule | int = 0) -> _Rules:
    rules = {"k": k, "x1": x1, "x2": x2}
    return {name: NumberRule(rule) if isinstance(rule, int) else rule for name, rule in rules.items()}


def _by(value: str, **choices: int) -> NumberRule:
    return NumberRule(value=value, by_choice=tuple(choices.items()))


def _asked(instruction: str) -> AskedValue:
    return AskedValue(parse_gap_text(instruction, lambda offset: TextPlace(), "published"))


_TENTH_OF_ANCHOR: Final = NumberRule(value="anchor", times=Fraction(1, 10))
_RULES: Final[Mapping[str, _Rules]] = {
    "Anchoring": _rules(1, _TENTH_OF_ANCHOR, _TENTH_OF_ANCHOR),
    "BandwagonEffect": _rules(_by("majority_opinion", A=-1, B=1), 0, 6),
    "ConfirmationBias": _rules(1),
    "FramingEffect": _rules(-1),
    "HaloEffect": _rules(_by("perception", positively=1, negatively=-1)),
    "InformationBias": _rules(-1, 0, 6),
    "NotInventedHere": _rules(-1),
    "PlanningFallacy": _rules(1, NumberRule(value="estimation_update", times=Fraction(-1, 10)), -3),
    "SelfServingBias": _rules(1),
    "StatusQuoBias": _rules(-1, 0, 6),
}
_COURSE = "a course of action that the organization could follow, in one clause that names no person"
_VALUES: Final[Mapping[str, Mapping[str, TemplateValue]]] = {
    "FramingEffect": {"second_percentage": RestValue("first_percentage", 100)},
    "NotInventedHere": {
        "externality_statement": _asked(
            "one sentence in the second person without a full stop that says who made the proposal: a "
            "colleague whose distance from the manager is {{externality}} (if spatial, from {{country}})"
        )
    },
    "StatusQuoBias": {
        "status A": _asked(_COURSE),
        "status B": _asked(f"{_COURSE}, other than the first one"),
    },
}


def joined_name(name: str) -> str:
    """The name of a bias as published tables write it, without blanks."""
    return "".join(name.split())


def rules_of_bias(bias: str) -> _Rules | None:
    """The rules of a published bias; None for another one."""
    return _RULES.get(joined_name(bias))


def published_template(text: str, where: str) -> CaseTemplate:
    """The template of a published file with the rules and values of its bias; raises InputError.

    A bias that is not among the ten has no rules.
    """
    given = [name for values in _VALUES.values() for name in values]
    template = template_from_xml(text, where, given)
    bias = joined_name(template.group)
    values = {name: _computed(bias, name, value) for name, value in template.values.items()}
    values |= _VALUES.get(bias, {})
    rules = _RULES.get(bias, {})
    known = {name: rule for name, rule in rules.items() if not rule.value or rule.value in values}
    return replace(template, values=values, rules=known)


def _computed(bias: str, name: str, value: TemplateValue) -> TemplateValue:
    """Updates of plans are sampled in steps of ten percent, which the file does not say."""
    is_update = bias == "PlanningFallacy" and name == "estimation_update"
    return replace(value, times=10) if is_update and isinstance(value, NumberValue) else value


def published_text(template: CaseTemplate) -> str:
    """The published form of a template; raises RequestError for what reading the form would not give back."""
    bias = joined_name(template.group)
    added = _VALUES.get(bias, {})
    if template.definition or (template.rules and template.rules != _RULES.get(bias)):
        what = "a definition" if template.definition else "rules"
        raise RequestError(
            f"the published form has no place for {what} of {bias!r}; write the template as TOML."
        )
    values = {
        name: _as_in_file(bias, name, value)
        for name, value in template.values.items()
        if added.get(name) != value
    }
    return template_to_xml(replace(template, values=values))


def _as_in_file(bias: str, name: str, value: TemplateValue) -> TemplateValue:
    """A value without the steps that reading adds."""
    if not isinstance(value, NumberValue) or value.times == 1:
        return value
    plain = replace(value, times=1)
    return plain if _computed(bias, name, plain) == value else value
