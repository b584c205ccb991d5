"""How a dilemma pair is edited: its texts as panes, and the pair with edited texts."""

from collections.abc import Mapping

from pydantic import ValidationError

from reviewer.core.sanitize import strange_character
from reviewer.protocols.probe_swe.dilemma import Dilemma
from reviewer.protocols.repairs import ContentError, EditorPane, Repairs
from store.records import Case

_PROSE = {"unbiased": "unbiased text", "biased": "biased text", "axioms_description": "axioms in words"}
_PROGRAMS = {
    "axioms": ("axioms", ("", "axioms")),
    "unbiased_prolog": ("unbiased program", ("unbiased", "facts")),
    "biased_prolog": ("biased program", ("biased", "facts")),
}
_ORDER = ("unbiased", "biased", "axioms", "axioms_description", "unbiased_prolog", "biased_prolog")
# A model rebuilt it from the unedited pair, so it says nothing about the edited one.
_MADE_FROM_THE_PAIR = "reconstructed_unbiased_prompt"


class DilemmaRepairs(Repairs):
    """Both texts, the axioms, their words, and both programs."""

    def editor_panes(self, case: Case) -> tuple[EditorPane, ...]:
        """The six texts, in the order in which a person reads them; a missing one is empty."""
        return tuple(_pane(key, str(case.payload.get(key) or "")) for key in _ORDER)

    def edited(self, case: Case, texts: Mapping[str, str]) -> Case:
        """The pair with the edited texts, without the rebuilt text if anything changes."""
        panes = {key: _pane(key, text) for key, text in texts.items()}
        try:
            pair = Dilemma.model_validate({**case.payload, **texts})
        except ValidationError as error:
            raise _content_error(panes, error) from None
        payload = pair.model_dump(mode="json")
        if all(payload[key] == case.payload.get(key) for key in _ORDER):
            return case
        cleared = {**payload, _MADE_FROM_THE_PAIR: None}
        return Case.of(case.protocol, case.group, case.payload_version, cleared)


REPAIRS = DilemmaRepairs()


def _pane(key: str, text: str) -> EditorPane:
    if key in _PROSE:
        return EditorPane(key, _PROSE[key], "prose", text)
    title, program = _PROGRAMS[key]
    return EditorPane(key, title, "program", text, program)


def _content_error(panes: Mapping[str, EditorPane], error: ValidationError) -> ContentError:
    first = error.errors()[0]
    key = str(first["loc"][0])
    pane = panes.get(key) or _pane(key, "")
    lines = enumerate(pane.text.splitlines(), start=1)
    line = next((number for number, text in lines if strange_character(text)), None)
    wrong = first["msg"].removeprefix("Value error, ")
    return ContentError(pane, line, wrong, "change it, or reset this pane")
