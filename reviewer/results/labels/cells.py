"""The input of a study's numbers: its items divided into cells, with the label that each rater gave."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, groupby
from types import MappingProxyType
from typing import Literal

from reviewer.agreement import Ratings, set_ratings
from reviewer.core.answers import chosen_labels
from reviewer.core.errors import RequestError
from reviewer.core.question import Question
from reviewer.results.labels.dimensions import ALL, DIMENSIONS, PAIR
from reviewer.study.design.study_bundle import COUNTED, StudyBundle
from reviewer.study.session.label_rows import Item, LabelRow
from store.records import CaseRole

Key = tuple[str, ...]
Raters = tuple[str, ...]
AnswerForm = Literal["nominal", "ordinal", "sets", "text", "mixed"]
"""What the answers of some items are: labels without or with an order, sets of labels, texts, or several."""

_VALUES: Mapping[str, Callable[[Item], str]] = {
    "question": lambda item: item[0].title,
    "generator": lambda item: item[1].generator,
    "group": lambda item: item[1].group,
    "dataset": lambda item: item[1].dataset,
}


class Answers:
    """The current labels before any reveal, by item and rater. ``showing`` 1 is the repeated showing.

    ``panels`` has the raters of a case where not all raters are asked about it. ``passing`` gives the labels
    with which a case passes a question; without it, these are the question's.
    """

    def __init__(
        self,
        rows: Iterable[LabelRow],
        showing: int = 0,
        roles: Collection[CaseRole] = COUNTED,
        panels: Mapping[str, Collection[str]] = MappingProxyType({}),
        passing: Callable[[Question, str], tuple[str, ...]] | None = None,
    ) -> None:
        self._panels, self._passing = panels, passing
        self._labels: dict[tuple[str, str], Mapping[str, str]] = {}
        # Most items have one of a few patterns of labels, and share it.
        patterns: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        labelled = ((row, label) for row in rows if (label := label_at(row, showing, roles)) is not None)
        for item, same in groupby(labelled, key=lambda pair: (pair[0].question.key, pair[0].place.case)):
            given = dict(self._labels.get(item, {})) | {row.rater: label for row, label in same}
            self._labels[item] = patterns.setdefault(tuple(given.items()), given)
        self.raters: Raters = tuple(sorted({rater for given in patterns.values() for rater in given}))

    def asks(self, item: Item, rater: str) -> bool:
        """Whether the rater is asked about the item."""
        panel = self._panels.get(item[1].case)
        return panel is None or rater in panel

    def passing(self, item: Item) -> tuple[str, ...]:
        """The labels with which the item passes."""
        question, place = item
        return question.passing if self._passing is None else self._passing(question, place.case)

    def label(self, item: Item, rater: str) -> str | None:
        """One label; None if it is missing."""
        given = self._labels.get((item[0].key, item[1].case))
        return None if given is None else given.get(rater)


def label_at(row: LabelRow, showing: int, roles: Collection[CaseRole]) -> str | None:
    """The row's label if it is one of this showing before any reveal, about a case of these roles."""
    slot = row.verdict.slot
    wanted = row.place.role in roles and slot.showing == showing and slot.phase == "before"
    return row.label if wanted else None


StudyLabels = Iterable[LabelRow] | Answers
"""The labels of a study: as rows, or as answers that were made of rows while they were read."""


def answers_of(bundle: StudyBundle, labels: StudyLabels) -> Answers:
    """The answers of a study's raters, from its labels in either form."""
    if isinstance(labels, Answers):
        return labels
    return Answers(labels, panels=bundle.design.panels, passing=bundle.passing)


