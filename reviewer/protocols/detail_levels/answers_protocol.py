"""Free answers as an implementation of the contract: people say which choice an answer took."""

from collections.abc import Mapping, Sequence

from reviewer.core.pane import Pane, Text
from reviewer.core.question import DecidedExample, Question, with_examples
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import Protocol, Value
from reviewer.protocols.detail_levels.answered_level import AnsweredLevel
from reviewer.protocols.detail_levels.level_instance import LETTERS
from reviewer.protocols.detail_levels.panes import choice_table, panes_after_answer
from store.records import Case, Finding, Measurement

READING, READING_REMARK = "reading", "reading_remark"
KNOWN, KIND = "known_choice", "kind_of_answer"
"""The choice that an answer of our own was written to take, and how it takes it."""
NO_CHOICE = "none"

CHOICE_TAKEN = Question(
    key="choice_taken",
    title="choice taken",
    prompt="Which choice did the answer take?",
    guideline=with_examples(
        "Choose the letter of the choice that the answer ends up with, also if it names others on the way. "
        "none: the answer takes no choice, takes several, or takes one that is not listed.",
        (
            DecidedExample(
                case="A. by plane, B. by car. “Cars feel safer, but I would fly.”",
                label="A",
                why="The answer names both and ends up with the plane.",
            ),
            DecidedExample(
                case="A. by plane, B. by car. “Both have their merits.”",
                label=NO_CHOICE,
                why="The answer takes neither.",
            ),
        ),
    ),
    labels=(*LETTERS, NO_CHOICE),
    shows=("answer", "choices"),
    beside=("text",),
    reveals=("published", "findings"),
)


class LevelAnswers(Protocol):
    """A free answer to a scenario with choices; the reader's choice is set against people's."""

    name = "level-answers"
    title = "Answers at levels of detail"
    about = (
        "A case is a scenario with choices and a model's free answer to it. People say which choice it took."
    )
    payload_model = AnsweredLevel
    payload_version = 1
    group_noun = "bias"
    questions = (CHOICE_TAKEN,)
    values = (
        Value(READING, CHOICE_TAKEN.key, {label: label for label in CHOICE_TAKEN.labels}, "reader"),
        *(Value(name, CHOICE_TAKEN.key) for name in (READING_REMARK, KNOWN, KIND)),
    )
    taken_by_name = True
    example_folder = "detail_levels"

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The prompt has no placeholder."""
        return {}

    def headline(self, case: Case) -> str:
        """The beginning of the answer."""
        return one_line(str(case.payload["answer"]), 120)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The answer, the choices and the scenario; afterwards what the reader made of the answer."""
        answered = AnsweredLevel.model_validate(case.payload)
        return [
            Pane("answer", "answer", Text(answered.answer)),
            Pane("choices", "choices", choice_table(answered.choices)),
            Pane("text", "scenario", Text(answered.text)),
            *panes_after_answer(measurements, findings),
        ]


ANSWERS = LevelAnswers()
