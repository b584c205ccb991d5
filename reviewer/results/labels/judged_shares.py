"""The share of each label in a dataset, from opinions on all its cases and the final labels of some."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.judge_shares import FourShares, JudgedDataset
from reviewer.agreement.rating_patterns import MISSING, Ints
from reviewer.core.estimate import NOT_TWO_LABELS, Estimate
from reviewer.core.number_text import percent
from reviewer.core.question import Question
from reviewer.protocols.base import Value
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.asked_judges import AskedJudge
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.results.labels.judge_results import AboutOpinion, check_judge_dimensions
from reviewer.results.labels.judged_population import JudgedPopulation
from reviewer.results.labels.judges_by_label import has_label, labels_against_rest
from reviewer.study.design.study_bundle import StudyBundle

TUNED: Final = "tuned"
_NAMES: Final = {
    "judge": "opinion alone",
    "experts": "experts alone",
    "corrected": "corrected (Rogan-Gladen)",
    TUNED: "tuned difference",
}


@dataclass(frozen=True)
class JudgedShare(AboutOpinion):
    """The share of a label in a part of the dataset of ``cases``, of which ``judged`` have the opinion."""

    label: str
    cases: int
    judged: int
    shares: FourShares


@dataclass(frozen=True)
class ShareEstimate(JudgedShare):
    """One of the four estimates: judge, experts, corrected or tuned."""

    estimate: str

    @property
    def title(self) -> str:
        """What people read."""
        return _NAMES[self.estimate]

    @property
    def share(self) -> Estimate:
        """The estimate itself."""
        estimate: Estimate = getattr(self.shares, self.estimate)
        return estimate


@dataclass(frozen=True, eq=False)
class _Columns:
    """What is known of each case that could be drawn, as arrays of one length."""

    opinion: Value
    question: Question
    said: Sequence[str | None]
    final: Sequence[str | None]
    drawn: NDArray[np.bool_]
    strata: Ints
    keys: Sequence[tuple[str, ...]]

    def share(self, among: NDArray[np.bool_], label: str, method: Method) -> tuple[int, FourShares]:
        judge, experts = (self._codes(answers, among, label) for answers in (self.said, self.final))
        dataset = JudgedDataset.of_cases(self.strata[among], judge, self.drawn[among], experts)
        shares = dataset.shares(seed=method.seed or 0, resamples=method.resamples, level=method.level)
        if not self.question.answer_kind.is_label or len(self.question.labels) != 2:
            none = Estimate.undefined(NOT_TWO_LABELS, shares.corrected.n)
            shares = replace(shares, corrected=none)
        return int((judge != MISSING).sum()), without_intervals(
            shares
        ) if method.interval == "none" else shares

    def _codes(self, answers: Sequence[str | None], among: NDArray[np.bool_], label: str) -> Ints:
        codes = [
            MISSING if answer is None else int(has_label(self.question, answer, label))
            for answer, counts in zip(answers, among.tolist(), strict=True)
            if counts
        ]
        return np.array(codes, dtype=np.int64)


def judged_shares(
    bundle: StudyBundle,
    finals: Sequence[FinalLabel],
    population: JudgedPopulation,
    by: Sequence[str],
    method: Method,
    asked: Sequence[AskedJudge] = (),
) -> list[JudgedShare]:
    """By opinion, dimensions and label, and then over all cases; opinions that no case has are left out."""
    check_judge_dimensions(by)
    how = method.seeded(bundle.study.seed)
    return [
        JudgedShare(
            columns.opinion,
            columns.question,
            where,
            label,
            int(among.sum()),
            *columns.share(among, label, how),
        )
        for columns in _all_columns(bundle, finals, population, by, asked)
        for where, among in _parts(columns.keys, by)
        for label in labels_against_rest(columns.question)
    ]


def share_estimates(shares: Sequence[JudgedShare]) -> list[ShareEstimate]:
    """Four rows for each share."""
    return [ShareEstimate(**vars(share), estimate=name) for share in shares for name in _NAMES]


def savings_in_words(shares: Sequence[JudgedShare]) -> list[str]:
    """A sentence on each opinion over all cases: what share of the experts' labels it saves."""
    return [
        f"{_about(share)}: {_saving(share.shares)}"
        for share in shares
        if {*share.where.values()} <= {ALL} and share.shares.saves_labels is not None
    ]


