"""The share of each label in a run, from judges' labels of all its answers and experts' labels of some.

The same four estimates as of a dataset (``judge_shares``). An answer counts as often as it was given, and the
intervals are those of shares of items of which a case has several: a case is a case of the run, its items are
outcomes (``stratified_share_of_items``). The experts alone are the shares of ``answer_shares``.

The tuned estimate takes the judge's label of each answer for a stratum: of every stratum it is known how many
outcomes it has, and experts' labels weigh as they were drawn. That is the difference estimator whose λ is the
difference of the experts' shares in both strata. Where a stratum has labels of fewer than two cases, or the
judge tells experts' labels no better than chance, the estimate is that of the experts alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from reviewer.agreement.bootstrap import with_bootstrap
from reviewer.agreement.judge_shares import FourShares, WeightedRate, labels_for_half, rogan_gladen
from reviewer.agreement.rating_patterns import MISSING, Floats, Ints
from reviewer.agreement.stratified import StratumCounts, stratified_share_of_items
from reviewer.core.errors import RequestError
from reviewer.core.estimate import NO_DATA, NO_SPREAD, NOT_TWO_LABELS, ONE_CATEGORY, Estimate
from reviewer.core.question import Question
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.answer_origins import AnswerOrigin, origins_of, places_of_answers, source_of
from reviewer.results.labels.answer_shares import GROUP, MODEL, AnswerShare, answer_shares
from reviewer.results.labels.asked_judges import AskedJudge
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.results.labels.judged_population import JudgedPopulation, population_of
from reviewer.results.labels.judged_shares import JudgedShare, judged_shares, without_intervals
from reviewer.results.labels.judges_by_label import labels_against_rest
from reviewer.results.outcomes.run_answers import StoredAnswer, bare_answers, stored_answers
from reviewer.study.design.inclusion import inclusion_of
from reviewer.study.design.study_bundle import StudyBundle
from store.cases import PlacedCase
from store.database import Database

_ENDLESS: Final = 10**9
"""Cases of which those of the run are a draw, where the interval of a judge alone is asked for."""
_NOTHING: Final = 1e-15
"""Variances below it are rounding."""
_GENERATOR: Final = "generator"
_DIMENSIONS: Final = {"group": GROUP, _GENERATOR: MODEL}


@dataclass(frozen=True, eq=False)
class JudgedAnswers:
    """All N answers that could be drawn, and where the drawn ones come from, by digest.

    ``cases`` has the digests of the answers, ``groups`` and ``sources`` number their groups and the cases of
    the run, and ``outcomes`` has how many outcomes of each model they stand for, and under "all" of all.
    """

    cases: tuple[str, ...]
    group_names: tuple[str, ...]
    groups: Ints
    sources: Ints
    outcomes: Mapping[str, Floats]
    drawn: Mapping[str, AnswerOrigin]

    @classmethod
    def of(cls, answers: Sequence[StoredAnswer], drawn: Mapping[str, AnswerOrigin]) -> "JudgedAnswers":
        """From all answers about which judges were asked."""
        groups, sources = dict[str, int](), dict[tuple[str, str], int]()
        of_groups = [groups.setdefault(answer.group, len(groups)) for answer in answers]
        of_sources = [sources.setdefault(source_of(answer.given), len(sources)) for answer in answers]
        outcomes: dict[str, Floats] = {ALL: np.array([len(answer.given) for answer in answers], dtype=float)}
        for place, answer in enumerate(answers):
            for one in answer.given:
                model = str(one["model"])
                if model not in outcomes:
                    outcomes[model] = np.zeros(len(answers))
                outcomes[model][place] += 1
        return cls(
            tuple(answer.case for answer in answers),
            tuple(groups),
            np.array(of_groups, dtype=np.int64),
            np.array(of_sources, dtype=np.int64),
            outcomes,
            drawn,
        )

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each answer, by digest."""
        return {case: place for place, case in enumerate(self.cases)}

    def part(self, model: str, group: str) -> Ints:
        """The places of the answers of a model in a group."""
        held = (
            self.outcomes[model] > 0 if model in self.outcomes else np.zeros(len(self.cases), dtype=np.bool_)
        )
        if group != ALL:
            named = self.group_names.index(group) if group in self.group_names else -1
            held = held & (self.groups == named)
        return np.flatnonzero(held)

    def shares(
        self,
        bundle: StudyBundle,
        finals: Sequence[FinalLabel],
        by: Sequence[str],
        method: Method,
        asked: Sequence[AskedJudge],
    ) -> list[JudgedShare]:
        """By judge, dimensions and label, and then over all answers."""
        how = method.seeded(bundle.study.seed)
        of_experts = {
            (row.question.key, row.model, row.group, row.label): row
            for row in answer_shares(bundle, finals, self.drawn, [_dimension(name) for name in by], how.level)
        }
        return [
            share
            for judge in asked
            for share in _JudgeOfRun(self, bundle, judge, finals).shares(of_experts, by, how)
        ]


