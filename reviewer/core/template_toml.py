"""Templates in a TOML file of our own form, which also holds definitions, rules and scenarios.

scenarios = ["A planner at a company from the water industry deciding when to repair a pipe."]

[[templates]]
group = "Anchoring"
definition = "..."
values.anchor = { from = 10, below = 90 }
rules.k = 1
rules.x1 = { value = "anchor", times = 0.1 }
[[templates.variants]]
name = "default"
control = { situations = ["You are [[a role]]."], prompt = "...", options = ["0%", "100%"] }
treatment = { ... }
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from reviewer.core.case_template import (
    AskedValue,
    CaseTemplate,
    ListedValue,
    NumberRule,
    NumberValue,
    RestValue,
    TemplateValue,
    TemplateVariant,
    TemplateVersion,
    check_template,
)
from reviewer.core.errors import InputError
from reviewer.core.gap_text import PlaceOf, TemplateText, TextPlace, parse_gap_text, template_source, top_gaps
from reviewer.core.sanitize import shown
from reviewer.core.source_text import toml_content

_MOST_TEMPLATES: Final = 200
_VERSION_KEYS: Final = ("situations", "prompt", "options")


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """The templates and the scenarios of a file."""

    templates: tuple[CaseTemplate, ...]
    scenarios: tuple[str, ...] = ()


class SourcePlaces:
    """Where texts stand in a file: each is looked for behind the one before it."""

    def __init__(self, source: str) -> None:
        self._source, self._at, self._place = source, 0, TextPlace() if source else TextPlace(0, 0)

    def of(self, text: str) -> TextPlace:
        """The place of the next text that reads like this one; that of the one before it, if none does."""
        start = self._source.find(text, self._at)
        if start < 0:
            return self._place
        return self._moved(start)

    def of_key(self, name: str) -> TextPlace:
        """The place of the next key of this name; that of the text before it, if there is none."""
        key = rf"(?<![\w-])[\"']?{re.escape(name)}[\"']?\s*(?:=|\.|\])"
        match = re.compile(key).search(self._source, self._at)
        return self._moved(match.start()) if match else self._place

    def _moved(self, start: int) -> TextPlace:
        self._place = self._place.after(self._source[self._at : start])
        self._at = start
        return self._place


def templates_from_toml(text: str, where: str) -> TemplateFile:
    """The templates of a file; raises InputError with the place of a fault."""
    return templates_from(toml_content(text, where), where, text)


def templates_from(content: Mapping[str, Any], where: str, source: str = "") -> TemplateFile:
    """The templates in a value of this form; ``source`` is the text that it was read from, for places."""
    reader = _Reader(where, SourcePlaces(source))
    _known(content, ("templates", "scenarios"), where)
    reader.places.of_key("scenarios")
    scenarios = reader.texts(content.get("scenarios", ()), "scenarios")
    templates = content.get("templates", ())
    if not isinstance(templates, Sequence) or isinstance(templates, str):
        raise InputError(
            where, "has templates that are not a list of tables", "begin each with [[templates]]"
        )
    if len(templates) > _MOST_TEMPLATES:
        wrong = f"has {len(templates):,} templates, more than {_MOST_TEMPLATES}"
        raise InputError(where, wrong, "split the file")
    return TemplateFile(tuple(reader.template(each) for each in templates), scenarios)


@dataclass(frozen=True, slots=True)
class _Reader:
    where: str
    places: SourcePlaces

    def template(self, table: Any) -> CaseTemplate:
        table = self.table(table, "a template", ("group", "definition", "values", "rules", "variants"))
        group = self.text(table, "group", "a template")
        where = self.at()
        of = f"the template {shown(group)!r}"
        read: dict[str, Any] = {"values": {}, "rules": {}, "variants": ()}
        for key, content in table.items():
            if key == "definition":
                read[key] = self.text(table, key, of)
            elif key == "values":
                read[key] = {name: self.value(name, each) for name, each in self.any_table(content).items()}
            elif key == "rules":
                read[key] = {name: self.rule(name, each) for name, each in self.any_table(content).items()}
            elif key == "variants":
                read[key] = tuple(self.variant(each, of) for each in self.tables(content, of))
        if not read["variants"]:
            raise InputError(self.at(), f"{of} has no variant", "add one with [[templates.variants]]")
        template = CaseTemplate(group, where=where, file=self.where, **read)
        check_template(template, self.where)
        return template

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
        if isinstance(content, list):
            return ListedValue(self.texts(content, f"value {shown(name)}"), place)
        forms = {"from": ("from", "below", "times", "distribution"), "rest_of": ("rest_of", "total")}
        table = self.any_table(content)
        keys = next((known for first, known in forms.items() if first in table), ("ask",))
        of = f"value {shown(name)!r}"
        table = self.table(content, of, keys)
        if "ask" in table:
            return AskedValue(self.parts(self.text(table, "ask", of)), place)
        if "rest_of" in table:
            return RestValue(self.text(table, "rest_of", of), self.number(table, "total", of, 100), place)
        if "from" not in table:
            raise InputError(
                self.at(), f"{of} says nothing to choose from", "give a list, from, rest_of or ask"
            )
        numbers = (self.number(table, "from", of), self.number(table, "below", of))
        return NumberValue(
            *numbers,
            self.number(table, "times", of, 1),
            self.text(table, "distribution", of, usual="randint"),
            place,
        )

    def rule(self, name: str, content: Any) -> NumberRule:
        place = self.places.of_key(name)
        of = f"the rule for {shown(name)}"
        if isinstance(content, int) and not isinstance(content, bool):
            return NumberRule(content, place=place)
        table = self.table(content, of, ("value", "times", "choices"))
        value = self.text(table, "value", of)
        if "choices" in table:
            choices = self.any_table(table["choices"])
            numbers = tuple((choice, self.number(choices, choice, of)) for choice in choices)
            return NumberRule(value=value, by_choice=numbers, place=place)
        times = table.get("times", 1)
        if isinstance(times, bool) or not isinstance(times, int | float) or not math.isfinite(times):
            raise InputError(self.at(), f"{of} has times that are not a number", "give a number")
        return NumberRule(value=value, times=Fraction(str(times)), place=place)

    def texts(self, content: Any, what: str) -> tuple[str, ...]:
        is_list = isinstance(content, list | tuple)
        if not is_list or not all(isinstance(text, str) and text.strip() for text in content):
            raise InputError(
                self.at(), f"{what} is not a list of texts that are not empty", "give texts in brackets"
            )
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
        _known(table, keys, self.at(), of)
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
        """The place of what was read last."""
        return self.places.of("").within(self.where)


def _known(table: Mapping[str, Any], keys: Sequence[str], where: str, of: str = "") -> None:
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
        case NumberValue(least, below, times, distribution):
            usual = {"times": 1, "distribution": "randint"}
            said = {"from": least, "below": below, "times": times, "distribution": distribution}
            return {key: content for key, content in said.items() if usual.get(key) != content}
        case RestValue(other, total):
            return {"rest_of": other, "total": total}
        case AskedValue(instruction):
            return {"ask": template_source(instruction)}


def _rule_content(rule: NumberRule) -> Any:
    if not rule.value:
        return rule.constant
    if rule.by_choice:
        return {"value": rule.value, "choices": dict(rule.by_choice)}
    times = int(rule.times) if rule.times.denominator == 1 else float(rule.times)
    return {"value": rule.value, "times": times}


def _version_table(version: TemplateVersion) -> dict[str, Any]:
    return {
        "situations": [template_source(text) for text in version.situations],
        "prompt": template_source(version.prompt),
        "options": [template_source(text) for text in version.options],
    }