def _about(share: JudgedShare) -> str:
    return f"“{share.opinion.shown_name}”, {share.question.title} = {share.label}"


def _saving(shares: FourShares) -> str:
    """How many labels a judge saves, or that this is not shown: an interval may reach 0."""
    saved = shares.saved
    if saved.value is None or saved.interval is None:
        return "it is not known whether this judge saves labels."
    between = f"{percent(saved.interval.low)} to {percent(saved.interval.high)}"
    if not saved.interval.high:
        return "this judge saves no labels."
    if not shares.saves_labels:
        return f"it is not shown that this judge saves labels: {percent(saved.value)} ({between})."
    more = f" {shares.more:,} labels more would halve the interval." if shares.more else ""
    return f"this judge saves {percent(saved.value)} of the labels ({between}).{more}"


def without_intervals(shares: FourShares) -> FourShares:
    """The same estimates alone."""
    bare = {
        name: replace(getattr(shares, name), interval=None)
        for name in ("judge", "experts", "corrected", "tuned", "saved")
    }
    return replace(shares, **bare)


def _all_columns(
    bundle: StudyBundle,
    finals: Sequence[FinalLabel],
    population: JudgedPopulation,
    by: Sequence[str],
    asked: Sequence[AskedJudge],
) -> Iterator[_Columns]:
    named = {question.key for question in bundle.questions if question.answer_kind.is_judged}
    for opinion in bundle.protocol.opinions:
        if opinion.question in named:
            said = population.answers(bundle, opinion)
            yield from _columns(bundle, finals, population, by, opinion, said)
    for judge in asked:
        votes = [judge.votes.get(case.digest) for _, case in population.cases]
        replies = [one.answer if one else None for one in votes]
        yield from _columns(bundle, finals, population, by, judge.opinion, replies)


def _columns(
    bundle: StudyBundle,
    finals: Sequence[FinalLabel],
    population: JudgedPopulation,
    by: Sequence[str],
    opinion: Value,
    said: Sequence[str | None],
) -> Iterator[_Columns]:
    """The columns of one opinion over the cases that its question is asked about; nothing if it is silent."""
    question = bundle.question(opinion.question)
    asked = [
        place for place, (_, case) in enumerate(population.cases) if bundle.protocol.asks(question, case)
    ]
    if all(said[place] is None for place in asked):
        return
    labels = {final.place.case: final.label for final in finals if final.question.key == question.key}
    counted = {place.case for place in bundle.counted}
    cases = [population.cases[place] for place in asked]
    yield _Columns(
        opinion,
        question,
        [said[place] for place in asked],
        [labels.get(case.digest) for _, case in cases],
        np.array([case.digest in counted for _, case in cases], dtype=np.bool_),
        np.array([population.strata[place] for place in asked], dtype=np.int64),
        [tuple(_dimension(placed, case.group, name) for name in by) for placed, case in cases],
    )


def _dimension(place: object, group: str, name: str) -> str:
    return group if name == "group" else str(getattr(place, name))


def _parts(
    keys: Sequence[tuple[str, ...]], by: Sequence[str]
) -> Iterator[tuple[Mapping[str, str], NDArray[np.bool_]]]:
    """The parts by the dimensions, and then all cases where there are several."""
    different = [*dict.fromkeys(keys)]
    for key in different if by else ():
        yield dict(zip(by, key, strict=True)), np.array([one == key for one in keys], dtype=np.bool_)
    if len(different) > 1 or not by:
        yield dict.fromkeys(by, ALL), np.ones(len(keys), dtype=np.bool_)
