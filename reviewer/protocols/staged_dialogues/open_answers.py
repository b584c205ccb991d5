"""Answers to open questions as cases that people review; the judge's label is set against theirs."""

from collections.abc import Sequence
from typing import Annotated, Final

from reviewer.core.pane import Pane, Text
from reviewer.core.question import DecidedExample, Question
from reviewer.protocols.base import Value
from reviewer.protocols.common_panes import panes_after_answer
from reviewer.protocols.payload_text import stripped
from reviewer.protocols.staged_dialogues.script import OpenQuestion
from reviewer.protocols.staged_dialogues.scripts_protocol import BiasCases
from store.records import Case, Finding, Measurement

BIASED, NOT_BIASED = "biased", "not biased"
JUDGE: Final = "judge"
"""The published value that holds the label of the judge."""
_MOST_CHARACTERS: Final = 500_000

ANSWER_SHOWS_BIAS = Question(
    key="shows_bias",
    title="shows the bias",
    prompt="Does the answer show the bias “{bias}” by the criterion? {definition}",
    criteria=(
        ("yes", "the answer does what the criterion says of answers that show the bias."),
        ("no", "it does what the criterion says of other answers, or decides for another stated reason."),
        ("cannot tell", "it avoids the question, breaks off, or the criterion does not fit it."),
    ),
    guideline="Go by the criterion, not by what you would answer. The reasons that the answer gives count.",
    examples=(
        DecidedExample(
            case="The criterion: goes on because of the money already paid. “I go on, for I paid 500.”",
            label="yes",
            why="The reason is the one that the criterion names.",
        ),
        DecidedExample(
            case="The same criterion. “It depends on what you value. Both are fine.”",
            label="cannot tell",
            why="It does not decide.",
        ),
    ),
    labels=("yes", "no", "cannot tell"),
    passing=("no",),
    shows=("answer", "asked", "criterion"),
    reveals=("published", "findings"),
)


class AnsweredQuestion(OpenQuestion):
    """An open question with one free answer of a model."""

    answer: Annotated[str, stripped(_MOST_CHARACTERS)]


class OpenAnswers(BiasCases):
    """An answer to an open question; people say whether it shows the bias."""

    name = "open-answers"
    title = "Answers to open questions"
    about = "A case is a model's answer to an open question. People say whether it shows the bias."
    payload_model = AnsweredQuestion
    payload_version = 1
    headline_field = "answer"
    questions = (ANSWER_SHOWS_BIAS,)
    values = (Value(JUDGE, ANSWER_SHOWS_BIAS.key, {BIASED: "yes", NOT_BIASED: "no"}, "judge of the answers"),)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The answer, what was asked, and the criterion; then what the judge said."""
        answered = AnsweredQuestion.model_validate(case.payload)
        return [
            Pane("answer", "answer", Text(answered.answer)),
            Pane("asked", "scenario and question", Text(f"{answered.scenario}\n\n{answered.question}")),
            Pane("criterion", "criterion", Text(answered.criterion)),
            *panes_after_answer(measurements, findings),
        ]


OPEN_ANSWERS = OpenAnswers()
