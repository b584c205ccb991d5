"""Agreement of labels that belong to no study: items, raters and labels as a table holds them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.kind_of_answer import KindName
from reviewer.core.question import Question, answer_with
from reviewer.results.labels.agreement_results import AgreementResult, Method, result_of
from reviewer.results.labels.divided_items import ResultCell
from reviewer.results.labels.statistics_cache import StatisticsCache
from store.records import StudyCase

_SEED = 0


@dataclass(frozen=True, slots=True)
class LooseLabels:
    """The labels of one question: item → rater → the labels that this rater chose.

    ``labels`` are all that occur, in their order if it is one (``ordered``). ``several``: an answer may
    consist of any number of labels. ``is_text``: answers are texts, and have no agreement. ``ranked``:
    answers rank all labels, and are kept as the ledger keeps rankings.
    """

    question: str
    labels: tuple[str, ...]
    given: Mapping[str, Mapping[str, tuple[str, ...]]]
    ordered: bool = False
    several: bool = False
    is_text: bool = False
    ranked: bool = False

    @property
    def kind(self) -> KindName:
        """What answers the question."""
        if self.ranked:
            return "ranking"
        return "text" if self.is_text else "labels" if self.several else "label"

    @property
    def raters(self) -> tuple[str, ...]:
        """Everybody who gave a label."""
        return tuple(dict.fromkeys(rater for given in self.given.values() for rater in given))

    @property
    def number(self) -> int:
        """The number of answers."""
        return sum(map(len, self.given.values()))


def loose_results(questions: Sequence[LooseLabels], method: Method) -> list[AgreementResult]:
    """A result for each question."""
    how, cache, by = method.seeded(_SEED), StatisticsCache(), ("question",)
    return [result_of("cell", _cell(labels), how, by, cache) for labels in questions]


def _cell(labels: LooseLabels) -> ResultCell:
    question, raters = _question(labels), labels.raters
    items = tuple((question, _place(item, at)) for at, item in enumerate(labels.given))
    rows = tuple(
        tuple(_answer(question, given.get(rater)) for rater in raters) for given in labels.given.values()
    )
    # Whether an empty place was asked for is not known, so none is called missing.
    missing = (0,) * len(raters)
    return ResultCell({"question": labels.question}, items, raters, rows, missing, ((),) * len(items))


def _place(item: str, position: int) -> StudyCase:
    """An item as a case of no study."""
    return StudyCase.model_construct(
        study="", case=item, position=position, dataset="", key=item, group="", generator=""
    )


def _question(labels: LooseLabels) -> Question:
    """The question as far as numbers need it; unvalidated, since a table may know one label only."""
    return Question.model_construct(
        key=labels.question,
        title=labels.question,
        prompt="",
        kind=labels.kind,
        labels=() if labels.is_text else labels.labels,
        scale="ordinal" if labels.ordered else "nominal",
        shows=(),
    )


def _answer(question: Question, chosen: tuple[str, ...] | None) -> str | None:
    if chosen is None:
        return None
    return chosen[0] if question.answer_kind.is_ranked else answer_with(question, chosen)
