"""Answers of models to dilemmas as an implementation of the contract: experts judge what was answered."""

from collections.abc import Iterator, Mapping, Sequence

from reviewer.core.pane import Pane, Text
from reviewer.core.question import Question
from reviewer.protocols.base import Contradiction, Protocol
from reviewer.protocols.common_panes import panes_after_answer
from reviewer.protocols.probe_swe.answer_questions import (
    ANSWER_QUESTIONS,
    ENDORSES,
    MAIN_REASON,
    NOTICES,
    OTHER_REASON,
    READ_RIGHTLY,
    SUPPORTED,
)
from reviewer.protocols.probe_swe.answered_dilemma import AnsweredDilemma, option_words
from reviewer.protocols.probe_swe.dilemma import BIASES
from store.records import Case, Finding, Measurement


class DilemmaAnswers(Protocol):
    """A model's answer to one version of a dilemma, with the decision that was read of it."""

    name = "probe-swe-answers"
    title = "PROBE-SWE answers"
    about = (
        "A case is a model's answer to one version of a dilemma of software engineering: the text that was "
        "put with its cue marked, the reply, and the decision that was read of it. It does not name the "
        "model."
    )
    payload_model = AnsweredDilemma
    payload_version = 1
    headline_field = "reply"
    groups = BIASES
    group_noun = "bias"
    questions = ANSWER_QUESTIONS
    themed = MAIN_REASON.key, OTHER_REASON
    taken_by_name = True
    # Following a cue is a way of mentioning it, and a decision that was not made cannot be supported. Each
    # can still be right: a reply may bring a reason of the bias that the text does not have, and may argue
    # for the option that was read and then decide for none.
    contradictions = (
        Contradiction(
            {ENDORSES.key: "yes", NOTICES.key: "no"},
            "Both are right only if the explanation brings a reason of the bias that is not in the marked "
            "words.",
        ),
        Contradiction(
            {READ_RIGHTLY.key: "no", SUPPORTED.key: "yes"},
            "Both are right only if the explanation speaks for the option that was read, and the reply "
            "decides for the other one.",
        ),
        Contradiction(
            {READ_RIGHTLY.key: "neither", SUPPORTED.key: "yes"},
            "Both are right only if the explanation speaks for the option that was read, and the reply still "
            "decides for none.",
        ),
    )

    def asks(self, question: Question, case: Case) -> bool:
        """Every question; *supported* only if a decision was read."""
        return question.key != SUPPORTED.key or bool(case.payload["decision"])

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The bias, its definition, and the decision that was read."""
        definition = self.group(case.group).definition
        decision = option_words(str(case.payload["decision"]))
        return {"bias": case.group, "definition": definition, "decision": decision}

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The reply, the text that was put, and the bias with what was read and what logic decides."""
        return list(_panes(AnsweredDilemma.model_validate(case.payload), case.group, measurements, findings))


def _panes(
    answered: AnsweredDilemma, bias: str, measurements: Sequence[Measurement], findings: Sequence[Finding]
) -> Iterator[Pane]:
    yield Pane("answer", "reply", Text(answered.reply))
    yield Pane("text", "text that was put", Text(answered.text, marks=answered.cue))
    yield Pane("bias", bias, Text(_bias_text(answered, bias)))
    yield from panes_after_answer(measurements, findings)


def _bias_text(answered: AnsweredDilemma, bias: str) -> str:
    definition = next(group.definition for group in BIASES if group.name == bias)
    cue = "Its cue is marked in the text." if answered.cue else "Nothing is marked in the text."
    read = f"The reply was read as deciding for {option_words(answered.decision)}."
    return f"{definition}\n\n{cue}\n\n{read} {_logic_text(answered.accepted)}"


def _logic_text(accepted: str) -> str:
    if not accepted:
        return "What logic decides is not known."
    return f"Logic accepts option {accepted} and rejects option {'B' if accepted == 'A' else 'A'}."


ANSWERS = DilemmaAnswers()
