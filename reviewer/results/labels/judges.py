"""Values that are opinions on a question, set against the final labels and against each rater."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reviewer.agreement import COHEN, ORDERED_COHEN, Ratings, all_agree, bootstrap
from reviewer.agreement.intervals import with_standard_error
from reviewer.agreement.judge import JudgeAmongRaters, judge_among_raters
from reviewer.agreement.reasons import NO_DATA, SETS
from reviewer.agreement.weighting import IDENTITY, LINEAR, QUADRATIC, Weighting
from reviewer.core.answers import chosen_labels
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.question import Question
from reviewer.protocols.base import Value
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.study.design.study_bundle import StudyBundle

JUDGE_DIMENSIONS = ("group", "generator", "dataset")
NO_LABEL = ""
"""An abstention, or an open final label."""
_JUDGE = "\0judge"
"""A column that no rater's name is."""


@dataclass(frozen=True)
class JudgedItem:
    """One item: what the opinion says (None: nothing), and the item's final label with its votes.

    ``unmapped``: the case has the value, but it stands for no answer to the question.
    """

    said: str | None
    unmapped: bool
    final: FinalLabel


@dataclass(frozen=True)
class JudgeResult:
    """One opinion on some items.

    Items without the value (``absent``) or with a value that stands for no answer (``unmapped``) are
    abstentions; ``unsettled`` items have an opinion and no final label yet. ``accuracy`` and ``kappa`` are on
    the others; where labels stand in order kappa is weighted, and ``weights`` names how. Where sets of labels
    answer, accuracy asks for equal sets, ``likeness`` is the mean Jaccard similarity of both sets, and kappa
    has no value. ``confusion`` counts items by what the opinion says and by final label, with "" for neither.
    ``raters`` compares it with each rater, and under "" with all, if that was asked for.
    """

    opinion: Value
    question: Question
    where: Mapping[str, str]
    items: int
    absent: int
    unmapped: int
    unsettled: int
    accuracy: Estimate
    kappa: Estimate
    likeness: Estimate | None
    weights: str
    confusion: Mapping[tuple[str, str], int]
    raters: Mapping[str, JudgeAmongRaters]
    whole: bool
    """Whether it is about all items of the question."""

    @property
    def has_open(self) -> bool:
        """Whether any item has no final label yet, with an opinion or without."""
        return any(final == NO_LABEL for _, final in self.confusion)


def judge_results(
    bundle: StudyBundle,
    finals: Sequence[FinalLabel],
    by: Sequence[str] = ("group",),
    method: Method | None = None,
    *,
    with_raters: bool = False,
) -> list[JudgeResult]:
    """Every opinion by the dimensions, and then over all items; without the values that no item has.

    Pass ``with_raters`` to compare with single raters too. Raises RequestError for a dimension that cases do
    not have.
    """
    check_judge_dimensions(by)
    how = (method or Method(interval="bootstrap")).seeded(bundle.study.seed)
    results: list[JudgeResult] = []
    for opinion in bundle.protocol.opinions:
        judgements = _judgements(bundle, opinion, finals)
        if any(judgement.said is not None or judgement.unmapped for judgement in judgements):
            results += _divided(opinion, judgements, by, how, with_raters)
    return results


def check_judge_dimensions(by: Sequence[str]) -> None:
    """Raise RequestError for a dimension that cases do not have, or that is named twice."""
    for dimension in by:
        if dimension not in JUDGE_DIMENSIONS or by.count(dimension) > 1:
            allowed = ", ".join(JUDGE_DIMENSIONS)
            raise RequestError(f"cannot divide by {dimension!r}; use each of {allowed} at most once.")


def said_of(bundle: StudyBundle, opinion: Value, final: FinalLabel) -> str | None:
    """The answer that an opinion gives to an item; None if it gives none."""
    return _judgement(bundle, opinion, final).said


def _judgements(bundle: StudyBundle, opinion: Value, finals: Sequence[FinalLabel]) -> list[JudgedItem]:
    return [
        _judgement(bundle, opinion, final)
        for final in finals
        if final.question.key == opinion.question and final.question.kind != "text"
    ]


def _judgement(bundle: StudyBundle, opinion: Value, final: FinalLabel) -> JudgedItem:
    """Values that stand for different labels are not an opinion."""
    measurements = bundle.measurements[final.place.case]
    said = opinion.answer_in(measurements, final.question)
    return JudgedItem(said, bool(opinion.values_in(measurements)) and said is None, final)