def population_of_labels(
    database: Database, bundle: StudyBundle, person: str
) -> JudgedPopulation | JudgedAnswers:
    """What a study could have drawn: cases of its datasets, or answers of a run that judges were asked about.

    Raises RequestError where a share of it cannot be told.
    """
    if bundle.design.answers is None:
        return population_of(database, bundle, person)
    answers = bare_answers(database, bundle)
    if not answers:
        raise _nobody_asked(bundle)
    return JudgedAnswers.of(answers, origins_of(bundle, places_of_answers(database, bundle)))


def answers_of_judges(database: Database, bundle: StudyBundle) -> Sequence[PlacedCase]:
    """All answers from which a study's were drawn; raises RequestError if no judge was asked about them."""
    placed = stored_answers(database, bundle)
    if not placed:
        raise _nobody_asked(bundle)
    return placed


def _nobody_asked(bundle: StudyBundle) -> RequestError:
    source, study = bundle.design.answers, bundle.study.name
    assert source is not None
    return RequestError(
        f"no judge was asked about all answers from which study {study!r} was drawn; run `reviewer "
        f"judges ask {study} --all-of {source.run} --model NAME` first."
    )


def shares_of_labels(
    bundle: StudyBundle,
    finals: Sequence[FinalLabel],
    population: JudgedPopulation | JudgedAnswers,
    by: Sequence[str],
    method: Method,
    asked: Sequence[AskedJudge],
) -> list[JudgedShare]:
    """The shares of labels in a dataset, or in a run whose answers a study reviews."""
    if isinstance(population, JudgedAnswers):
        return population.shares(bundle, finals, by, method, asked)
    return judged_shares(bundle, finals, population, by, method, asked)


def _dimension(name: str) -> str:
    if name not in _DIMENSIONS:
        raise RequestError(f"shares of answers are divided by group and generator, not by {name!r}.")
    return _DIMENSIONS[name]


_Experts = Mapping[tuple[str, str, str, str], AnswerShare]


@dataclass(frozen=True)
class _JudgeOfRun:
    """A judge's labels of all answers on one question, with the final labels of the drawn ones."""

    population: JudgedAnswers
    bundle: StudyBundle
    judge: AskedJudge
    finals: Sequence[FinalLabel]

    def shares(self, experts: _Experts, by: Sequence[str], method: Method) -> Iterator[JudgedShare]:
        """Those of each label in each part of which the experts' share is asked for too."""
        question = self._question
        labels = labels_against_rest(question)
        for (key, model, group, label), row in experts.items():
            if key != question.key or label not in labels:
                continue
            named = {GROUP: group, MODEL: model}
            where = {name: named[_DIMENSIONS[name]] for name in by}
            part = self._part(model, group, label)
            if not (part.judge != MISSING).any():
                continue
            shares = part.shares(row.share, question, method)
            outcomes, judged = part.outcomes.sum(), part.outcomes[part.judge != MISSING].sum()
            yield JudgedShare(self.judge.opinion, question, where, label, int(outcomes), int(judged), shares)

    def _part(self, model: str, group: str, label: str) -> "_JudgedPart":
        population = self.population
        held = population.part(model, group)
        places = dict(zip(held.tolist(), range(len(held)), strict=True))
        drawn = [
            (places[place], weight, said == label)
            for case, weight, said in self._labelled(model)
            if (place := population.places.get(case)) in places
        ]
        says = self._answers[held]
        label_code = self._question.labels.index(label)
        return _JudgedPart(
            population.outcomes[model][held] if len(held) else np.zeros(0),
            np.where(says == MISSING, MISSING, says == label_code).astype(np.int64),
            _in_order(population.sources[held]),
            np.array([place for place, _, _ in drawn], dtype=np.int64),
            np.array([weight for _, weight, _ in drawn], dtype=np.float64),
            np.array([has for _, _, has in drawn], dtype=np.float64),
        )

    @cached_property
    def _question(self) -> Question:
        return self.bundle.question(self.judge.opinion.question)

    @cached_property
    def _answers(self) -> Ints:
        """Length N, the place of the judge's answer among the labels; -1 without one."""
        votes, codes = self.judge.votes, {label: code for code, label in enumerate(self._question.labels)}
        given = (votes[case].answer if case in votes else None for case in self.population.cases)
        return np.array([MISSING if answer is None else codes.get(answer, len(codes)) for answer in given])

    def _labelled(self, model: str) -> Iterator[tuple[str, float, str]]:
        """The drawn answers with a final label, each with how many outcomes of the model it speaks for."""
        labels = {
            final.place.case: final.label
            for final in self.finals
            if final.question.key == self.judge.opinion.question and not final.stale
        }
        for stratum in inclusion_of(self.bundle).strata:
            for case in stratum.cases:
                label, outcomes = labels.get(case), self.population.drawn[case].outcomes(model)
                if label is not None and outcomes:
                    yield case, outcomes / stratum.chance_of(case), label


