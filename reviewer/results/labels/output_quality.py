"""How good each output is by the rankings of a study: mean rank, share of wins, Bradley-Terry score.

A rater's labels about all outputs of a case rank these too, if labels stand in order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from reviewer.agreement.output_scores import OutputScore, output_scores
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question, families
from reviewer.core.ranked_outputs import Ranking
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.divided_items import ResultCell, StudyLabels, answers_of, divided, merged
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import items_of

_BY: Final = ("question", "group")
_MOST_RESAMPLES: Final = 2_000
"""Each of them fits a Bradley-Terry model."""


@dataclass(frozen=True)
class RankedOutput:
    """What the rankings of one question in one group ("all": in every group) say of one output."""

    question: Question
    group: str
    rankings: int
    cases: int
    score: OutputScore


def ranked_outputs(
    bundle: StudyBundle, labels: StudyLabels, method: Method | None = None
) -> list[RankedOutput]:
    """For each question that orders outputs, each group and then all of them together; empty without any.

    The best output by its mean rank comes first.
    """
    how, answers = (method or Method()).for_study(bundle), answers_of(bundle, labels)
    cells = divided(items_of(bundle), answers, _BY)
    rows: list[RankedOutput] = []
    for question, *_ in families(bundle.questions):
        of = [cell for cell in cells.values() if cell.items[0][0].family == question.family]
        if not question.orders_outputs or not of:
            continue
        for cell in of if len(of) > 1 else ():
            rows += _of_cell(question, cell, cell.where["group"], how)
        rows += _of_cell(question, merged(answers, of, {}), ALL, how)
    return rows


def _of_cell(question: Question, cell: ResultCell, group: str, how: Method) -> Iterator[RankedOutput]:
    rankings = _rankings_by_labels(cell) if question.outputs else _rankings(cell)
    resamples = 0 if how.interval == "none" else min(how.resamples, _MOST_RESAMPLES)
    scores = output_scores(
        rankings, question.lettered, seed=how.seed or 0, resamples=resamples, level=how.level
    )
    cases = sum(map(bool, rankings))
    for score in sorted(scores, key=lambda one: one.mean_rank.value or 0):
        shown = replace(
            score,
            mean_rank=_shown(score.mean_rank, how),
            wins=_shown(score.wins, how),
            score=_shown(score.score, how),
        )
        yield RankedOutput(question, group, sum(map(len, rankings)), cases, shown)


def _rankings(cell: ResultCell) -> list[list[Ranking]]:
    """The rankings of each case."""
    return [[one for one in row if one is not None] for row in cell.rankings]


def _rankings_by_labels(cell: ResultCell) -> list[list[Ranking]]:
    """For each case, the rankings by the labels of each rater who gave one to all of its outputs."""
    given: dict[str, dict[str, dict[str, str]]] = {}
    for (question, place), row in zip(cell.items, cell.labels, strict=True):
        for rater, label in zip(cell.raters, row, strict=True):
            if label is not None:
                given.setdefault(place.case, {}).setdefault(rater, {})[question.output] = label
    question = cell.items[0][0]
    return [
        [_ranking(question, labels) for labels in by_rater.values() if len(labels) == len(question.outputs)]
        for by_rater in given.values()
    ]


def _ranking(question: Question, labels: Mapping[str, str]) -> Ranking:
    """Outputs by their labels, the best first: the label at the end at which cases pass, or else the last."""
    first, *_, last = question.labels
    is_first_best = first in question.passing and last not in question.passing
    order = question.labels if is_first_best else question.labels[::-1]
    groups = (tuple(output for output in question.outputs if labels[output] == label) for label in order)
    return tuple(group for group in groups if group)


def _shown(estimate: Estimate, how: Method) -> Estimate:
    return how.shown(estimate, estimate.n)