@dataclass(frozen=True, eq=False)
class ResultCell:
    """Some items with the labels of some raters (n × R; None is missing, or was not asked for).

    ``where`` has a value for each dimension; "all" for dimensions that are not divided by. ``missing`` has,
    for each rater, how many labels were asked for and not given. ``passes`` has, for each item, the labels
    with which it passes.
    """

    where: Mapping[str, str]
    items: tuple[Item, ...]
    raters: Raters
    labels: tuple[tuple[str | None, ...], ...]
    missing: tuple[int, ...]
    passes: tuple[tuple[str, ...], ...]

    @cached_property
    def identity(self) -> tuple[frozenset[tuple[str, str]], Raters]:
        """What its statistics depend on: which items, in whatever order, and which raters."""
        return frozenset((question.key, place.case) for question, place in self.items), self.raters

    @cached_property
    def given(self) -> Counter[str]:
        """How often each label was given."""
        return Counter(label for row in self.labels for label in row if label is not None)

    @property
    def rater_count(self) -> int:
        """The number of raters who gave any of the labels."""
        return sum(any(label is not None for label in column) for column in zip(*self.labels, strict=True))

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The different questions of its items."""
        return tuple({question.key: question for question, _ in self.items}.values())

    @cached_property
    def labelled_cases(self) -> int:
        """How many cases have a label of any rater."""
        return len({case for case, row in zip(self.cases, self.labels, strict=True) if any(row)})

    @cached_property
    def form(self) -> AnswerForm:
        """What its answers are."""
        forms = {_form(question) for question in self.questions}
        return forms.pop() if len(forms) == 1 else "mixed"

    @cached_property
    def ratings(self) -> Ratings | None:
        """The labels as ratings; None if the questions differ in their labels, and for texts."""
        categories = {question.labels for question in self.questions}
        if len(categories) != 1 or self.form in ("text", "mixed"):
            return None
        labels = categories.pop()
        if self.form == "sets":
            return set_ratings(self.sets, labels, self.raters)
        return Ratings.from_labels(self.labels, labels, self.raters)

    @cached_property
    def judged(self) -> Ratings | None:
        """Each label with whether its item passes with it; None where the items have no pass rate."""
        if self.ratings is None or not self.passing:
            return None
        categories = [(label, label in self.passing) for label in self.questions[0].labels]
        if any(passes != self.passing for passes in self.passes):
            categories += [(label, False) for label in self.passing]
        patterns: dict[object, list[tuple[str, bool] | None]] = {}
        rows = [
            patterns.setdefault(
                (row, passes), [None if label is None else (label, label in passes) for label in row]
            )
            for row, passes in zip(self.labels, self.passes, strict=True)
        ]
        return Ratings.from_labels(rows, categories, self.raters)

    @property
    def passing_votes(self) -> tuple[tuple[str, bool], ...]:
        """The categories of ``judged`` that let an item pass."""
        return tuple((label, True) for label in self.questions[0].labels if label in self.passing)

    @property
    def sets(self) -> list[list[frozenset[str] | None]]:
        """Each answer as a set of labels."""
        pairs = zip(self.items, self.labels, strict=True)
        return [[chosen_set(question, label) for label in row] for (question, _), row in pairs]

    @property
    def apart(self) -> Counter[int]:
        """Steps between the lowest and the highest label of an item → how many items; empty without order."""
        if not any(question.ordinal for question in self.questions):
            return Counter()
        pairs = zip(self.items, self.labels, strict=True)
        steps = (question.steps(label for label in row if label is not None) for (question, _), row in pairs)
        return Counter(number for number in steps if number)

    @property
    def passing(self) -> tuple[str, ...]:
        """The labels that count as a pass; empty if the questions have different ones or none."""
        passing = {question.passing for question in self.questions}
        return passing.pop() if len(passing) == 1 else ()

    @property
    def cases(self) -> list[str]:
        """The case of each item."""
        return [place.case for _, place in self.items]

    @property
    def clustered(self) -> bool:
        """Whether any case has several items, which are then not independent."""
        return len(set(self.cases)) < len(self.items)


def _form(question: Question) -> AnswerForm:
    if question.kind == "label":
        return "ordinal" if question.ordinal else "nominal"
    return "sets" if question.kind == "labels" else "text"


def chosen_set(question: Question, answer: str | None) -> frozenset[str] | None:
    """An answer of several labels as a set; None if it is missing."""
    return None if answer is None else frozenset(chosen_labels(question, answer))


def cell_of(
    answers: Answers, items: Sequence[Item], where: Mapping[str, str], raters: Raters | None = None
) -> ResultCell:
    """The cell of these items, with all raters unless ``raters`` is given."""
    columns = answers.raters if raters is None else raters
    patterns: dict[tuple[str | None, ...], tuple[str | None, ...]] = {}
    rows = (tuple(answers.label(item, rater) for rater in columns) for item in items)
    labels = tuple(patterns.setdefault(row, row) for row in rows)
    missing = tuple(
        sum(row[at] is None and answers.asks(item, rater) for item, row in zip(items, labels, strict=True))
        for at, rater in enumerate(columns)
    )
    return ResultCell(where, tuple(items), columns, labels, missing, tuple(map(answers.passing, items)))


def check_dimensions(by: Sequence[str], allowed: Sequence[str] = DIMENSIONS) -> None:
    """Raise RequestError for a dimension that is unknown or named twice."""
    for dimension in by:
        if dimension not in allowed or by.count(dimension) > 1:
            raise RequestError(
                f"cannot divide by {dimension!r}; use each of {', '.join(allowed)} at most once."
            )


def divided(items: Sequence[Item], answers: Answers, by: Sequence[str]) -> dict[Key, ResultCell]:
    """The cells by their values, in the order in which the values of each dimension first occur."""
    check_dimensions(by)
    pairs = pair_names(answers.raters) if PAIR in by else {ALL: answers.raters}
    parts: dict[Key, tuple[list[Item], Raters]] = {}
    for item in items:
        for pair, raters in pairs.items():
            key = tuple(pair if dimension == PAIR else _VALUES[dimension](item) for dimension in by)
            held, _ = parts.setdefault(key, ([], raters))
            if pair == ALL or all(answers.asks(item, rater) for rater in raters):
                held.append(item)
    ranks = [list(dict.fromkeys(key[index] for key in parts)) for index in range(len(by))]
    order = sorted(parts, key=lambda key: [rank.index(value) for rank, value in zip(ranks, key, strict=True)])
    return {
        key: cell_of(answers, parts[key][0], dict(zip(by, key, strict=True)), parts[key][1]) for key in order
    }


def pair_names(raters: Raters) -> dict[str, Raters]:
    """Each pair of raters by its name."""
    return {f"{first} & {second}": (first, second) for first, second in combinations(raters, 2)}


def merged(answers: Answers, cells: Sequence[ResultCell], where: Mapping[str, str]) -> ResultCell:
    """One cell with the items of several cells. Its raters are theirs if they share them, else all raters."""
    items = dict.fromkeys((question.key, place.case) for cell in cells for question, place in cell.items)
    known = {
        (question.key, place.case): (question, place) for cell in cells for question, place in cell.items
    }
    groups = {cell.raters for cell in cells}
    return cell_of(answers, [known[key] for key in items], where, groups.pop() if len(groups) == 1 else None)
