"""Answers of models to dilemmas as an implementation of the contract: experts judge what was answered.

A payload has what was put to a model, its reply, and what was read of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from reviewer.core.pane import Pane, Text
from reviewer.core.question import Question
from reviewer.protocols.base import Contradiction, Protocol
from reviewer.protocols.common_panes import panes_after_answer
from reviewer.protocols.payload_text import FilledText
from reviewer.protocols.probe_swe.answer_questions import (
    ANSWER_QUESTIONS,
    ENDORSES,
    MAIN_REASON,
    NOTICES,
    OTHER_REASON,
    READ_RIGHTLY,
    SUPPORTED,
)
from reviewer.protocols.probe_swe.dilemma import BIASES
from store.records import Case, Finding, Measurement

Letter = Literal["A", "B", ""]
"""An option by its letter in the text that was put; "" if there is none."""
MOST_CHARACTERS: Final = 20_000


class AnsweredDilemma(BaseModel):
    """An answer to one version of a dilemma. It names no model, no run, no repeat and no version.

    ``cue`` holds the characters (start, end) in which the text differs from the version without a cue.
    ``decision`` is the option that was read, and ``accepted`` the one that logic accepts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: FilledText
    cue: Annotated[tuple[tuple[int, int], ...], Field(strict=False, max_length=1_000)] = ()
    reply: FilledText
    decision: Letter
    accepted: Letter = ""

    @model_validator(mode="before")
    @classmethod
    def _spans_from_json(cls, value: object) -> object:
        """JSON has lists for spans."""
        if isinstance(value, dict) and isinstance(value.get("cue"), list):
            return {**value, "cue": tuple(tuple(s) if isinstance(s, list) else s for s in value["cue"])}
        return value

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if any(not 0 <= start < end <= len(self.text) for start, end in self.cue):
            raise ValueError("a part of the cue ends outside the text; correct its start and end")
        return self


def shortened(reply: str) -> str:
    """The reply with its middle left out, and how much that was, if it is too long to be read."""
    left_out = len(reply) - MOST_CHARACTERS
    if left_out <= 0:
        return reply
    half = MOST_CHARACTERS // 2
    return f"{reply[:half]}\n\n[{left_out:,} characters left out]\n\n{reply[-half:]}"


def option_words(letter: str) -> str:
    """ "option A", or "neither option"."""
    return f"option {letter}" if letter else "neither option"


def merged_spans(spans: Sequence[tuple[int, int]], text: str) -> tuple[tuple[int, int], ...]:
    """The spans without blanks at their ends; those with nothing but blanks between them are one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        if start >= end:
            continue
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)


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
