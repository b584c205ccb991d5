"""How a dilemma pair is edited and repaired: its texts as panes, and the repairs by rule."""

from collections.abc import Callable, Mapping
from functools import partial

from pydantic import ValidationError

from reviewer.core.sanitize import strange_character
from reviewer.oracle.evidence import Evidence
from reviewer.protocols.probe_swe import repair_rules
from reviewer.protocols.probe_swe.dilemma import Dilemma
from reviewer.protocols.probe_swe.option_exchange import exchanged_options, other_option_name
from reviewer.protocols.prompts import PromptPlan
from reviewer.protocols.repairs import (
    PROPOSAL_PLACEHOLDERS,
    ContentError,
    EditorPane,
    NotRepaired,
    RepairRule,
    Repairs,
)
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


def exchange_options(case: Case, _evidence: Evidence) -> Case | NotRepaired:
    """Exchange the two options in all texts and programs, so that the other one is right."""
    exchanged = exchanged_options(Dilemma.model_validate(case.payload))
    if isinstance(exchanged, NotRepaired):
        return exchanged
    return Case.of(case.protocol, case.group, case.payload_version, exchanged.model_dump(mode="json"))


TextChange = Callable[[Mapping[str, str], Evidence], Mapping[str, str] | NotRepaired]
EXCHANGE = RepairRule(
    "exchange-options",
    str(exchange_options.__doc__),
    (),
    exchange_options,
    other_option_name,
    "Steps differ only where a program sorts or compares the options by name.",
)


def _rule(name: str, change: TextChange, *mends: str) -> RepairRule:
    """The rule that makes a change of some texts."""
    does = str(change.__doc__).partition("\n")[0]
    return RepairRule(name, does, mends, partial(_with_changed_texts, change))


def _with_changed_texts(change: TextChange, case: Case, evidence: Evidence) -> Case | NotRepaired:
    texts = change({key: str(case.payload.get(key) or "") for key in _ORDER}, evidence)
    if isinstance(texts, NotRepaired):
        return texts
    try:
        return REPAIRS.edited(case, texts)
    except ContentError as error:
        return NotRepaired(str(error))


class DilemmaRepairs(Repairs):
    """Both texts, the axioms, their words, and both programs."""

    prompts = PromptPlan("reviewer.protocols.probe_swe", {"repair": PROPOSAL_PLACEHOLDERS})
    exchange = EXCHANGE
    rules = (
        EXCHANGE,
        _rule("remove-unused-facts", repair_rules.remove_unused_facts, "unused_facts"),
        _rule("quote-names", repair_rules.quote_names, "fact_holds_of_all", "load_messages"),
        _rule("drop-lost-clauses", repair_rules.drop_lost_clauses, "lost_clauses", "load_messages"),
        _rule("add-default", repair_rules.add_default, "one_option_only", "no_option"),
        _rule("clear-axioms", repair_rules.clear_axioms_of_options, "option_in_axioms"),
    )

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
