"""The input of a study's numbers: its items divided into cells, with the label that each rater gave."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, groupby
from types import MappingProxyType
from typing import Literal

from reviewer.agreement.label_sets import set_ratings
from reviewer.agreement.rankings import ranking_ratings
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.unitised_alpha import MarkedText, text_ratings
from reviewer.core.errors import RequestError
from reviewer.core.question import Question, chosen_labels
from reviewer.core.ranked_outputs import Ranking, stored_ranking
from reviewer.core.spans import spans_in
from reviewer.results.labels.dimensions import ALL, CONFIDENCE, OUTPUT, PAIR, STRATUM, check_dimensions
from reviewer.study.design.inclusion import strata_by_case
from reviewer.study.design.study_bundle import COUNTED, StudyBundle
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.session.label_rows import Item, LabelRow
from reviewer.study.session.third_vote import third_vote
from reviewer.study.session.verdicts import CONFIDENCES
from store.records import CaseRole

Key = tuple[str, ...]
Raters = tuple[str, ...]
LEFT_OUT = "left out"
"""The confidence of an item of which a rater did not say how sure they are."""
THIRD = "third vote"
"""The column of third votes, whoever gave them."""
AnswerForm = Literal["nominal", "ordinal", "sets", "ranks", "spans", "text", "mixed"]
"""What the answers of some items are: labels without or with an order, sets of labels, rankings, spans of a
text, texts, or several.
"""

_VALUES: Mapping[str, Callable[[Item], str]] = {
    "question": lambda item: item[0].title,
    "generator": lambda item: item[1].generator,
    "group": lambda item: item[1].group,
    "dataset": lambda item: item[1].dataset,
    OUTPUT: lambda item: item[0].output or ALL,
}


class Answers:
    """The current labels before any reveal, by item and rater. ``showing`` 1 is the repeated showing.

    ``panels`` has the raters of a case where not all raters are asked about it. ``passing`` gives the labels
    with which a case passes a question; without it, these are the question's. With a ``design`` that asks for
    third votes, its raters are those of fixed votes; third votes stand apart.
    """

    def __init__(
        self,
        rows: Iterable[LabelRow],
        showing: int = 0,
        roles: Collection[CaseRole] = COUNTED,
        panels: Mapping[str, Collection[str]] = MappingProxyType({}),
        passing: Callable[[Question, str], tuple[str, ...]] | None = None,
        design: StudyDesign | None = None,
        same_case: Mapping[str, str] = MappingProxyType({}),
        strata: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._panels, self._passing = panels, passing
        self.strata = strata
        """Digest of a case → the stratum that it was drawn from; empty where strata are not to be named."""
        self.same_case = same_case
        """Digest of a case → what it is about, where several cases of a study are about the same."""
        self._design = design if design is not None and design.third else None
        self._labels: dict[tuple[str, str], Mapping[str, str]] = {}
        self._confidences: dict[tuple[str, str], dict[str, str]] = {}
        # Most items have one of a few patterns of labels, and share it.
        patterns: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        labelled = ((row, label) for row in rows if (label := label_at(row, showing, roles)) is not None)
        for item, same in groupby(labelled, key=lambda pair: (pair[0].question.key, pair[0].place.case)):
            here = [*same]
            given = dict(self._labels.get(item, {})) | {row.rater: label for row, label in here}
            if said := {row.rater: row.verdict.confidence for row, _ in here if row.verdict.confidence}:
                self._confidences[item] = self._confidences.get(item, {}) | said
            self._labels[item] = patterns.setdefault(tuple(given.items()), given)
        self.raters: Raters = tuple(sorted(self._all_raters(patterns.values())))

    def _all_raters(self, patterns: Iterable[Mapping[str, str]]) -> set[str]:
        """Everybody who gave a label, or a fixed vote where a third is asked for."""
        if self._design is None:
            return {rater for given in patterns for rater in given}
        fixed = self._design.has_fixed_vote
        return {rater for (_, case), given in self._labels.items() for rater in given if fixed(rater, case)}

    @property
    def has_third_votes(self) -> bool:
        """Whether a third vote is asked for where the fixed ones differ."""
        return self._design is not None

    def third(self, item: Item) -> str | None:
        """The third vote on an item whose fixed votes differ; None if there is none."""
        given = self._labels.get((item[0].key, item[1].case))
        if self._design is None or given is None:
            return None
        rater = third_vote(self._design, item[1].case, given)
        return None if rater is None else given[rater]

    @property
    def has_confidences(self) -> bool:
        """Whether any rater said how sure they are of an answer."""
        return bool(self._confidences)

    def confidence(self, item: Item) -> str:
        """How sure the rater was who was least sure of the item; ``LEFT_OUT`` if one of them did not say."""
        said = self._confidences.get((item[0].key, item[1].case), {})
        levels = [said.get(rater, "") for rater in self.raters if self.label(item, rater) is not None]
        return LEFT_OUT if "" in levels or not levels else max(levels, key=CONFIDENCES.index)

    def stratum(self, item: Item) -> str:
        """The stratum that the case of the item was drawn from."""
        return self.strata[item[1].case]

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
        if given is None or (self._design and not self._design.has_fixed_vote(rater, item[1].case)):
            return None
        return given.get(rater)


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
    return Answers(
        labels,
        panels=bundle.design.panels,
        passing=bundle.passing,
        design=bundle.design,
        same_case=bundle.same_case,
        strata=strata_by_case(bundle),
    )


@dataclass(frozen=True, eq=False)
class ResultCell:
    """Some items with the labels of some raters (n × R; None is missing, or was not asked for).

    ``where`` has a value for each dimension; "all" for dimensions that are not divided by. ``missing`` has,
    for each rater, how many labels were asked for and not given. ``passes`` has, for each item, the labels
    with which it passes. ``third`` has the third vote on each item, where these are asked for and all
    raters are taken; they enter majorities and nothing else. ``same_case``: see ``StudyBundle``.
    """

    where: Mapping[str, str]
    items: tuple[Item, ...]
    raters: Raters
    labels: tuple[tuple[str | None, ...], ...]
    missing: tuple[int, ...]
    passes: tuple[tuple[str, ...], ...]
    third: tuple[str | None, ...] | None = None
    same_case: Mapping[str, str] = field(default_factory=dict[str, str])

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
        if self.form == "ranks":
            return ranking_ratings(self.rankings, labels, self.raters)
        if self.form == "spans":
            return text_ratings([[*map(marked_text, row)] for row in self.labels], self.raters)
        return Ratings.from_labels(self.labels, labels, self.raters)

    @cached_property
    def judged(self) -> Ratings | None:
        """Each label with whether its item passes with it; None where the items have no pass rate."""
        return self._judged(self.labels, self.raters)

    @cached_property
    def decided(self) -> Ratings | None:
        """The same of all votes that majorities are made of: with third votes, if these are asked for."""
        if self.third is None:
            return self.judged
        return self._judged(self.votes, (*self.raters, THIRD))

    @property
    def votes(self) -> Sequence[tuple[str | None, ...]]:
        """The votes of each item that majorities are made of: its labels, and its third vote."""
        if self.third is None:
            return self.labels
        return [(*row, third) for row, third in zip(self.labels, self.third, strict=True)]

    @cached_property
    def undecided(self) -> int:
        """How many items have votes, and no label with more than half of them. Texts have no majority."""
        texts = {question.key for question in self.questions if not question.answer_kind.is_compared}
        voted = zip(self.items, self.votes, strict=True)
        patterns = Counter(votes for (question, _), votes in voted if question.key not in texts)
        return sum(times for votes, times in patterns.items() if _is_undecided(votes))

    def _judged(self, labels: Sequence[tuple[str | None, ...]], raters: Raters) -> Ratings | None:
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
            for row, passes in zip(labels, self.passes, strict=True)
        ]
        return Ratings.from_labels(rows, categories, raters)

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
    def rankings(self) -> list[list[Ranking | None]]:
        """Each answer as a ranking."""
        return [[None if answer is None else stored_ranking(answer) for answer in row] for row in self.labels]

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

    @cached_property
    def clusters(self) -> list[str] | None:
        """What each item is about, where several are about the same and so are not independent; else None."""
        clusters = [self.same_case.get(case, case) for case in self.cases]
        return clusters if len(set(clusters)) < len(clusters) else None

    @property
    def clustered(self) -> bool:
        """Whether any case has several items, which are then not independent."""
        return len(set(self.cases)) < len(self.items)


def _is_undecided(votes: Sequence[str | None]) -> bool:
    given = [label for label in votes if label is not None]
    return bool(given) and 2 * max(Counter(given).values()) <= len(given)


def _form(question: Question) -> AnswerForm:
    return "ordinal" if question.ordinal else question.answer_kind.form


def marked_text(answer: str | None) -> MarkedText | None:
    """An answer of spans with the length of its text; None if it is missing."""
    return None if answer is None else MarkedText.of(*spans_in(answer))


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
    thirds = None
    if answers.has_third_votes and columns == answers.raters:
        thirds = tuple(map(answers.third, items))
    return ResultCell(
        where,
        tuple(items),
        columns,
        labels,
        missing,
        tuple(map(answers.passing, items)),
        thirds,
        answers.same_case,
    )


def divided(items: Sequence[Item], answers: Answers, by: Sequence[str]) -> dict[Key, ResultCell]:
    """The cells by their values, in the order in which the values of each dimension first occur."""
    check_dimensions(by)
    if CONFIDENCE in by and not answers.has_confidences:
        raise RequestError(
            "no answer has a confidence: the study was made without --confidence, or no rater said how sure "
            "they are; leave confidence out of --by."
        )
    if OUTPUT in by and not any(question.outputs for question, _ in items):
        raise RequestError("no question is about single outputs of a case; leave output out of --by.")
    if STRATUM in by and not answers.strata:
        raise RequestError(
            "this study has no strata that you may see: it was not drawn by strata, or cases still wait for "
            "answers or for your decision; leave stratum out of --by."
        )
    values = {**_VALUES, CONFIDENCE: answers.confidence, STRATUM: answers.stratum}
    pairs = pair_names(answers.raters) if PAIR in by else {ALL: answers.raters}
    parts: dict[Key, tuple[list[Item], Raters]] = {}
    for item in items:
        for pair, raters in pairs.items():
            key = tuple(pair if dimension == PAIR else values[dimension](item) for dimension in by)
            held, _ = parts.setdefault(key, ([], raters))
            if pair == ALL or all(answers.asks(item, rater) for rater in raters):
                held.append(item)
    ranks = [
        [*CONFIDENCES, LEFT_OUT] if name == CONFIDENCE else list(dict.fromkeys(key[index] for key in parts))
        for index, name in enumerate(by)
    ]
    order = sorted(parts, key=lambda key: [rank.index(value) for rank, value in zip(ranks, key, strict=True)])
    return {
        key: cell_of(answers, parts[key][0], dict(zip(by, key, strict=True)), parts[key][1]) for key in order
    }


def pair_names(raters: Raters) -> dict[str, Raters]:
    """Each pair of raters by its name."""
    return {f"{first} & {second}": (first, second) for first, second in combinations(raters, 2)}


Sums = Iterator[tuple[Sequence[Key], "ResultCell"]]
"""Cells that are taken together, each with the keys of its parts."""


def summed(answers: Answers, cells: Mapping[Key, ResultCell], by: Sequence[str], dimension: str = "") -> Sums:
    """The cells of each value of a dimension as one, or of no dimension all; only where they are several."""
    parts: dict[str, list[Key]] = {}
    for key in cells:
        parts.setdefault(key[by.index(dimension)] if dimension else ALL, []).append(key)
    for value, keys in parts.items():
        if len(keys) > 1:
            where = {name: value if name == dimension else ALL for name in by}
            yield keys, merged(answers, [cells[key] for key in keys], where)


def summed_first(answers: Answers, cells: Mapping[Key, ResultCell], by: Sequence[str]) -> Sums:
    """The same for each value of the first dimension, then for all cells."""
    for dimension in (*by[:1], ""):
        yield from summed(answers, cells, by, dimension)


def merged(answers: Answers, cells: Sequence[ResultCell], where: Mapping[str, str]) -> ResultCell:
    """One cell with the items of several cells. Its raters are theirs if they share them, else all raters."""
    items = dict.fromkeys((question.key, place.case) for cell in cells for question, place in cell.items)
    known = {
        (question.key, place.case): (question, place) for cell in cells for question, place in cell.items
    }
    groups = {cell.raters for cell in cells}
    return cell_of(answers, [known[key] for key in items], where, groups.pop() if len(groups) == 1 else None)
