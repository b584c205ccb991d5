"""Templates written in our own form, as TOML and as plain values."""

from typing import Any

from reviewer.protocols.templates.case_template import (
    AskedValue,
    CaseTemplate,
    ChoiceRule,
    ComputedValue,
    ListedValue,
    NumberValue,
    OutsideValue,
    TemplateRule,
    TemplateValue,
    TemplateVersion,
    VariantValue,
)
from reviewer.protocols.templates.expressions import ValueExpression
from reviewer.protocols.templates.gap_text import template_source
from reviewer.protocols.templates.template_toml import TemplateFile


def templates_to_toml(file: TemplateFile) -> str:
    """The file in our own form."""
    import tomlkit  # loads where a file is written

    return tomlkit.dumps(templates_as_values(file))


def templates_as_values(file: TemplateFile) -> dict[str, Any]:
    """The file as plain values, as ``templates_from`` reads them."""
    content: dict[str, Any] = {"scenarios": list(file.scenarios)} if file.scenarios else {}
    content["templates"] = [_template_table(template) for template in file.templates]
    return content


def _template_table(template: CaseTemplate) -> dict[str, Any]:
    table: dict[str, Any] = {"group": template.group}
    if template.definition:
        table["definition"] = template.definition
    if template.values:
        table["values"] = {name: _value_content(value) for name, value in template.values.items()}
    if template.rules:
        table["rules"] = {name: _rule_content(rule) for name, rule in template.rules.items()}
    table["variants"] = [
        {"name": variant.name, **{name: _version_table(version) for name, version in variant.versions}}
        for variant in template.variants
    ]
    return table


def _value_content(value: TemplateValue) -> Any:
    match value:
        case ListedValue(choices):
            return list(choices)
        case NumberValue(least, below, step, distribution):
            usual = {"step": 1, "distribution": "randint"}
            ends = {"from": _end_content(least), "below": _end_content(below)}
            table = {**ends, "step": step, "distribution": distribution}
            return {key: content for key, content in table.items() if usual.get(key) != content}
        case ComputedValue(expression):
            return expression.text
        case VariantValue(texts):
            return {"by_variant": dict(texts)}
        case AskedValue(instruction):
            return {"ask": template_source(instruction)}
        case OutsideValue(known):
            return {"computed_elsewhere": known}


def _end_content(end: int | ValueExpression) -> int | str:
    return end if isinstance(end, int) else end.text


def _rule_content(rule: TemplateRule) -> Any:
    if isinstance(rule, ChoiceRule):
        return {"value": rule.value, "choices": dict(rule.choices)}
    constant = rule.expression.constant
    return rule.expression.text if constant is None else constant


def _version_table(version: TemplateVersion) -> dict[str, Any]:
    return {
        "situations": [template_source(text) for text in version.situations],
        "prompt": template_source(version.prompt),
        "options": [template_source(text) for text in version.options],
    }
