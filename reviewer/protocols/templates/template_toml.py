"""Templates in a TOML file of our own form, which also holds definitions, rules and scenarios.

scenarios = ["A planner at a company from the water industry deciding when to repair a pipe."]

[[templates]]
group = "Anchoring"
definition = "..."
values.anchor = { from = 10, below = 90 }
rules.k = 1
rules.x1 = "round(anchor / 10)"
[[templates.variants]]
name = "default"
control = { situations = ["You are [[a role]]."], prompt = "...", options = ["0%", "100%"] }
treatment = { ... }

A file of rules holds the same tables without variants, for templates that another file holds.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.source_text import toml_content
from reviewer.protocols.templates.case_template import (
    DISTRIBUTIONS,
    AskedValue,
    CaseTemplate,
    ChoiceRule,
    ComputedValue,
    ListedValue,
    NumberRule,
    NumberValue,
    OutsideValue,
    TemplateRule,
    TemplateValue,
    TemplateVariant,
    TemplateVersion,
    VariantValue,
)
from reviewer.protocols.templates.expressions import ExpressionError, ValueExpression
from reviewer.protocols.templates.gap_text import TemplateText, parse_gap_text, template_source, top_gaps
from reviewer.protocols.templates.pieces import PlaceOf, SourcePlaces, TextPlace
from reviewer.protocols.templates.template_faults import check_template

_MOST_TEMPLATES: Final = 2_000
_VERSION_KEYS: Final = ("situations", "prompt", "options")
_RULE_KEYS: Final = ("group", "definition", "values", "rules")
_VALUE_FORMS: Final[Mapping[str, Sequence[str]]] = {
    "from": ("from", "below", "step", "distribution"),
    "by_variant": ("by_variant",),
    "ask": ("ask",),
    "computed_elsewhere": ("computed_elsewhere",),
}
"""The forms of a value, by the key that tells them apart, with the keys that each may have."""


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """The templates and the scenarios of a file."""

    templates: tuple[CaseTemplate, ...]
    scenarios: tuple[str, ...] = ()


def templates_from_toml(text: str, where: str) -> TemplateFile:
    """The templates of a file; raises InputError with the place of a fault."""
    return templates_from(toml_content(text, where), where, text)


def templates_from(content: Mapping[str, Any], where: str, source: str = "") -> TemplateFile:
    """The templates in a value of this form; ``source`` is the text that it was read from, for places."""
    reader = _Reader(where, SourcePlaces(source))
    check_keys(content, ("templates", "scenarios"), where)
    reader.places.of_key("scenarios")
    scenarios = reader.texts(content.get("scenarios", ()), "scenarios")
    return TemplateFile(tuple(map(reader.template, template_tables(content, where))), scenarios)


def rules_from_toml(text: str, where: str) -> tuple[CaseTemplate, ...]:
    """The values and rules of a file of rules, each as a template without variants; raises InputError."""
    reader, content = _Reader(where, SourcePlaces(text)), toml_content(text, where)
    check_keys(content, ("templates",), where)
    read = tuple(map(reader.beside, template_tables(content, where)))
    if not read:
        raise InputError(where, "holds no rules", "begin those of each group with [[templates]]")
    return read


@dataclass(frozen=True, slots=True)
class _Reader:
    where: str
    places: SourcePlaces

    def beside(self, table: Any) -> CaseTemplate:
        """The values and rules of a group, without variants."""
        table = self.table(table, "a table of rules", _RULE_KEYS)
        group = self.text(table, "group", "a table of rules")
        where, read = self.at(), self.parts_of_template(table, f"the table of {shown(group)!r}")
        return CaseTemplate(group, where=where, file=self.where, **read)

    def template(self, table: Any) -> CaseTemplate:
        table = self.table(table, "a template", (*_RULE_KEYS, "variants"))
        group = self.text(table, "group", "a template")
        where, of = self.at(), f"the template {shown(group)!r}"
        read = self.parts_of_template(table, of)
        if not read["variants"]:
            raise InputError(self.at(), f"{of} has no variant", "add one with [[templates.variants]]")
        template = CaseTemplate(group, where=where, file=self.where, **read)
        check_template(template, self.where)
        return template

    def parts_of_template(self, table: Mapping[str, Any], of: str) -> dict[str, Any]:
        read: dict[str, Any] = {"values": {}, "rules": {}, "variants": ()}
        for key, content in table.items():
            if key == "definition":
                read[key] = self.text(table, key, of)
            elif key == "values":
                read[key] = {name: self.value(name, part) for name, part in self.any_table(content).items()}
            elif key == "rules":
                read[key] = {name: self.rule(name, part) for name, part in self.any_table(content).items()}
            elif key == "variants":
                read[key] = tuple(self.variant(part, of) for part in self.tables(content, of))
        return read

    def variant(self, content: Any, of: str) -> TemplateVariant:
        table = self.table(content, "a variant", ("name", "control", "treatment"))
        for name in ("control", "treatment"):
            if name not in table:
                raise InputError(self.at(), f"{of} has a variant without a {name}", "add it")
        control = self.version(table["control"], f"the control of {of}", ())
        return TemplateVariant(
            self.text(table, "name", "a variant", usual="default"),
            control,
            self.version(table["treatment"], f"the treatment of {of}", control.gaps),
        )

    def version(self, content: Any, name: str, referable: Collection[str]) -> TemplateVersion:
        table = self.table(content, name, _VERSION_KEYS)
        if missing := [key for key in ("prompt", "options") if key not in table]:
            raise InputError(self.at(), f"{name} has no {missing[0]}", "add it")
        read: dict[str, list[TemplateText]] = {"situations": []}
        before = set(referable)
        for key, each in table.items():
            read[key] = []
            for text in self.texts([each] if key == "prompt" else each, key):
                read[key].append(self.parts(text, before))
                before.update(top_gaps(read[key][-1]))
        return TemplateVersion(tuple(read["situations"]), read["prompt"][0], tuple(read["options"]))

    def parts(self, text: str, referable: Collection[str] = ()) -> TemplateText:
        return parse_gap_text(text, self.place_of(text), self.where, referable)

    def place_of(self, text: str) -> PlaceOf:
        start = self.places.of(text)
        return lambda offset: start.after(text[:offset])

    def value(self, name: str, content: Any) -> TemplateValue:
        place = self.places.of_key(name)
        of = f"value {shown(name)!r}"
        if isinstance(content, list):
            return ListedValue(self.texts(content, of, may_be_empty=True), place)
        if isinstance(content, str):
            return ComputedValue(self.expression(content, of), place)
        table = self.any_table(content)
        form = next((key for key in _VALUE_FORMS if key in table), "")
        if not form:
            remedy = f"give a list, an expression, {', '.join(_VALUE_FORMS)}"
            raise InputError(self.at(), f"{of} says nothing to choose from", remedy)
        check_keys(table, _VALUE_FORMS[form], self.at(), of)
        match form:
            case "from":
                return self.range(table, of, place)
            case "by_variant":
                return VariantValue(self.variant_texts(table[form], of), place)
            case "ask":
                return AskedValue(self.parts(self.text(table, form, of)), place)
            case _:
                return OutsideValue(self.text(table, form, of, usual=""), place)

    def range(self, table: Mapping[str, Any], of: str, place: TextPlace) -> NumberValue:
        drawn = self.text(table, "distribution", of, usual=DISTRIBUTIONS[0])
        if drawn not in DISTRIBUTIONS:
            wrong = f"{of} has the unknown distribution {shown(drawn)!r}"
            raise InputError(self.at(), wrong, f"use {' or '.join(DISTRIBUTIONS)}")
        return NumberValue(
            self.end(table, "from", of),
            self.end(table, "below", of),
            self.number(table, "step", of, 1),
            drawn,
            place,
        )

    def end(self, table: Mapping[str, Any], key: str, of: str) -> int | ValueExpression:
        content = table.get(key)
        return self.expression(content, of) if isinstance(content, str) else self.number(table, key, of)

    def variant_texts(self, content: Any, of: str) -> Mapping[str, str]:
        table = self.any_table(content)
        if not all(isinstance(text, str) for text in table.values()) or not table:
            raise InputError(self.at(), f"{of} has no texts by variant", 'give default = "…" or the like')
        return {name: text.strip() for name, text in table.items()}

    def rule(self, name: str, content: Any) -> TemplateRule:
        place = self.places.of_key(name)
        of = f"the rule for {shown(name)}"
        if isinstance(content, int) and not isinstance(content, bool):
            return NumberRule(self.expression(str(content), of), place)
        if isinstance(content, str):
            return NumberRule(self.expression(content, of), place)
        table = self.table(content, of, ("value", "choices"))
        value = self.text(table, "value", of)
        choices = self.any_table(table.get("choices"))
        return ChoiceRule(value, tuple((name, self.number(choices, name, of)) for name in choices), place)

    def expression(self, text: str, of: str) -> ValueExpression:
        try:
            return ValueExpression.of(text)
        except ExpressionError as fault:
            raise InputError(self.at(), f"{of} {fault.wrong}", fault.remedy) from None

    def texts(self, content: Any, what: str, *, may_be_empty: bool = False) -> tuple[str, ...]:
        is_list = isinstance(content, list | tuple)
        if not is_list or not all(isinstance(text, str) for text in content):
            raise InputError(self.at(), f"{what} is not a list of texts", "give texts in brackets")
        if not may_be_empty and not all(text.strip() for text in content):
            wrong = f"{what} is not a list of texts that are not empty"
            raise InputError(self.at(), wrong, "write the text, or leave it out")
        return tuple(text.strip() for text in content)

    def text(self, table: Mapping[str, Any], key: str, of: str, usual: str | None = None) -> str:
        content = table.get(key, usual)
        if not isinstance(content, str) or (usual is None and not content.strip()):
            raise InputError(self.at(), f"{of} has no text as its {key}", f"give {key} as a text")
        self.places.of(content)
        return content.strip()

    def number(self, table: Mapping[str, Any], key: str, of: str, usual: int | None = None) -> int:
        content = table.get(key, usual)
        if isinstance(content, bool) or not isinstance(content, int):
            raise InputError(
                self.at(), f"{of} has no whole number as its {key}", f"give {key} = 1 or the like"
            )
        return content

    def table(self, content: Any, of: str, keys: Sequence[str]) -> Mapping[str, Any]:
        table = self.any_table(content)
        check_keys(table, keys, self.at(), of)
        return table

    def any_table(self, content: Any) -> Mapping[str, Any]:
        if not isinstance(content, Mapping):
            raise InputError(self.at(), "has a value where a table belongs", "give keys with values")
        return content

    def tables(self, content: Any, of: str) -> Sequence[Any]:
        if not isinstance(content, list | tuple):
            wrong = f"{of} has variants that are not a list of tables"
            raise InputError(self.at(), wrong, "begin each with [[templates.variants]]")
        return content

    def at(self) -> str:
        """The place of the content that was read last."""
        return self.places.of("").within(self.where)


def template_tables(content: Mapping[str, Any], where: str) -> Sequence[Any]:
    """The tables of templates in the content of a file, of either form; raises InputError."""
    tables = content.get("templates", ())
    if not isinstance(tables, list | tuple):
        wrong = "has templates that are not a list of tables"
        raise InputError(where, wrong, "begin each with [[templates]]")
    if len(tables) > _MOST_TEMPLATES:
        wrong = f"has {len(tables):,} templates, more than {_MOST_TEMPLATES:,}"
        raise InputError(where, wrong, "split the file")
    return tables


def check_keys(table: Mapping[str, Any], keys: Sequence[str], where: str, of: str = "") -> None:
    """Raise InputError for a key of a table that is not among these."""
    if unknown := [key for key in table if key not in keys]:
        wrong = f"{of} has the unknown key {shown(unknown[0])!r}".strip()
        raise InputError(where, wrong, f"use {', '.join(keys)}")


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
