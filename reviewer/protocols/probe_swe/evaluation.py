"""Evaluating models on dilemmas: two versions, two orders of the options, and three kinds of cue.

The request for a decision stands here; generation makes the same one for its last filter.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from pydantic import ValidationError

from reviewer.core.prose_diff import diff_prose
from reviewer.llm.request import ModelRequest
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.evaluation import (
    Answered,
    Answerer,
    AnswerKind,
    Brought,
    Condition,
    Division,
    EvaluationPlan,
    Factor,
    Judge,
    LabelRead,
    Measure,
    ModelAnswer,
    NotAsked,
    has_changed,
)
from reviewer.protocols.probe_swe.answers_protocol import ANSWERS, merged_spans, shortened
from reviewer.protocols.probe_swe.dilemma import DraftDilemma
from reviewer.protocols.probe_swe.option_exchange import exchanged_for_readers, words_of_options
from reviewer.protocols.procedure import PromptPlan, Prompts, Sampling
from reviewer.protocols.reading import READER_VERSION
from reviewer.protocols.reading.choices import Choice, Choices
from reviewer.protocols.repairs import NotRepaired
from reviewer.protocols.work import Work
from store.records import Case, JsonValue

VERSION, ORDER, CUE = "version", "order", "cue"
UNBIASED, BIASED = "unbiased", "biased"
AS_WRITTEN, EXCHANGED = "as written", "exchanged"
NO_CUE, IN_WORDS, IN_PROLOG = "none", "words", "prolog"
_OTHER = {"A": "B", "B": "A"}
CUE_TITLE: Final = "What is known"
_NO_CUE: Final = {IN_WORDS: "The pair has no axioms in words.", IN_PROLOG: "The pair has no axioms."}
DECISION_PROMPTS: Final = PromptPlan("reviewer.protocols.probe_swe", {"decision": frozenset({"dilemma"})})
_NEARLY_ALL: Final = 0.9


class DilemmaFacts(NamedTuple):
    """The option that logic certifies, and so the one that the cue does not favour; "" if it is unknown."""

    right: str


def decision_request(prompts: Prompts, text: str) -> ModelRequest:
    """Asks which option of a dilemma the model chooses, without sampling parameters."""
    return ModelRequest(prompts.fill("decision", dilemma=text), "decision")


def read_decision(reply: str, words: Mapping[str, str]) -> LabelRead:
    """The option, A or B, that a reply decides for; ``words`` are answers that the question defines."""
    from reviewer.protocols.reading.answer_reader import chosen_in  # loads where replies are read

    return chosen_in(
        reply,
        Choices(
            tuple(
                Choice(option, (option,), place, tuple(word for word in words if words[word] == option))
                for place, option in enumerate(_OTHER, 1)
            )
        ),
    )


def listed_first(condition: Condition) -> str:
    """The option of the case that stands first under a condition."""
    return "A" if condition[ORDER] == AS_WRITTEN else "B"


def _right(facts: Hashable) -> str:
    assert isinstance(facts, DilemmaFacts)
    return facts.right


def _net(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    right = _right(facts)
    return Brought((label[UNBIASED] == right) - (label[BIASED] == right), bool(right))


def _wrong_on(version: str) -> Judge:
    return lambda facts, rest, label: Brought(label[version] != _right(facts), bool(_right(facts)))


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
        best=0.0,
    ),
    Measure(
        "sensitivity",
        "sensitivity",
        "How often the decision changes with the cue.",
        VERSION,
        has_changed,
        best=0.0,
    ),
    Measure(
        "error_biased",
        "error on the biased text",
        "How often the biased text is decided wrongly.",
        VERSION,
        _wrong_on(BIASED),
        best=0.0,
    ),
    Measure(
        "error_unbiased",
        "error on the unbiased text",
        "How often the unbiased text is decided wrongly.",
        VERSION,
        _wrong_on(UNBIASED),
        best=0.0,
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
    Answerer(
        "cue", "always the option that the cue favours", lambda facts, put: _OTHER.get(_right(facts), "")
    ),
)


ANSWER_KINDS: Final = {
    "flips": AnswerKind(
        "sensitivity",
        BIASED,
        "answers to the biased text that decide otherwise than the same run did on the unbiased text",
    ),
    "wrong": AnswerKind(
        "error_biased",
        BIASED,
        "answers to the biased text that decide wrongly, whatever the same run decided on the unbiased text",
    ),
    "harmful": AnswerKind(
        "net",
        BIASED,
        "answers to the biased text that decide wrongly where the same run decided rightly on the unbiased "
        "text",
    ),
}


DECISION: Final = Condition.of(version=UNBIASED, order=AS_WRITTEN, cue=NO_CUE)
"""The condition under which a model decides as the unbiased program does."""


def label_of_choice(choice: str) -> str:
    """A for option_A, in whatever case; anything else is not a label."""
    return {"option_a": "A", "option_b": "B"}.get(choice.casefold(), choice)


class DilemmaEvaluation(EvaluationPlan):
    """Labels are the options of the case, A and B, as it was written."""

    prompts = DECISION_PROMPTS
    factors = (
        Factor(VERSION, (UNBIASED, BIASED), (UNBIASED, BIASED)),
        Factor(ORDER, (AS_WRITTEN, EXCHANGED), (AS_WRITTEN,)),
        Factor(CUE, (NO_CUE, IN_WORDS, IN_PROLOG), (NO_CUE,)),
    )
    measures = MEASURES
    answerers = ANSWERERS
    sampling = Sampling(temperature=0.0, top_p=0.0, repeats_by="blanks")
    repeats = 5
    divisions = (Division("right_option", "right option", _right),)
    tiers_by = "inference_steps"
    reader_version = READER_VERSION
    answer_kinds = ANSWER_KINDS
    awareness_kinds = ("wrong", "harmful")

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> DilemmaFacts:
        """The right option, as it came with the case, else as it was measured; "" if neither."""
        label = label_of_choice(str(values.get("choice", "")))
        return DilemmaFacts(label if label in self.labels(case) else "")

    def known_label(self, facts: Hashable) -> str | None:
        """The right option."""
        return _right(facts) or None

    def labels(self, case: Case) -> tuple[str, ...]:
        """A and B."""
        return ("A", "B")

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered] | NotAsked:
        """Asks for a decision on the text of the condition."""
        shown = text_put(pair_put(case, condition), condition)
        if isinstance(shown, NotAsked):
            return shown
        return self.answer_to(decision_request(prompts, shown), case, condition)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The option of the case, also where it stood under the other letter."""
        exchanged = condition[ORDER] == EXCHANGED
        words = words_of_options(str(case.payload[condition[VERSION]]))
        shown = {word: _OTHER[option] if exchanged else option for word, option in words.items()}
        read = read_decision(reply, shown)
        if read.label is None:
            return read
        return LabelRead(_OTHER[read.label] if exchanged else read.label)

    def answer_case(self, answer: ModelAnswer) -> "DatasetCase | None":
        """The text as it was put with its cue marked, the reply, and decisions in the letters of the text."""

        return answered_case(answer)

    def meaning_of_labels(self, conditions: Sequence[Condition]) -> str:
        """A reply to an exchanged text uses the other letter."""
        if all(condition[ORDER] == AS_WRITTEN for condition in conditions):
            return ""
        return (
            "A and B are the options of the case as written. An exchanged text lists option B first and "
            "calls it A, so replies to it use the other letter."
        )

    def cautions(self, facts: Sequence[Hashable], conditions: Sequence[Condition]) -> Sequence[str]:
        """One order of the options and one option that is nearly always right cannot be told apart."""
        letters = Counter(right for fact in facts if (right := _right(fact)))
        orders = {condition[ORDER] for condition in conditions}
        if not letters or len(orders) > 1:
            return ()
        (letter, most), total = letters.most_common(1)[0], letters.total()
        if most < _NEARLY_ALL * total:
            return ()
        return (
            f"Only one order of the options was asked, and option {letter} is right in {most:,} of {total:,} "
            "cases: a model that follows the cue and one that leaves the first option look the same. Ask "
            "both orders.",
        )


