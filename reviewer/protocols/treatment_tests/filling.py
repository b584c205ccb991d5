"""One test while its gaps are filled: what a model is shown, and what becomes of its fills."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from reviewer.core.sanitize import shown
from reviewer.protocols.generation import Draft
from reviewer.protocols.templates.case_template import CaseTemplate, TemplateVariant, TemplateVersion
from reviewer.protocols.templates.gap_text import TemplatePart, filled_pieces, instruction_text
from reviewer.protocols.templates.template_values import AskedValue
from reviewer.protocols.treatment_tests.fill_rules import FORMAT, FillFault, whole_faults
from reviewer.protocols.treatment_tests.questions import PASSED_RULES
from reviewer.protocols.treatment_tests.score import parameters_for
from reviewer.protocols.treatment_tests.treatment_test import TreatmentTest, joined_text
from store.records import JsonValue

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
    """The case with what was sent and sampled; the rules that its last fills broke come with it."""
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
