"""Agreement and pass rates of a study, cell by cell, from the raw rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reviewer.agreement import (
    COEFFICIENTS,
    Ratings,
    majority_pass_rate,
    mean_of,
    proportion,
    unanimity_pass_rate,
)
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question
from reviewer.study.bundle import StudyBundle
from reviewer.study.labels import LabelRow
from store.records import StudyCase

Kind = Literal["cell", "mean of cells", "pooled"]

DIMENSIONS = ("question", "generator", "group", "dataset")
"""What a study can be divided by; the group is the bias in PROBE-SWE."""

SHOWN_COEFFICIENTS = ("po_all_agree", "po_pairwise", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
"""Keys of the registry in reviewer.agreement."""

DIFFERENT_LABELS = "questions with different labels"
NO_PASSING_LABEL = "no label counts as a pass"
ALL = "all"

Item = tuple[Question, StudyCase]


@dataclass(frozen=True)
class Result:
    """The numbers of one cell, of a mean over cells, or of pooled labels; the last two are never the same.

    ``where`` has a value for each dimension, "all" where it was pooled or averaged over. ``ratings`` counts
    labels; ``missing`` those still owed by the raters who have begun; ``ties`` items at exactly half.
    """

    kind: Kind
    where: Mapping[str, str]
    items: int
    raters: int
    ratings: int
    missing: int
    passing_share: Estimate
    coefficients: Mapping[str, Estimate]
    majority: Estimate
    unanimity: Estimate
    ties: int


def study_results(bundle: StudyBundle, rows: Sequence[LabelRow], by: Sequence[str]) -> list[Result]:
    """A result for each cell, then labelled means of cells and pooled values where there are several cells.

    Raises RequestError for a dimension that there is not.
    """
    for dimension in by:
        if dimension not in DIMENSIONS or by.count(dimension) > 1:
            raise RequestError(
                f"cannot divide by {dimension!r}; use each of {', '.join(DIMENSIONS)} at most once."
            )
    labels = _Labels(rows)
    cells = _divided(_items(bundle), by)
    results = {
        key: labels.result("cell", dict(zip(by, key, strict=True)), cell) for key, cell in cells.items()
    }
    summaries: list[Result] = []
    if len(by) > 1:
        for value in dict.fromkeys(key[0] for key in cells):
            keys = [key for key in cells if key[0] == value]
            summaries += _summary(labels, cells, results, keys, dict.fromkeys(by, ALL) | {by[0]: value})
    summaries += _summary(labels, cells, results, list(cells), dict.fromkeys(by, ALL))
    return [*results.values(), *summaries]


Key = tuple[str, ...]


def _items(bundle: StudyBundle) -> list[Item]:
    places = {place.case: place for place in bundle.sample}
    return [(question, places[slot.case]) for question in bundle.questions for slot in bundle.slots(question)]


def _divided(items: Sequence[Item], by: Sequence[str]) -> dict[Key, list[Item]]:
    """The items by their values, cells in the order in which each dimension's values first come."""
    values: dict[str, Callable[[Item], str]] = {
        "question": lambda item: item[0].title,
        "generator": lambda item: item[1].generator,
        "group": lambda item: item[1].group,
        "dataset": lambda item: item[1].dataset,
    }
    cells: dict[Key, list[Item]] = {}
    for item in items:
        cells.setdefault(tuple(values[dimension](item) for dimension in by), []).append(item)
    ranks = [list(dict.fromkeys(key[index] for key in cells)) for index in range(len(by))]
    order = sorted(cells, key=lambda key: [rank.index(value) for rank, value in zip(ranks, key, strict=True)])
    return {key: cells[key] for key in order}


def _summary(
    labels: "_Labels",
    cells: Mapping[Key, list[Item]],
    results: Mapping[Key, Result],
    keys: Sequence[Key],
    where: Mapping[str, str],
) -> list[Result]:
    """The mean over some cells and their pooled labels; nothing where there is one cell."""
    if len(keys) < 2:
        return []
    pooled = labels.result("pooled", where, [item for key in keys for item in cells[key]])
    return [_mean([results[key] for key in keys], pooled), pooled]


def _mean(cells: Sequence[Result], pooled: Result) -> Result:
    """Unweighted means over the cells that have a value; the counts are those of the pooled labels."""
    return Result(
        kind="mean of cells",
        where=pooled.where,
        items=pooled.items,
        raters=pooled.raters,
        ratings=pooled.ratings,
        missing=pooled.missing,
        passing_share=mean_of([cell.passing_share for cell in cells]),
        coefficients={
            key: mean_of([cell.coefficients[key] for cell in cells]) for key in pooled.coefficients
        },
        majority=mean_of([cell.majority for cell in cells]),
        unanimity=mean_of([cell.unanimity for cell in cells]),
        ties=pooled.ties,
    )


class _Labels:
    """The current labels of a study's first showing, before any reveal, by item and rater."""

    def __init__(self, rows: Sequence[LabelRow]) -> None:
        self._labels = {
            (row.question.key, row.place.case, row.rater): row.label
            for row in rows
            if row.label is not None and row.verdict.slot.showing == 0 and row.verdict.slot.phase == "before"
        }
        self._raters = tuple(sorted({rater for _, _, rater in self._labels}))

    def result(self, kind: Kind, where: Mapping[str, str], items: Sequence[Item]) -> Result:
        """The numbers of some items."""
        categories = {question.labels for question, _ in items}
        passing = {question.passing for question, _ in items}
        table = [
            [self._labels.get((question.key, place.case, rater)) for rater in self._raters]
            for question, place in items
        ]
        given = [label for row in table for label in row if label is not None]
        if len(categories) != 1:
            return _undefined(kind, where, len(items), len(self._raters), len(given), DIFFERENT_LABELS)
        ratings = Ratings.from_labels(table, categories.pop(), self._raters)
        coefficients = {key: COEFFICIENTS[key](ratings) for key in SHOWN_COEFFICIENTS}
        passes, ties = _passes(ratings, given, passing.pop() if len(passing) == 1 else None)
        return Result(
            kind,
            where,
            len(items),
            len(self._raters),
            len(given),
            len(items) * len(self._raters) - len(given),
            coefficients=coefficients,
            ties=ties,
            **passes,
        )


def _passes(ratings: Ratings, given: Sequence[str], passing: str | None) -> tuple[dict[str, Estimate], int]:
    if passing is None:
        nothing = Estimate.undefined(NO_PASSING_LABEL, ratings.n_items)
        return dict.fromkeys(("passing_share", "majority", "unanimity"), nothing), 0
    majority = majority_pass_rate(ratings, passing)
    return {
        "passing_share": proportion(given.count(passing), len(given)),
        "majority": majority.estimate,
        "unanimity": unanimity_pass_rate(ratings, passing).estimate,
    }, majority.ties


def _undefined(
    kind: Kind, where: Mapping[str, str], items: int, raters: int, ratings: int, reason: str
) -> Result:
    nothing = Estimate.undefined(reason, items)
    return Result(
        kind,
        where,
        items,
        raters,
        ratings,
        items * raters - ratings,
        nothing,
        dict.fromkeys(SHOWN_COEFFICIENTS, nothing),
        nothing,
        nothing,
        0,
    )
