"""Evaluating models on open questions: a short answer, read five times by a judge."""

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import ValidationError

from reviewer.llm.request import ModelRequest
from reviewer.protocols.base import DatasetCase
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
from reviewer.protocols.judging.judge_reader import (
    JUDGES_PACKAGE,
    READING,
    READING_PLACEHOLDERS,
    read_by_judge,
    read_judged,
    reply_alone,
)
from reviewer.protocols.judging.verdict_reading import VERDICT_READER
from reviewer.protocols.prompts import PromptPlan, Prompts
from reviewer.protocols.staged_dialogues.biases import DEFINITIONS
from reviewer.protocols.staged_dialogues.open_answers import BIASED, JUDGE, NOT_BIASED, OPEN_ANSWERS
from reviewer.protocols.staged_dialogues.script import OpenQuestion
from reviewer.protocols.work import Work
from store.records import Case, JsonValue

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