def _divided(
    opinion: Value,
    judgements: Sequence[JudgedItem],
    by: Sequence[str],
    how: Method,
    with_raters: bool,
) -> list[JudgeResult]:
    parts: dict[tuple[str, ...], list[JudgedItem]] = {}
    for judgement in judgements:
        key = tuple(str(getattr(judgement.final.place, dimension)) for dimension in by)
        parts.setdefault(key, []).append(judgement)
    wholes = {tuple(ALL for _ in by): judgements} if len(parts) > 1 else {}
    return [
        _result(
            opinion,
            part,
            dict(zip(by, key, strict=True)),
            how,
            whole=len(part) == len(judgements),
            with_raters=with_raters,
        )
        for key, part in [*parts.items(), *wholes.items()]
    ]


def _result(
    opinion: Value,
    judgements: Sequence[JudgedItem],
    where: Mapping[str, str],
    how: Method,
    *,
    whole: bool,
    with_raters: bool,
) -> JudgeResult:
    question = judgements[0].final.question
    weighting = _weighting(question, how)
    said = [judgement for judgement in judgements if judgement.said is not None]
    settled = [
        (judgement.said, judgement.final.label)
        for judgement in judgements
        if judgement.said is not None and judgement.final.label
    ]
    of_sets = question.kind == "labels"
    answers = sorted({answer for pair in settled for answer in pair}) if of_sets else question.labels
    both = Ratings.from_labels(settled, answers, ("judge", "final"))
    unmapped = sum(judgement.unmapped for judgement in judgements)
    return JudgeResult(
        opinion,
        question,
        where,
        len(judgements),
        len(judgements) - len(said) - unmapped,
        unmapped,
        len(said) - len(settled),
        _for_people(all_agree(both, how.level), how),
        _for_people(Estimate.undefined(SETS, len(settled)) if of_sets else _kappa(weighting, both, how), how),
        _for_people(_likeness(question, settled, how.level), how) if of_sets else None,
        weighting.key,
        Counter((judged.said or NO_LABEL, judged.final.label or NO_LABEL) for judged in judgements),
        _beside_raters(question, said, weighting, how) if with_raters and not of_sets else {},
        whole,
    )


def _likeness(question: Question, settled: Sequence[tuple[str, str]], level: float) -> Estimate:
    """The mean over items of |A ∩ B| / |A ∪ B|, 1 for two empty sets, with Student's interval."""
    if not settled:
        return Estimate.undefined(NO_DATA, 0)
    sets = [[frozenset(chosen_labels(question, answer)) for answer in pair] for pair in settled]
    shares = np.array([len(one & other) / len(one | other) if one | other else 1.0 for one, other in sets])
    return with_standard_error(float(shares.mean()), len(shares), shares, np.ones(len(shares), int), level)


def _weighting(question: Question, how: Method) -> Weighting:
    if not question.ordinal:
        return IDENTITY
    return LINEAR if how.weights == LINEAR.key else QUADRATIC


def _kappa(weighting: Weighting, both: Ratings, how: Method) -> Estimate:
    cohen = ORDERED_COHEN.get(f"{COHEN.key}_{weighting.key}", COHEN)
    if how.interval == "bootstrap":
        return bootstrap(both, cohen, seed=how.seed or 0, resamples=how.resamples, level=how.level)
    return cohen(both, how.level)


def _beside_raters(
    question: Question, said: Sequence[JudgedItem], weighting: Weighting, how: Method
) -> Mapping[str, JudgeAmongRaters]:
    votes = [{row.rater: row.label for row in judged.final.item_votes.votes} for judged in said]
    raters = sorted({rater for given in votes for rater in given})
    table = [
        [judged.said, *(given.get(rater) for rater in raters)]
        for judged, given in zip(said, votes, strict=True)
    ]
    compared = judge_among_raters(
        Ratings.from_labels(table, question.labels, (_JUDGE, *raters)),
        _JUDGE,
        weighting=weighting,
        seed=how.seed or 0,
        resamples=how.resamples if how.interval == "bootstrap" else 0,
        level=how.level,
    )
    return {rater: _all_for_people(among, how) for rater, among in compared.items()}


def _all_for_people(among: JudgeAmongRaters, how: Method) -> JudgeAmongRaters:
    agreement, kappa = (
        replace(
            compared,
            judge=_for_people(compared.judge, how),
            raters=_for_people(compared.raters, how),
            difference=_for_people(compared.difference, how),
        )
        for compared in (among.agreement, among.kappa)
    )
    return JudgeAmongRaters(agreement, kappa)


def _for_people(estimate: Estimate, how: Method) -> Estimate:
    return how.shown(estimate, estimate.n)
