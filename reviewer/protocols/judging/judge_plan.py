"""How judges are asked: each question of a study is a condition under which a case is put to them."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from reviewer.core.pane import Pair, Pane, Variants
from reviewer.core.question import Question
from reviewer.core.table import Table
from reviewer.llm.request import ModelRequest
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import Answered, Condition, EvaluationPlan, Factor, LabelRead, NotAsked
from reviewer.protocols.judging.verdict_reading import NONE_OF_THEM, VERDICT_READER, read_verdict
from reviewer.protocols.procedure import PromptPlan, Prompts
from reviewer.protocols.work import Work
from store.records import Case, JsonValue, Measurement

_BETWEEN: Final = "\n\n"


def item_text(
    protocol: Protocol,
    question: Question,
    case: Case,
    measurements: Sequence[Measurement],
    *,
    beside: bool = True,
) -> str:
    """The panes that raters see before they answer the question, each below its title.

    Values that are an opinion on a question, or are known only after it, are left out, as are findings.
    """
    due = protocol.shown_with(question.key)
    allowed = [
        value for value in measurements if value.name in due or not protocol.questions_before(value.name)
    ]
    panes = {pane.key: pane for pane in protocol.panes(case, allowed)}
    shown = dict.fromkeys((*question.shows, *(question.beside if beside else ())))
    return _BETWEEN.join(_sections(panes[key] for key in shown if key in panes and not panes[key].held_back))


def _sections(panes: Iterable[Pane]) -> Iterator[str]:
    for pane in panes:
        match pane.body:
            case Pair() as pair:
                yield _section(pair.left_title, pair.left.text)
                yield _section(pair.right_title, pair.right.text)
            case Variants() as variants:
                yield from (_section(title, body.text) for title, body in variants.titled(pane.title).texts)
            case Table() as table:
                yield _section(pane.title, _rows(table))
            case body:
                yield _section(pane.title, body.text)


def _section(title: str, text: str) -> str:
    return f"# {title}\n{text}"


def _rows(table: Table) -> str:
    """A table as lines with strokes between its cells; nothing is cut off."""
    lines = (table.columns, *table.rows)
    return "\n".join(" | ".join("–" if cell is None else str(cell) for cell in line) for line in lines)


QUESTION: Final = "question"
"""The factor whose values are the keys of the questions."""
ONE, SEVERAL = "judge", "judge_several"
"""The prompts of a question that one label answers, and of one that any number of labels answers."""
_SHOWN: Final = frozenset({"item", "question", "guideline", "answers"})
JUDGE_PROMPTS: Final = PromptPlan("reviewer.protocols.judging", {ONE: _SHOWN, SEVERAL: _SHOWN})
REPEATS: Final = 5
_MOST_ITEMS: Final = 4096
"""Texts of items that are kept: those of the questions of a usual study."""


class JudgePlan(EvaluationPlan):
    """Puts the questions of a study to a judge, as raters are asked them, without anything that others said.

    Questions of free text have no labels and are not asked.
    """

    prompts = JUDGE_PROMPTS
    measures = ()
    repeats = REPEATS
    reader_version = VERDICT_READER

    def __init__(
        self,
        protocol: Protocol,
        questions: Sequence[Question],
        measurements: Mapping[str, Sequence[Measurement]],
        *,
        beside: bool = True,
    ) -> None:
        """``measurements`` are those of each case, by digest; replies can be read without them.

        ``beside``: raters see what stands beside the panes that a question is about before they answer.
        """
        self._protocol, self._beside, self._measurements = protocol, beside, measurements
        self._questions = {question.key: question for question in questions if question.answer_kind.is_judged}
        keys = tuple(self._questions)
        self.factors = (Factor(QUESTION, keys, keys),)
        self._items: dict[tuple[str, str], str] = {}

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> Hashable:
        """No measure is made of verdicts alone."""
        return None

    def labels(self, case: Case) -> tuple[str, ...]:
        """The labels of all questions, each once."""
        every = (label for question in self._questions.values() for label in question.labels)
        return tuple(dict.fromkeys(every))

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered] | NotAsked:
        """The question about the case; a question that does not apply to the case is not asked."""
        question = self._questions[condition[QUESTION]]
        if not self._protocol.asks(question, case):
            return NotAsked(f"The question “{question.title}” is not asked about this case.")
        return self.answer_to(self._request(prompts, question, case), case, condition)

    def _request(self, prompts: Prompts, question: Question, case: Case) -> ModelRequest:
        name = SEVERAL if question.answer_kind.any_number else ONE
        messages = prompts.fill(
            name,
            item=self._item(question, case),
            question=question.wording(self._protocol.terms(case, self._measured(case))),
            guideline=question.guideline_text,
            answers=_answers(question),
        )
        return ModelRequest(messages, name)

    def _item(self, question: Question, case: Case) -> str:
        """What the judge reads of the case, kept for further repeats."""
        place = case.digest, question.key
        if (known := self._items.get(place)) is not None:
            return known
        if len(self._items) >= _MOST_ITEMS:
            self._items.clear()
        text = item_text(self._protocol, question, case, self._measured(case), beside=self._beside)
        return self._items.setdefault(place, text)

    def _measured(self, case: Case) -> Sequence[Measurement]:
        return self._measurements.get(case.digest, ())

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The label of the question that a reply names."""
        return read_verdict(reply, self._questions[condition[QUESTION]])


def _answers(question: Question) -> str:
    """The labels with their numbers and definitions, one a line."""
    lines = [
        f"{number}. {label}" + (f": {told}" if (told := question.definition(label)) else "")
        for number, label in enumerate(question.labels, 1)
    ]
    return "\n".join(lines + ([f"{NONE_OF_THEM}. none of these"] if question.answer_kind.any_number else []))