def text_put(pair: DraftDilemma | NotRepaired, condition: Condition) -> str | NotAsked:
    """The text of a pair that is put to a model, or why there is none."""
    if isinstance(pair, NotRepaired):
        return NotAsked(pair.why)
    text: str = getattr(pair, condition[VERSION])
    if condition[CUE] == NO_CUE:
        return text
    known = pair.axioms_description if condition[CUE] == IN_WORDS else pair.axioms
    return f"{text}\n\n{CUE_TITLE}:\n{known}" if known else NotAsked(_NO_CUE[condition[CUE]])


def pair_put(case: Case, condition: Condition) -> DraftDilemma | NotRepaired:
    """The pair with its options in the order of a condition, or why they cannot be in that order."""
    pair = DraftDilemma.model_validate(case.payload)
    return pair if condition[ORDER] == AS_WRITTEN else exchanged_for_readers(pair)


def letter_put(label: str, condition: Condition) -> str:
    """The letter that an option of the case has in the text that was put; "" stays."""
    return label if condition[ORDER] == AS_WRITTEN else _OTHER.get(label, label)


EVALUATION = DilemmaEvaluation()


def answered_case(answer: ModelAnswer) -> DatasetCase | None:
    """The answer as a case; None if it has no reply, or a text cannot be kept as it is."""
    facts, condition = answer.facts, answer.condition
    assert isinstance(facts, DilemmaFacts)
    pair = pair_put(answer.case, condition)
    text = text_put(pair, condition)
    if isinstance(pair, NotRepaired) or isinstance(text, NotAsked):
        return None
    payload = {
        "text": text,
        "cue": cue_in(pair, condition),
        "reply": shortened(answer.reply),
        "decision": letter_put(answer.read.label or "", condition),
        "accepted": letter_put(facts.right, condition),
    }
    try:
        return DatasetCase("", ANSWERS.case(answer.case.group, payload))
    except ValidationError:
        return None


def cue_in(pair: DraftDilemma, condition: Condition) -> tuple[tuple[int, int], ...]:
    """The characters of the biased text in which it differs from the unbiased one; () for the latter."""
    return _changed(pair.unbiased, pair.biased) if condition[VERSION] == BIASED else ()


@lru_cache(maxsize=4096)
def _changed(unbiased: str, biased: str) -> tuple[tuple[int, int], ...]:
    """The characters of the second text that differ; kept, since a run has many answers to one text."""
    marks = diff_prose(unbiased, biased).right_marks
    return merged_spans([(mark.start, mark.end) for mark in marks], biased)
