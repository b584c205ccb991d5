"""How the labels of each question are spread over its groups: counts of each label, and medians."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewer.agreement.bootstrap import bootstrap_all
from reviewer.agreement.coefficient import SPAN_COEFFICIENTS
from reviewer.agreement.label_sets import ratings_by_label
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.shares import LabelShare
from reviewer.agreement.unitised_alpha import marked_by_label, share_with_spans
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question, chosen_labels
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.coefficient_choice import KNOWN, NOT_COMPUTED
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.divided_items import (
    AnswerForm,
    ResultCell,
    StudyLabels,
    answers_of,
    divided,
    merged,
)
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import items_of

_BY = ("question", "group")
_BY_LABEL: Mapping[AnswerForm, Callable[[Ratings, Sequence[str]], Mapping[Any, Ratings]]] = {
    "sets": ratings_by_label,
    "spans": marked_by_label,
}
"""The answers divided by label, where answers have several: each label as a question of its own."""


@dataclass(frozen=True)
class LabelSpread:
    """The labels that one question got in one group ("all": in every group).

    ``counts`` has every label of the question in its order; where answers are sets of labels, how many of
    them hold the label. ``answers`` counts answers. ``median`` is the label in the middle, the two labels
    that it falls between, or empty where labels have no order.
    """

    question: Question
    group: str
    answers: int
    counts: Mapping[str, int]
    median: tuple[str, ...]


@dataclass(frozen=True)
class LabelAgreement:
    """Agreement on one label of a question that takes several: whether raters chose it or not, or in spans
    where they marked it.
    """

    question: Question
    label: str
    items: int
    share: Estimate
    coefficients: Mapping[str, Estimate]

    def of(self, key: str) -> Estimate:
        """A coefficient; without a value where answers of this form do not have it."""
        known = self.coefficients.get(key)
        form = self.question.answer_kind.form
        return Estimate.undefined(NOT_COMPUTED[form], 0) if known is None else known


def label_spreads(bundle: StudyBundle, labels: StudyLabels) -> list[LabelSpread]:
    """For each question with labels, each group and then all of them together, in the study's order."""
    answers = answers_of(bundle, labels)
    cells = divided(items_of(bundle), answers, _BY)
    spreads: list[LabelSpread] = []
    for question in bundle.questions:
        of = [cell for cell in cells.values() if cell.items[0][0].key == question.key]
        if not (question.answer_kind.is_label or question.counts_labels) or not of:
            continue
        spreads += [_spread(cell, cell.where["group"]) for cell in of]
        if len(of) > 1:
            spreads.append(_spread(merged(answers, of, {}), ALL))
    return spreads


def _spread(cell: ResultCell, group: str) -> LabelSpread:
    question = cell.items[0][0]
    given = [*cell.given.elements()]
    counts = Counter(label for answer in given for label in chosen_labels(question, answer))
    in_order = {label: counts[label] for label in question.labels}
    return LabelSpread(question, group, len(given), in_order, question.median(given))


def label_agreement(
    bundle: StudyBundle, labels: StudyLabels, method: Method | None = None
) -> list[LabelAgreement]:
    """Each label of each question that takes several; empty if the study has no such question."""
    how = (method or Method()).for_study(bundle)
    answers = answers_of(bundle, labels)
    cells = divided(items_of(bundle), answers, ("question",))
    return [
        _of_label(cell, label, ratings, how)
        for cell in cells.values()
        if cell.ratings is not None and cell.form in _BY_LABEL
        for label, ratings in _BY_LABEL[cell.form](cell.ratings, cell.items[0][0].labels).items()
    ]


def _of_label(cell: ResultCell, label: object, ratings: Ratings, how: Method) -> LabelAgreement:
    question, cases = cell.items[0][0], cell.labelled_cases
    keys = [*SPAN_COEFFICIENTS] if cell.form == "spans" else how.keys("nominal", ())
    share = share_with_spans(ratings) if cell.form == "spans" else LabelShare((True,))(ratings)
    estimates = {
        key: how.shown(estimate, min(cases, estimate.n))
        for key, estimate in zip(keys, _estimates(ratings, keys, how), strict=True)
    }
    return LabelAgreement(question, str(label), ratings.n_items, share, estimates)


def _estimates(ratings: Ratings, keys: Sequence[str], how: Method) -> list[Estimate]:
    statistics = [KNOWN[key] for key in keys]
    if how.interval != "bootstrap":
        return [statistic(ratings, how.level) for statistic in statistics]
    return bootstrap_all(ratings, statistics, seed=how.seed or 0, resamples=how.resamples, level=how.level)
