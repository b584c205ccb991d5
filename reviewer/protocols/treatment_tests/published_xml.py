"""Templates in the published XML form: read and written.

The form knows neither definitions nor rules, and ranges exclude their upper end. A document type or an entity
is refused, and so is a file with more elements than any template needs.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from typing import Final
from xml.parsers import expat

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line, shown
from reviewer.protocols.templates.case_template import (
    DISTRIBUTIONS,
    USUAL_VARIANT,
    CaseTemplate,
    ListedValue,
    NumberValue,
    OutsideValue,
    TemplateValue,
    TemplateVariant,
    TemplateVersion,
    VariantValue,
)
from reviewer.protocols.templates.expressions import ExpressionError, ValueExpression
from reviewer.protocols.templates.gap_text import TemplateText, parse_gap_text, template_source, top_gaps
from reviewer.protocols.templates.pieces import TextPlace
from reviewer.protocols.templates.template_faults import check_template, values_in_texts

_MOST_ELEMENTS: Final = 5_000
_SPLIT: Final = "give one template a file"
_INSIDE: Final = {
    "": ("config",),
    "config": ("custom_values", "variant"),
    "custom_values": ("value",),
    "variant": ("template",),
    "template": ("situation", "prompt", "option"),
}
"""The elements that each element may hold."""
_DECIMAL: Final = re.compile(r"-?\d*\.\d+")
_OF_RANGE: Final = ("distribution", "min", "max", "step")


@dataclass(slots=True)
class _Element:
    """One element as it was read: its text in pieces, each with its place."""

    name: str
    attributes: dict[str, str]
    place: TextPlace
    chunks: list[tuple[str, TextPlace]] = field(default_factory=list)
    below: list["_Element"] = field(default_factory=list)

    @property
    def whole(self) -> str:
        return "".join(text for text, _ in self.chunks)

    @property
    def text(self) -> str:
        return self.whole.strip()

    def place_of(self, offset: int) -> TextPlace:
        """The place of a character of the stripped text."""
        at = offset + len(self.whole) - len(self.whole.lstrip())
        starts = [0]
        for text, _ in self.chunks[:-1]:
            starts.append(starts[-1] + len(text))
        number = bisect_right(starts, at) - 1
        text, place = self.chunks[number]
        return place.after(text[: at - starts[number]])

    def named(self, name: str) -> Iterator["_Element"]:
        return (element for element in self.below if element.name == name)


class _Document:
    """Reads the elements of one file; raises InputError."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._open = [_Element("", {}, TextPlace())]
        self._elements = 0

    def read(self, text: str) -> _Element:
        try:
            self._parser.Parse(text.encode(errors="replace"), True)
        except expat.ExpatError as error:
            place = TextPlace(error.lineno, error.offset + 1)
            reason = one_line(expat.ErrorString(error.code), 60)
            raise InputError(place.within(self._where), f"is not XML ({reason})", "correct it") from None
        return self._open[0].below[0]

    @property
    def _place(self) -> TextPlace:
        return TextPlace(self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > _MOST_ELEMENTS:
            raise InputError(self._where, f"has more than {_MOST_ELEMENTS:,} elements", _SPLIT)
        allowed = _INSIDE.get(self._open[-1].name, ())
        if name not in allowed:
            inside = f"in {self._open[-1].name!r}" if self._open[-1].name else "at the top"
            wrong = f"has the element {shown(name)!r} {inside}"
            remedy = f"use {' or '.join(allowed)} there" if allowed else "put only text there"
            raise InputError(self._place.within(self._where), wrong, remedy)
        element = _Element(name, attributes, self._place)
        self._open[-1].below.append(element)
        self._open.append(element)

    def _end(self, name: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        if self._open[-1].name in _INSIDE and text.strip():
            wrong = f"has text beside the elements of {self._open[-1].name!r}"
            raise InputError(self._place.within(self._where), wrong, "put it into an element")
        self._open[-1].chunks.append((text, self._place))

    def _refuse(self, name: str, *rest: object) -> None:
        wrong = "declares a document type, which could define entities"
        raise InputError(self._place.within(self._where), wrong, "remove the line with <!DOCTYPE")


def template_from_xml(text: str, where: str) -> CaseTemplate:
    """The template of a file in the published form; raises InputError.

    A value that texts use and the file does not give is computed elsewhere: by the benchmark's own code.
    """
    config = _Document(where).read(text)
    bias = _attribute(config, "bias", where)
    variants = tuple(_variant(element, where) for element in config.named("variant"))
    if not variants:
        raise InputError(config.place.within(where), "has no variant", "add a control and a treatment")
    lists = _by_attribute(list(config.named("custom_values")), "name", where)
    names = [variant.name for variant in variants]
    values = {name: _value(listed, names, where) for name, listed in lists.items()}
    template = CaseTemplate(bias, values, variants, where=config.place.within(where), file=where)
    for part in values_in_texts(template):
        values.setdefault(part.text, OutsideValue(place=part.place))
    check_template(template, where)
    return template


def _by_attribute(elements: list[_Element], name: str, where: str) -> dict[str, _Element]:
    """The elements by the value of their attribute; raises InputError if two have the same."""
    found: dict[str, _Element] = {}
    for element in elements:
        said = _attribute(element, name, where)
        if said in found:
            wrong = f"has a second {element.name!r} with the {name} {shown(said)!r}"
            raise InputError(element.place.within(where), wrong, "leave one of them out")
        found[said] = element
    return found


def _attribute(element: _Element, name: str, where: str) -> str:
    value = element.attributes.get(name, "").strip()
    if not value:
        wrong = f"has the element {element.name!r} without its {name}"
        raise InputError(element.place.within(where), wrong, f"add {name}=")
    return value


def _value(listed: _Element, variants: Collection[str], where: str) -> TemplateValue:
    if not any("name" in element.attributes for element in listed.below):
        return ListedValue(tuple(element.text for element in listed.below), listed.place)
    named = _by_attribute(listed.below, "name", where)
    if not named.keys() & {"min", "max"}:
        return _named_value(listed, named, variants)
    if USUAL_VARIANT in named or any(_DECIMAL.fullmatch(element.text) for element in named.values()):
        return _outside(listed, named)  # the file does not say how such a value is drawn
    if unknown := [name for name in named if name not in _OF_RANGE]:
        wrong = f"has {shown(unknown[0])!r} in a range"
        place = named[unknown[0]].place.within(where)
        raise InputError(place, wrong, f"use {', '.join(_OF_RANGE)}")
    step = _end(listed, named, "step", where) if "step" in named else 1
    if not isinstance(step, int):
        wrong = "has a range whose step is not a whole number"
        raise InputError(named["step"].place.within(where), wrong, "give its step as a whole number")
    return NumberValue(
        _end(listed, named, "min", where),
        _end(listed, named, "max", where),
        step,
        _distribution(named.get("distribution"), where),
        listed.place,
    )


def _distribution(element: _Element | None, where: str) -> str:
    if element is None:
        return DISTRIBUTIONS[0]
    if element.text not in DISTRIBUTIONS:
        wrong = f"has a range with the unknown distribution {shown(element.text)!r}"
        raise InputError(element.place.within(where), wrong, f"use {' or '.join(DISTRIBUTIONS)}")
    return element.text


def _named_value(listed: _Element, named: dict[str, _Element], variants: Collection[str]) -> TemplateValue:
    """A text for each variant of the template; other names are known to the benchmark's code alone."""
    is_complete = USUAL_VARIANT in named or named.keys() >= set(variants)
    if not is_complete or not named.keys() <= {USUAL_VARIANT, *variants}:
        return _outside(listed, named)
    return VariantValue({name: element.text for name, element in named.items()}, listed.place)


def _outside(listed: _Element, named: dict[str, _Element]) -> OutsideValue:
    known = "; ".join(f"{name} = {element.text}" for name, element in named.items())
    return OutsideValue(known, listed.place)


def _end(listed: _Element, named: dict[str, _Element], name: str, where: str) -> int | ValueExpression:
    """An end of a range: a whole number, or an expression of other values of the file."""
    with suppress(KeyError, ExpressionError):
        expression = ValueExpression.of(named[name].text)
        if expression.constant is not None or expression.names:
            return expression if expression.constant is None else expression.constant
    wrong = f"has a range whose {name} is not a whole number"
    remedy = f"give its {name} as a whole number, or as an expression of another value"
    raise InputError(named.get(name, listed).place.within(where), wrong, remedy)


def _variant(element: _Element, where: str) -> TemplateVariant:
    versions = _by_attribute(list(element.named("template")), "type", where)
    if unknown := [name for name in versions if name not in ("control", "treatment")]:
        wrong = f"has a template of the type {shown(unknown[0])!r}"
        raise InputError(versions[unknown[0]].place.within(where), wrong, "use control or treatment")
    for name in ("control", "treatment"):
        if name not in versions:
            raise InputError(element.place.within(where), f"has a variant without a {name}", "add it")
    control = _version(versions["control"], where, ())
    return TemplateVariant(
        element.attributes.get("name", "").strip() or USUAL_VARIANT,
        control,
        _version(versions["treatment"], where, control.gaps),
    )


def _version(element: _Element, where: str, referable: Collection[str]) -> TemplateVersion:
    prompts = list(element.named("prompt"))
    if len(prompts) != 1:
        wrong = f"has {len(prompts)} prompts in a template"
        raise InputError(element.place.within(where), wrong, "give it exactly one")
    before, texts = set(referable), dict[str, list[TemplateText]]()
    for each in element.below:
        parts = _parts(each, where, before)
        before.update(top_gaps(parts))
        texts.setdefault(each.name, []).append(parts)
    return TemplateVersion(
        tuple(texts.get("situation", ())), texts["prompt"][0], tuple(texts.get("option", ()))
    )


def _parts(element: _Element, where: str, referable: Collection[str]) -> TemplateText:
    if not element.text:
        raise InputError(element.place.within(where), f"has an empty {element.name}", "write its text")
    return parse_gap_text(element.text, element.place_of, where, referable)


def template_to_xml(template: CaseTemplate) -> str:
    """A template in the published form; raises RequestError for a value that the form does not know."""
    lines = [f'<config bias="{escape(template.group)}">']
    in_file = {name: value for name, value in template.values.items() if value != OutsideValue()}
    for name, value in in_file.items():
        lines += [f'    <custom_values name="{escape(name)}">', *_value_lines(name, value)]
        lines.append("    </custom_values>")
    for variant in template.variants:
        lines.append(f'    <variant name="{escape(variant.name)}">')
        for kind, version in variant.versions:
            lines += [f'        <template type="{kind}">', *_text_lines(version), "        </template>"]
        lines.append("    </variant>")
    return "\n".join([*lines, "</config>"]) + "\n"


def _value_lines(name: str, value: TemplateValue) -> Iterator[str]:
    match value:
        case ListedValue(choices):
            for choice in choices:
                yield f"        <value>{escape(choice)}</value>"
        case NumberValue(least, below, step, distribution):
            steps = {"step": step} if step != 1 else {}
            yield from _named_lines({"distribution": distribution, "min": least, "max": below, **steps})
        case VariantValue(texts):
            yield from _named_lines(texts)
        case _:
            raise RequestError(
                f"value {shown(name)!r} cannot be written in the published form, which has lists, ranges and "
                "texts of variants only; write the template as TOML."
            )


def _named_lines(contents: Mapping[str, str | int | ValueExpression]) -> Iterator[str]:
    for key, content in contents.items():
        text = content.text if isinstance(content, ValueExpression) else str(content)
        yield f'        <value name="{escape(key)}">{escape(text)}</value>'


def _text_lines(version: TemplateVersion) -> Iterator[str]:
    texts = [("situation", text) for text in version.situations]
    texts += [("prompt", version.prompt), *(("option", text) for text in version.options)]
    for element, parts in texts:
        yield f"            <{element}>{escape(template_source(parts), quote=False)}</{element}>"
