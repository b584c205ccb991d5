"""What the published tests of ten biases compute beside their templates: values, and rules for k, x1 and x2.

A file of the published form holds only texts and lists. These rules follow from the published decisions and
from the published code's description. Texts that a model writes for them have our own instructions.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from reviewer.core.errors import RequestError
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.templates.expressions import ValueExpression
from reviewer.protocols.templates.gap_text import parse_gap_text
from reviewer.protocols.templates.pieces import TextPlace
from reviewer.protocols.templates.template_faults import check_template
from reviewer.protocols.templates.template_values import (
    AskedValue,
    ChoiceRule,
    ComputedValue,
    ListedValue,
    NumberRule,
    NumberValue,
    OutsideValue,
    TemplateRule,
    TemplateValue,
)
from reviewer.protocols.treatment_tests.published_xml import template_from_xml, template_to_xml

_Rules = Mapping[str, TemplateRule]


def _rules(k: TemplateRule | int, x1: str = "0", x2: str = "0") -> _Rules:
    first = NumberRule(ValueExpression.of(str(k))) if isinstance(k, int) else k
    return {"k": first, **{name: NumberRule(ValueExpression.of(x)) for name, x in (("x1", x1), ("x2", x2))}}


def _by(value: str, **choices: int) -> ChoiceRule:
    return ChoiceRule(value, tuple(choices.items()))


def _asked(instruction: str) -> AskedValue:
    return AskedValue(parse_gap_text(instruction, lambda offset: TextPlace(), "published"))


_RULES: Final[Mapping[str, _Rules]] = {
    "Anchoring": _rules(1, "round(anchor / 10)", "round(anchor / 10)"),
    "BandwagonEffect": _rules(_by("majority_opinion", A=-1, B=1), "0", "6"),
    "ConfirmationBias": _rules(1),
    "FramingEffect": _rules(-1),
    "HaloEffect": _rules(_by("perception", positively=1, negatively=-1)),
    "InformationBias": _rules(-1, "0", "6"),
    "NotInventedHere": _rules(-1),
    "PlanningFallacy": _rules(1, "-estimation_update / 10", "-3"),
    "SelfServingBias": _rules(1),
    "StatusQuoBias": _rules(-1, "0", "6"),
}
_SAMPLED: Final[Mapping[str, Mapping[str, TemplateValue]]] = {
    "Anchoring": {"anchor": NumberValue(10, 90)},
    "PlanningFallacy": {"estimation_update": NumberValue(10, 50, 10)},
}
"""What the numbers of rules are sampled from, for published decisions. Choices of texts are in the rules."""
_COURSE = "a course of action that the organization could follow, in one clause that names no person"
_VALUES: Final[Mapping[str, Mapping[str, TemplateValue]]] = {
    "FramingEffect": {"second_percentage": ComputedValue(ValueExpression.of("100 - first_percentage"))},
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
KNOWN_BIASES: Final = tuple(_RULES)
"""The biases whose rules are known, as published tables write them."""


def joined_name(name: str) -> str:
    """The name of a bias as published tables write it, without blanks."""
    return "".join(name.split())


def rules_of_bias(bias: str, beside: Mapping[str, CaseTemplate]) -> CaseTemplate | None:
    """The rules of a bias with the values that they use: those beside the file, else those known.

    None if there are none. Raises InputError if the rules beside the file use a value that they do not give.
    """
    name = joined_name(bias)
    if name in beside:
        return _complete(beside[name])
    if name in _RULES:
        return _complete(CaseTemplate(bias, _SAMPLED.get(name, {}), (), rules=_RULES[name]))
    return None


def _complete(template: CaseTemplate) -> CaseTemplate:
    """The rules with a list for each value whose choices only a rule names; raises InputError."""
    rules = [rule for rule in template.rules.values() if isinstance(rule, ChoiceRule)]
    listed = {rule.value: ListedValue(tuple(choice for choice, _ in rule.choices)) for rule in rules}
    complete = replace(template, values={**listed, **template.values})
    check_template(complete, template.file)
    return complete


def with_rules(template: CaseTemplate, beside: Mapping[str, CaseTemplate]) -> CaseTemplate:
    """A template with the values and rules beside its file, which count before its own; raises InputError."""
    given = beside.get(joined_name(template.group))
    if given is None:
        return template
    whole = replace(
        template,
        values={**template.values, **given.values},
        rules={**template.rules, **given.rules},
        definition=given.definition or template.definition,
    )
    check_template(whole, given.file)
    return whole


def published_template(text: str, where: str) -> CaseTemplate:
    """The template of a published file with the rules and values of its bias; raises InputError.

    A bias that is not among the ten has no rules.
    """
    template = template_from_xml(text, where)
    bias = joined_name(template.group)
    values = {name: _computed(bias, name, value) for name, value in template.values.items()}
    added = _VALUES.get(bias, {})
    values |= {name: added[name] for name in added if values.get(name) == OutsideValue()}
    rules = _RULES.get(bias, {})
    known = {name: rule for name, rule in rules.items() if values.keys() >= set(rule.names)}
    whole = replace(template, values=values, rules=known)
    check_template(whole, where)
    return whole


def _computed(bias: str, name: str, value: TemplateValue) -> TemplateValue:
    """Updates of plans are sampled in steps of ten percent, which the file does not say."""
    is_update = (bias, name) == ("PlanningFallacy", "estimation_update")
    match value:
        case NumberValue(int(least), int(below), 1) if is_update:
            return replace(value, least=least * 10, below=below * 10, step=10)
        case _:
            return value


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
    match value:
        case NumberValue(int(least), int(below), 10) if least % 10 == below % 10 == 0:
            plain = replace(value, least=least // 10, below=below // 10, step=1)
            return plain if _computed(bias, name, plain) == value else value
        case _:
            return value
