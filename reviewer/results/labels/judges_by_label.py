"""Opinions against final labels, one label against the rest, and how parts of the sample differ in that.

The alternative annotator test says whether an opinion may stand in for a rater.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from reviewer.agreement.clustered_ratios import Bools
from reviewer.agreement.judge_labels import JudgeOnLabel, confirmed_by_votes, judge_on_label, share_among
from reviewer.agreement.judge_replacement import (
    ERROR_RATE,
    FEWEST_ANNOTATORS,
    FEWEST_ITEMS,
    LeftOutAnnotator,
    ReplacementTest,
    replacement_test,
)
from reviewer.agreement.proportions import difference_of
from reviewer.agreement.rating_patterns import MISSING
from reviewer.agreement.stratified import MOVER
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question, chosen_labels
from reviewer.core.sanitize import counted
from reviewer.protocols.base import Value
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.judge_results import (
    AboutOpinion,
    ItemsAt,
    Judged,
    JudgedItem,
    divided_items,
    same_cases,
)
from reviewer.study.design.study_bundle import StudyBundle


@dataclass(frozen=True)
class JudgeByLabel(AboutOpinion):
    """One opinion on one label in a part of the sample."""

    label: str
    compared: JudgeOnLabel
    whole: bool


@dataclass(frozen=True)
class JudgeDifference(AboutOpinion):
    """What an opinion does with a label in one part of the sample, minus what it does in another."""

    label: str
    dimension: str
    first: str
    second: str
    sensitivity: Estimate
    specificity: Estimate
    bias: Estimate


@dataclass(frozen=True)
class ConfirmedVotes(AboutOpinion):
    """How many items with as many votes for a label experts confirm.

    ``votes`` is "3 of 5" for a judge that was asked five times, and the published value otherwise.
    """

    label: str
    votes: str
    confirmed: Estimate


def labels_against_rest(question: Question) -> tuple[str, ...]:
    """The labels that are set against the rest: each, or one where there are two."""
    if not question.answer_kind.is_label or len(question.labels) != 2:
        return question.labels
    return ((*question.passing, *question.labels)[0],)


def has_label(question: Question, answer: str, label: str) -> bool:
    """Whether an answer names the label."""
    return label in chosen_labels(question, answer)


def judges_by_label(judged: Judged, by: Sequence[str], method: Method) -> list[JudgeByLabel]:
    """Every opinion by the dimensions and label; raises RequestError for an unknown dimension."""
    return [
        JudgeByLabel(
            part.opinion, part.question, part.where, label, _compared(part, label, method), part.whole
        )
        for part in divided_items(judged, by)
        for label in labels_against_rest(part.question)
    ]


def _compared(part: ItemsAt, label: str, method: Method) -> JudgeOnLabel:
    judge, experts = (_columns(part.settled, side, part.question, label) for side in (0, 1))
    compared = judge_on_label(judge, experts, part.settled_cases, method.level)
    return replace(
        compared,
        sensitivity=_for_people(compared.sensitivity, method),
        specificity=_for_people(compared.specificity, method),
        bias=_for_people(compared.bias, method),
    )


def _columns(pairs: Sequence[tuple[str, str]], side: int, question: Question, label: str) -> Bools:
    return np.array([has_label(question, pair[side], label) for pair in pairs], dtype=np.bool_)


def judge_differences(judged: Judged, by: Sequence[str], method: Method) -> list[JudgeDifference]:
    """Differences between each two values of the last dimension, within those of the others."""
    if not by:
        raise RequestError(
            "--differences compares parts of the sample; say which with --by, as in --by generator."
        )
    *others, dimension = by
    alike: dict[tuple[str, ...], list[JudgeByLabel]] = {}
    for row in judges_by_label(judged, by, method):
        if not row.whole:
            kept = (row.opinion.name, row.question.key, row.label, *(row.where[name] for name in others))
            alike.setdefault(kept, []).append(row)
    return [
        _difference(first, second, others, dimension)
        for rows in alike.values()
        for first, second in combinations(rows, 2)
    ]


def _difference(
    first: JudgeByLabel, second: JudgeByLabel, others: Sequence[str], dimension: str
) -> JudgeDifference:
    one, two = first.compared, second.compared
    few = "cases" if one.bias.few or two.bias.few else ""
    return JudgeDifference(
        first.opinion,
        first.question,
        {name: first.where[name] for name in others},
        first.label,
        dimension,
        first.where[dimension],
        second.where[dimension],
        replace(difference_of(one.sensitivity, two.sensitivity, MOVER), few=few),
        replace(difference_of(one.specificity, two.specificity, MOVER), few=few),
        replace(difference_of(one.bias, two.bias, MOVER), few=few),
    )


def confirmed_votes(
    bundle: StudyBundle, judged: Judged, by: Sequence[str], method: Method
) -> list[ConfirmedVotes]:
    """By votes of the judges that were asked, and by published value of other opinions."""
    return [
        row
        for part in divided_items(judged, by)
        for row in (
            _by_votes(part, method)
            if any(item.votes for item in part.items)
            else _by_value(bundle, part, method)
        )
    ]


def _by_votes(part: ItemsAt, method: Method) -> list[ConfirmedVotes]:
    voted = [item for item in part.items if item.votes and item.final.label]
    items = [(item.votes, item.final.label) for item in voted if item.votes and item.final.label]
    repeats = np.array([votes.readable for votes, _ in items], dtype=np.int64)
    rows = []
    for label in labels_against_rest(part.question):
        votes = np.array([counted.votes_for(label) for counted, _ in items], dtype=np.int64)
        confirmed = np.array([has_label(part.question, final, label) for _, final in items], dtype=np.bool_)
        rows += [
            ConfirmedVotes(
                part.opinion,
                part.question,
                part.where,
                label,
                f"{row.votes} of {row.repeats}",
                _for_people(row.confirmed, method),
            )
            for row in confirmed_by_votes(votes, repeats, confirmed, same_cases(voted), method.level)
        ]
    return rows


def _by_value(bundle: StudyBundle, part: ItemsAt, method: Method) -> list[ConfirmedVotes]:
    items = [one for one in part.items if one.said and one.final.label]
    values = np.array([_content(bundle, part.opinion, item) for item in items])
    confirmed = np.array([item.said == item.final.label for item in items], dtype=np.bool_)
    labels = {value: item.said or "" for value, item in zip(values.tolist(), items, strict=True)}
    return [
        ConfirmedVotes(
            part.opinion,
            part.question,
            part.where,
            label,
            value,
            _for_people(share_among(confirmed, values == value, same_cases(items), method.level), method),
        )
        for value, label in sorted(labels.items())
    ]


def _content(bundle: StudyBundle, opinion: Value, item: JudgedItem) -> str:
    """The published value as a text; several that stand for one answer are listed."""
    values = opinion.values_in(bundle.measurements[item.final.place.case])
    return ", ".join(dict.fromkeys(one if isinstance(one, str) else json.dumps(one) for one in values))


def _for_people(estimate: Estimate, method: Method) -> Estimate:
    return method.shown(estimate, estimate.n)


@dataclass(frozen=True)
class OpinionAsRater(AboutOpinion):
    """One opinion in the place of a rater, on the items of a part of the sample."""

    test: ReplacementTest

    def in_words(self) -> str:
        """What the test says."""
        at = "".join(f", {value}" for value in self.where.values())
        about = f"“{self.opinion.shown_name}” for {self.question.title}{at}"
        if self.test.winning.value is None:
            return (
                f"{about}: not tested. The test needs {FEWEST_ANNOTATORS} raters, each with {FEWEST_ITEMS} "
                "items that the opinion and another rater labelled too."
            )
        tested = [one for one in self.test.annotators if one.adjusted is not None]
        won = sum(one.won for one in tested)
        may = "may stand in for one of the raters" if self.test.passes else "may not replace a rater"
        return (
            f"{about} {may}: it falls short by less than {self.test.epsilon:g} of {won} of "
            f"{counted(len(tested), 'rater')} (false discovery rate {ERROR_RATE:g}); half of them are needed."
        )


@dataclass(frozen=True)
class LeftOutRater(OpinionAsRater):
    """One rater's row of the test."""

    rater: LeftOutAnnotator