@dataclass(frozen=True, eq=False)
class _JudgedPart:
    """Answers of a part of a run: outcomes, the judge's label (1, 0, -1: none) and case of the run of each.

    ``drawn`` are the places of those with an expert's label, ``weights`` the outcomes that each speaks for,
    and ``experts`` 1 where they gave the label.
    """

    outcomes: Floats
    judge: Ints
    cases: Ints
    drawn: Ints
    weights: Floats
    experts: Floats

    def shares(self, experts: Estimate, question: Question, method: Method) -> FourShares:
        """All four; marked where experts labelled fewer than thirty answers."""
        number, level = len(self.drawn), method.level
        tuned, tuning = self._tuned(experts, level)
        corrected = self._corrected(level).resting_on(number, "labels")
        if len(question.labels) != 2:
            corrected = Estimate.undefined(NOT_TWO_LABELS, number)
        shares = FourShares(
            self._judge_alone(level),
            experts.resting_on(number, "labels"),
            corrected,
            tuned.resting_on(number, "labels"),
            tuning,
            self._saved(method),
            labels_for_half(number, len(self.outcomes)) if tuned.interval else None,
        )
        return without_intervals(shares) if method.interval == "none" else shares

    def _judge_alone(self, level: float) -> Estimate:
        """The judge's share among the outcomes that it labelled, as of other such cases."""
        judged = self.judge != MISSING
        has = self.judge[judged].astype(np.float64)
        return share_as_of_more_cases(self.cases[judged], self.outcomes[judged], has, level)

    def _tuned(self, experts: Estimate, level: float) -> tuple[Estimate, float]:
        """The tuned difference estimate with its λ."""
        kinds = [kind for kind in (0, 1, MISSING) if (self.judge == kind).any()]
        cells = [self._cell(kind) for kind in kinds]
        if experts.interval is None or any(cell is None for cell in cells) or {0, 1} - {*kinds}:
            return experts, 0.0
        tuning = self._share_of(1) - self._share_of(0)
        if tuning <= 0:
            return experts, 0.0
        strata, items = zip(*(cell for cell in cells if cell), strict=True)
        return replace(stratified_share_of_items(strata, items, level, weighted=True), n=experts.n), tuning

    def _share_of(self, kind: int) -> float:
        of = self.judge[self.drawn] == kind
        return float(self.weights[of] @ self.experts[of] / self.weights[of].sum())

    def _cell(self, kind: int) -> "tuple[StratumCounts, list[tuple[float, float]]] | None":
        """The answers with one label of the judge as a stratum whose outcomes are known.

        None if experts labelled answers to fewer than two cases of it, and not all.
        """
        held, of = self.judge == kind, self.judge[self.drawn] == kind
        items = _by_case(self.cases[self.drawn[of]], self.weights[of], self.experts[of])
        labelled, number = int(of.sum()), len(items)
        if labelled < min(2, int(held.sum())) or number < min(2, len({*self.cases[held].tolist()})):
            return None
        size = max(number, round(int(held.sum()) * number / labelled))
        scale = self.outcomes[held].sum() / size * number / self.weights[of].sum()
        scaled = [(with_label * scale, of_all * scale) for with_label, of_all in items]
        return StratumCounts(size, number, number, number), scaled

    def _corrected(self, level: float) -> Estimate:
        """Rogan and Gladen's, with sensitivity and specificity as weighted shares of the drawn answers."""
        alone, says = self._judge_alone(level), self.judge[self.drawn]
        known = says != MISSING
        value, error = alone.value, alone.se
        if value is None:
            return alone
        worth = value * (1 - value) / error**2 if error else float(len({*self.cases.tolist()}))
        sensitivity, specificity = (
            WeightedRate.of(self.weights, of.astype(np.int64), (of & (says == has)).astype(np.int64))
            for has in (1, 0)
            for of in [known & (self.experts == has)]
        )
        return rogan_gladen(value * worth, worth, sensitivity, specificity, len(self.drawn), level)

    def _saved(self, method: Method) -> Estimate:
        """1 − variance of the tuned estimate / that of the experts alone, cases resampled."""
        number, sums = len({*self.cases[self.drawn].tolist()}), self._sums
        if number < 3:
            return Estimate.undefined(NO_SPREAD, len(self.drawn))
        value = float(_saving(sums.sum(axis=0)[None], number)[0])
        if np.isnan(value):
            with_label = self.experts.sum()
            reason = ONE_CATEGORY if with_label in (0, len(self.experts)) else NO_SPREAD
            return Estimate.undefined(reason, len(self.drawn))
        chance = np.random.default_rng(method.seed or 0)
        times = chance.multinomial(number, np.full(number, 1 / number), method.resamples)
        # Half an answer more for each pair of labels, or a judge that never erred would vary by nothing.
        more = self.weights.mean() / 2 * np.array([4.0, 2.0, 2.0, 2.0, 1.0])
        resampled = _saving(times @ sums + more, number)
        return with_bootstrap(Estimate(value, len(self.drawn)), resampled, number, method.level)

    @cached_property
    def _sums(self) -> Floats:
        """Cases × 5: sums of w, w y, w f, w f² and w y f; f is the judge's mean where it has no label."""
        judged = self.judge != MISSING
        mean = self.outcomes[judged] @ self.judge[judged] / self.outcomes[judged].sum()
        f = np.where(self.judge == MISSING, mean, self.judge)[self.drawn]
        w, y = self.weights, self.experts
        _, place = np.unique(self.cases[self.drawn], return_inverse=True)
        columns = (w, w * y, w * f, w * f**2, w * y * f)
        return np.column_stack([np.bincount(place, column) for column in columns])


