"""One test while its gaps are filled: what a model is shown, and the rules for fills and whole tests."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from pydantic import ValidationError

from reviewer.core.sanitize import shown
from reviewer.protocols.generation import Draft
from reviewer.protocols.templates.case_template import (
    AskedValue,
    CaseTemplate,
    ComputedValue,
    ListedValue,
    NumberValue,
    TemplateVariant,
    TemplateVersion,
    VariantValue,
)
from reviewer.protocols.templates.gap_text import TemplatePart, filled_pieces, instruction_text, parts_of_kind
from reviewer.protocols.treatment_tests.tests_protocol import PASSED_RULES
from reviewer.protocols.treatment_tests.treatment_test import (
    ScoreParameters,
    TreatmentTest,
    joined_text,
    parameters_for,
)
from store.records import JsonValue

FORMAT = "fill_format"
RULES: Final = (
    FORMAT,
    "open_gap",
    "unknown_gap",
    "instruction_copied",
    "forbidden_digits",
    "value_missing",
    "wrong_person",
    "quotation_marks",
    "equal_parts",
    "same_texts",
    "parameters",
    "repeats",
)
"""The rules in the order in which they are judged."""
_BRACKETS: Final = re.compile(r"\[\[|\]\]|\{\{|\}\}|\[[^\]]*\]")
_NO_DIGITS: Final = re.compile(
    r"\b(?:do not|don't|never|without)\b[^.;]*\b(?:numbers?|digits?|figures?)\b|\bno (?:numbers?|digits?)\b",
    re.IGNORECASE,
)
_SPEAKER: Final = re.compile(
    r"(?<![\w.])(?<!Type )(?<!Phase )(?<!Class )(?<!Level )(?<!Part )(?<!Stage )"
    r"I(?:['’](?:m|ve|ll|d))?(?![\w.-])"
    r"|\b(?:[Mm]y|[Mm]yself|[Ww]e|[Oo]urs?|[Oo]urselves|me|us)\b(?!-)"
)
_QUOTED: Final = re.compile(r"^[\"“„«‘'`]|[\"”“»`]$|(?<=\w)[\"“”„«»](?!\d)|[\"“”„«»](?=\w)")
_PERCENT: Final = re.compile(r"(\d+(?:[.,]\d+)?)\s*(?:%|percent\b|per cent\b)", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+")
_LEAST_WORDS_COPIED: Final = 5


@dataclass(frozen=True, slots=True)
class FillFault:
    """A rule that was broken, and a sentence that says how."""

    rule: str
    why: str


def folded(text: str) -> str:
    """The words of a text, in lower case."""
    return " ".join(_WORD.findall(text.casefold()))


def fill_faults(
    template: CaseTemplate, gap: TemplatePart, fill: str, values: Mapping[str, str]
) -> Iterator[FillFault]:
    """What is wrong with the fill of one gap by itself."""
    named = f"“{shown(gap.text)}”"
    if not fill.strip() or _BRACKETS.search(fill):
        yield FillFault("open_gap", f"The gap {named} is still open: it is empty or holds brackets.")
        return
    if _is_copied(instruction_text(gap, values, {}), fill):
        yield FillFault("instruction_copied", f"The gap {named} holds its own instruction.")
    if _NO_DIGITS.search(gap.text) and any(character.isdecimal() for character in fill):
        yield FillFault("forbidden_digits", f"The gap {named} holds a digit, which its instruction forbids.")
    yield from _value_faults(template, gap, fill, values)
    if match := _SPEAKER.search(fill):
        yield FillFault("wrong_person", f"The gap {named} speaks of “{match[0]}”; speak of “you”.")
    if _QUOTED.search(fill.strip()):
        yield FillFault("quotation_marks", f"The gap {named} holds quotation marks; leave them out.")


def _is_copied(instruction: str, fill: str) -> bool:
    told, said = folded(instruction), folded(fill)
    if not told or len(told) < 3:
        return False
    is_long = len(told.split()) >= _LEAST_WORDS_COPIED
    return said == told or (is_long and f" {told} " in f" {said} ")


def _value_faults(
    template: CaseTemplate, gap: TemplatePart, fill: str, values: Mapping[str, str]
) -> Iterator[FillFault]:
    """Numbers of a gap must be told, and no other choice of a list may be told in their place."""
    for part in parts_of_kind(gap.parts, "value"):
        value, content = template.values.get(part.text), values[part.text]
        if isinstance(value, NumberValue | ComputedValue):
            if not re.search(rf"(?<![\d.,]){re.escape(content)}(?![\d]|[.,]\d)", fill):
                yield FillFault("value_missing", f"The gap “{shown(gap.text)}” does not tell {content}.")
            elif any(number != content for number in _PERCENT.findall(fill)):
                why = f"The gap “{shown(gap.text)}” tells another share beside {content}."
                yield FillFault("parameters", why)
        elif isinstance(value, ListedValue | VariantValue):
            said = f" {folded(fill)} "
            choices = value.choices if isinstance(value, ListedValue) else value.texts.values()
            others = [other for other in choices if other != content and len(other) > 2]
            if told := [other for other in others if f" {folded(other)} " in said]:
                why = f"The gap “{shown(gap.text)}” tells {shown(told[0])!r}, not {shown(content)!r}."
                yield FillFault("parameters", why)


def reply_faults(
    keys: Sequence[str], fills: Mapping[str, str], before: Mapping[str, str]
) -> Iterator[FillFault]:
    """What is wrong with the keys of a reply: ``keys`` were asked for, and ``before`` filled already."""
    for key in keys:
        if key not in fills:
            yield FillFault("open_gap", f"The gap {key} is still open.")
    for key, fill in fills.items():
        if key in before:
            if folded(before[key]) != folded(fill):
                yield FillFault(
                    "equal_parts", f"The gap {shown(key)} reads otherwise than in the first text."
                )
        elif key not in keys:
            yield FillFault("unknown_gap", f"There is no gap {shown(key)}.")


def whole_faults(
    template: CaseTemplate,
    test: TreatmentTest,
    values: Mapping[str, str],
    known: frozenset[str],
) -> Iterator[FillFault]:
    """What is wrong with a test as a whole; ``known`` are the identities of the tests before it."""
    if _equal_versions(test):
        yield FillFault("same_texts", "The second text is the same as the first one.")
    if test.parameters != _told_parameters(template, test, values):
        yield FillFault("parameters", "The parameters of the score do not follow from the texts.")
    if identity_of(test.control, test.treatment) in known:
        yield FillFault("repeats", "Both texts are those of an earlier case; write others.")


def _equal_versions(test: TreatmentTest) -> bool:
    same_options = test.options_of("control") == test.options_of("treatment")
    return folded(test.control) == folded(test.treatment) and same_options


def _told_parameters(
    template: CaseTemplate, test: TreatmentTest, values: Mapping[str, str]
) -> ScoreParameters | None:
    """The parameters by the values that stand in the texts; None if a text lost one."""
    told = {
        span.name: test.text_of(span.version)[span.start : span.end]
        for span in test.filled
        if span.kind == "value"
    }
    return parameters_for(template, {**values, **told})


def identity_of(control: str, treatment: str) -> str:
    """A digest that two tests share if they are the same but for case, blanks and signs."""
    return sha256(f"{folded(control)}\n{folded(treatment)}".encode()).hexdigest()[:32]


BROKEN_RULES: Final = "broken_rules"
"""The rules that the last fills of a case broke, each with its sentence."""
ASKED_AGAIN: Final = "asked_again"
"""How many replies broke each rule and were asked again."""


@dataclass(slots=True)
class UnfilledTest:
    """One case while its gaps are filled."""

    template: CaseTemplate
    variant: TemplateVariant
    scenario: str
    values: dict[str, str]
    repeat: int
    known: frozenset[str]
    fills: dict[str, str] = field(default_factory=dict)
    faults: tuple[FillFault, ...] = ()
    requests: int = 0
    asked_again: Counter[str] = field(default_factory=Counter)
    sent: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def numbers(self) -> dict[str, str]:
        """The number of each gap, by its instruction: first those of the control, in their order."""
        gaps = dict.fromkeys([*self.variant.control.gaps, *self.variant.treatment.gaps])
        return {gap: str(number) for number, gap in enumerate(gaps, 1)}

    def gaps_of(self, version: TemplateVersion) -> dict[str, TemplatePart]:
        """The gaps of a version that are not filled yet, by number."""
        found = (part for text in version.texts for part in text if part.kind == "gap")
        return {self.numbers[part.text]: part for part in found if part.text not in self.fills}

    def shown_text(self, version: TemplateVersion) -> str:
        """A version for a model: its gaps with their numbers, and its options."""
        numbered = {
            part.text: f"[[{number}: {instruction_text(part, self.values, self.fills)}]]"
            for number, part in self.gaps_of(version).items()
        }
        texts = [self._plain(text, numbered) for text in version.texts]
        sentences, options = texts[: -len(version.options)], texts[-len(version.options) :]
        listed = "\n".join(f"Option {number}: {option}" for number, option in enumerate(options, 1))
        return f"{' '.join(sentences)}\n\n{listed}"

    def _plain(self, text: Sequence[TemplatePart], more: Mapping[str, str] | None = None) -> str:
        fills = {**self.fills, **(more or {})}
        return "".join(piece.text for piece in filled_pieces(text, self.values, fills))

    def payload(self) -> dict[str, Any]:
        """The payload as far as its gaps are filled."""
        given = parameters_for(self.template, self.values)
        payload: dict[str, Any] = {"scenario": self.scenario, "k": given.k, "x1": given.x1, "x2": given.x2}
        spans = []
        for name, version in self.variant.versions:
            texts = [*version.situations, version.prompt]
            pieces = [filled_pieces(text, self.values, self.fills) for text in texts]
            payload[name], found = joined_text(name, pieces)
            spans += [span.model_dump(mode="json") for span in found]
        control, treatment = (
            [self._plain(option) for option in version.options] for _, version in self.variant.versions
        )
        payload |= {"options": control, "filled": spans}
        return payload if treatment == control else {**payload, "treatment_options": treatment}


def asked_values(template: CaseTemplate) -> dict[str, TemplatePart]:
    """The values that the model writes, as gaps by number; each is named as its value."""
    asked = {name: value for name, value in template.values.items() if isinstance(value, AskedValue)}
    return {
        str(number): TemplatePart("gap", name, value.instruction)
        for number, (name, value) in enumerate(asked.items(), 1)
    }


def faults_of_test(filling: UnfilledTest) -> Iterator[FillFault]:
    """What is wrong with a test as a whole, once its gaps are filled."""
    try:
        test = TreatmentTest.model_validate(filling.payload())
    except ValidationError as error:
        yield FillFault(FORMAT, f"The case is not valid: {shown(error.errors()[0]['msg'])}.")
        return
    yield from whole_faults(filling.template, test, filling.values, filling.known)


def drafted(group: str, filling: UnfilledTest) -> Draft:
    """The case with sent and sampled values; the rules that its last fills broke come with it."""
    values: dict[str, JsonValue] = {
        PASSED_RULES: not filling.faults,
        "sampled_values": dict(filling.values),
        "sent_parameters": dict(filling.sent),
        "fill_requests": filling.requests,
    }
    if filling.asked_again:
        values[ASKED_AGAIN] = dict(filling.asked_again)
    if filling.faults:
        values[BROKEN_RULES] = [[fault.rule, fault.why] for fault in filling.faults]
    return Draft(group, filling.payload(), values)
