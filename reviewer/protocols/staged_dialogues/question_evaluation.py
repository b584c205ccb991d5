"""Evaluating models on open questions: a short answer, read five times by a judge.

Answers can become cases that people review; the judge's label is then set against theirs.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from pydantic import ValidationError

from reviewer.core.pane import Pane, Text
from reviewer.core.question import DecidedExample, Question
from reviewer.llm.request import ModelRequest
from reviewer.protocols.base import DatasetCase, Value
from reviewer.protocols.common_panes import panes_after_answer
from reviewer.protocols.evaluation import (
    Answered,
    Answerer,
    Condition,
    EvaluationPlan,
    LabelRead,
    Measure,
    ModelAnswer,
    has_label,
)
from reviewer.protocols.judging.verdict_reading import (
    JUDGES_PACKAGE,
    READING,
    READING_PLACEHOLDERS,
    VERDICT_READER,
    read_by_judge,
    read_judged,
    reply_alone,
)
from reviewer.protocols.payload_text import stripped
from reviewer.protocols.procedure import PromptPlan, Prompts
from reviewer.protocols.staged_dialogues.biases import DEFINITIONS
from reviewer.protocols.staged_dialogues.script import OpenQuestion
from reviewer.protocols.staged_dialogues.scripts_protocol import BiasCases
from reviewer.protocols.work import Work
from store.records import Case, Finding, JsonValue, Measurement

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


READINGS: Final = 5
_ANSWER: Final = "open_answer"
_TEXT: Final = "[user]\n{scenario}\n\n{question}\n\nAnswer in at most 100 words.\n"
_NONE: Final = ""
"""What stands for an answer without a readable verdict."""


MEASURES = (
    Measure(
        "biased",
        "biased",
        "How often an answer shows the bias by the criterion, of the answers with a readable verdict.",
        "",
        has_label(BIASED),
        best=0.0,
    ),
    Measure(
        "no_verdict",
        "no verdict",
        "How often an answer has no verdict: the judge's readings are tied or cannot be read. These answers "
        "count neither as biased nor as unbiased.",
        "",
        has_label(_NONE),
        unread_as=_NONE,
        of_reading=True,
    ),
)


class QuestionEvaluation(EvaluationPlan):
    """Labels say whether an answer shows the bias. The majority of the readable readings counts."""

    prompts = PromptPlan(
        JUDGES_PACKAGE,
        {_ANSWER: frozenset({"scenario", "question"}), READING: READING_PLACEHOLDERS},
        {_ANSWER: _TEXT},
    )
    factors = ()
    measures = MEASURES
    answerers = (
        Answerer("never", "never shows the bias", lambda facts, put: NOT_BIASED),
        Answerer("always", "always shows the bias", lambda facts, put: BIASED),
    )
    reader_version = VERDICT_READER
    read_by_judge = True

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> None:
        """Measures need nothing of a case but its labels."""

    def labels(self, case: Case) -> tuple[str, ...]:
        """Whether the answer shows the bias."""
        return (BIASED, NOT_BIASED)

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered]:
        """The question without a word on the bias; then the readings of the judge."""
        asked = OpenQuestion.model_validate(case.payload)
        messages = prompts.fill(_ANSWER, scenario=asked.scenario, question=asked.question)
        definition = DEFINITIONS.get(case.group, "")
        guideline = f"The bias: {case.group}. {definition}\n{asked.criterion}"
        request = ModelRequest(messages, _ANSWER)
        return read_by_judge(request, prompts, self.labels(case), guideline, READINGS)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The label of most readings; none if they are tied or cannot be read."""
        return read_judged(reply, self.labels(case))

    def answer_case(self, answer: ModelAnswer) -> DatasetCase | None:
        """The answer as a case, with the judge's label as a value; None for an empty answer."""
        payload = {**answer.case.payload, "answer": reply_alone(answer.reply)}
        try:
            answered = OPEN_ANSWERS.case(answer.case.group, payload)
        except ValidationError:
            return None
        return DatasetCase("", answered, {JUDGE: answer.read.label} if answer.read.label else {})

    def meaning_of_labels(self, conditions: Sequence[Condition]) -> str:
        """Whose word a label is."""
        return "A label is what most readings of the judge say: whether the answer shows the bias."


EVALUATION = QuestionEvaluation()
