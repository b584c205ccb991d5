"""Evaluating models on dilemmas: two versions, two orders of the options, and three kinds of cue."""

from collections.abc import Hashable, Mapping
from typing import Final, NamedTuple

from reviewer.llm.request import ModelRequest
from reviewer.protocols.evaluation import (
    Answerer,
    Brought,
    Condition,
    EvaluationPlan,
    Factor,
    LabelRead,
    Measure,
    NotAsked,
)
from reviewer.protocols.probe_swe.decision_reading import READER_VERSION, read_decision
from reviewer.protocols.probe_swe.dilemma import Dilemma, DraftDilemma
from reviewer.protocols.probe_swe.generation_settings import ProbeSweSettings
from reviewer.protocols.probe_swe.option_exchange import exchanged_options, words_of_options
from reviewer.protocols.probe_swe.prompting import PROMPTS, Requests
from reviewer.protocols.prompts import PromptPlan, Prompts
from reviewer.protocols.repairs import NotRepaired
from store.records import Case, JsonValue

VERSION, ORDER, CUE = "version", "order", "cue"
UNBIASED, BIASED = "unbiased", "biased"
AS_WRITTEN, EXCHANGED = "as written", "exchanged"
NO_CUE, IN_WORDS, IN_PROLOG = "none", "words", "prolog"
_OTHER = {"A": "B", "B": "A"}
_CUE_TITLE: Final = "What is known"


class DilemmaFacts(NamedTuple):
    """The option that logic certifies, and so the one that the cue does not favour."""

    right: str


def listed_first(condition: Condition) -> str:
    """The option of the case that stands first under a condition."""
    return "A" if condition[ORDER] == AS_WRITTEN else "B"


def _right(facts: Hashable) -> str:
    assert isinstance(facts, DilemmaFacts)
    return facts.right


def _changed(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(label[UNBIASED] != label[BIASED])


def _net(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    right = _right(facts)
    return Brought((label[UNBIASED] == right) - (label[BIASED] == right))


def _wrong_on_biased(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(label[BIASED] != _right(facts))


def _wrong_on_unbiased(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(label[UNBIASED] != _right(facts))


def _first(facts: Hashable, condition: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(label[""] == listed_first(condition))


MEASURES = (
    Measure(
        "net",
        "net effect",
        "How much more often a decision goes from right to wrong than back.",
        VERSION,
        _net,
        least=-1.0,
    ),
    Measure("sensitivity", "sensitivity", "How often the decision changes with the cue.", VERSION, _changed),
    Measure(
        "error_biased",
        "error on the biased text",
        "How often the biased text is decided wrongly.",
        VERSION,
        _wrong_on_biased,
    ),
    Measure(
        "error_unbiased",
        "error on the unbiased text",
        "How often the unbiased text is decided wrongly.",
        VERSION,
        _wrong_on_unbiased,
    ),
    Measure(
        "first_listed",
        "first option chosen",
        "How often the option that is listed first is chosen.",
        "",
        _first,
    ),
)
ANSWERERS = (
    Answerer("first", "always the option listed first", lambda facts, put: listed_first(put)),
    Answerer("second", "always the option listed second", lambda facts, put: _OTHER[listed_first(put)]),
    Answerer("cue", "always the option that the cue favours", lambda facts, put: _OTHER[_right(facts)]),
)


class DilemmaEvaluation(EvaluationPlan):
    """Labels are the options of the case, A and B, as it was written."""

    prompts = PromptPlan(PROMPTS.package, {"decision": PROMPTS.placeholders["decision"]})
    factors = (
        Factor(VERSION, (UNBIASED, BIASED), (UNBIASED, BIASED)),
        Factor(ORDER, (AS_WRITTEN, EXCHANGED), (AS_WRITTEN,)),
        Factor(CUE, (NO_CUE, IN_WORDS, IN_PROLOG), (NO_CUE,)),
    )
    measures = MEASURES
    answerers = ANSWERERS
    reader_version = READER_VERSION

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> DilemmaFacts:
        """The right option, as it came with the case, else as it was measured; "" if neither."""
        return DilemmaFacts(str(values.get("choice", ""))[-1:].upper())

    def labels(self, case: Case) -> tuple[str, ...]:
        """A and B."""
        return ("A", "B")

    def request(
        self, model: str, prompts: Prompts, case: Case, condition: Condition, repeat: int
    ) -> ModelRequest | NotAsked:
        """The request for a decision; under the usual conditions the one that generation makes."""
        shown = _shown(case, condition)
        if isinstance(shown, NotAsked):
            return shown
        return Requests(model, prompts, ProbeSweSettings()).decision(shown, repeat)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The option of the case, also where it stood under the other letter."""
        shown = _shown(case, condition)
        read = read_decision(reply, words_of_options(shown) if isinstance(shown, str) else {})
        if read.option is None:
            return LabelRead(None, read.why)
        return LabelRead(read.option if condition[ORDER] == AS_WRITTEN else _OTHER[read.option])


def _shown(case: Case, condition: Condition) -> str | NotAsked:
    """The text that is put to a model, or why there is none."""
    pair = _as_put(case, condition[ORDER])
    if isinstance(pair, NotRepaired):
        return NotAsked(pair.why)
    text: str = getattr(pair, condition[VERSION])
    known = {NO_CUE: "", IN_WORDS: pair.axioms_description, IN_PROLOG: pair.axioms}[condition[CUE]]
    return f"{text}\n\n{_CUE_TITLE}:\n{known}" if known else text


def _as_put(case: Case, order: str) -> DraftDilemma | NotRepaired:
    pair = Dilemma.model_validate(case.payload)
    return pair if order == AS_WRITTEN else exchanged_options(pair)