def opinions_as_raters(judged: Judged, by: Sequence[str], epsilon: float) -> list[OpinionAsRater]:
    """Every opinion by the dimensions; raises RequestError for one that cases do not have."""
    return [
        OpinionAsRater(part.opinion, part.question, part.where, _tested(part, epsilon))
        for part in divided_items(judged, by)
    ]


def left_out_raters(tests: Sequence[OpinionAsRater]) -> Iterator[LeftOutRater]:
    """A row for each rater of each test."""
    return (LeftOutRater(**vars(test), rater=rater) for test in tests for rater in test.test.annotators)


def _tested(part: ItemsAt, epsilon: float) -> ReplacementTest:
    raters = sorted({row.rater for item in part.items for row in item.final.item_votes.votes})
    codes: dict[str, int] = {}
    table = np.array([_labels(item, raters, codes) for item in part.items], dtype=np.int64)
    return replacement_test(table[:, 0], table[:, 1:], raters, epsilon, same_cases(part.items))


def _labels(item: JudgedItem, raters: Sequence[str], codes: dict[str, int]) -> list[int]:
    """The opinion's and each rater's label as codes, which are given as labels are met."""
    votes = {row.rater: row.label for row in item.final.item_votes.votes}
    labels = [item.said, *(votes.get(rater) for rater in raters)]
    return [MISSING if label is None else codes.setdefault(label, len(codes)) for label in labels]