def _in_order(numbers: Ints) -> Ints:
    """The same numbers, counted from 0 in the order in which each comes first."""
    _, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[which.reshape(-1)]


def share_as_of_more_cases(cases: Ints, weights: Floats, has: Floats, level: float) -> Estimate:
    """The weighted share of answers, with the interval of a draw of these cases from many more."""
    items = _by_case(cases, weights, has)
    number = len(items)
    if not number:
        return Estimate.undefined(NO_DATA, 0)
    strata = [StratumCounts(_ENDLESS, number, number, number)]
    return stratified_share_of_items(strata, [items], level, weighted=True)


def _by_case(cases: Ints, weights: Floats, has: Floats) -> list[tuple[float, float]]:
    """For each case of the run, the weight with the label and in all."""
    _, place = np.unique(cases, return_inverse=True)
    pairs = zip(np.bincount(place, weights * has), np.bincount(place, weights), strict=True)
    return [(float(with_label), float(of_all)) for with_label, of_all in pairs]


def _saving(sums: Floats, number: int) -> Floats:
    """The squared correlation of B weighted draws, less what λ costs; nan where the experts do not vary."""
    w, wy, wf, wff, wyf = sums.T
    experts, judge = wy / w - (wy / w) ** 2, wff / w - (wf / w) ** 2
    both = wyf / w - wy * wf / w**2
    with np.errstate(divide="ignore", invalid="ignore"):
        left = (1 - both**2 / (experts * judge)) * ((number - 1) / (number - 2))
    saved = np.where((both > 0) & (judge > _NOTHING), np.maximum(0.0, 1 - left), 0.0)
    return np.where(experts > _NOTHING, saved, np.nan)
