"""What runs bring to measures, as arrays: every distinct comparison is judged once, for all rows of a table.

Arrays of comparisons have the shape (models, cases, rests, repeats): a rest is what the conditions of one
comparison share, so that with a version and an order there are two, one for each order.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np

from reviewer.agreement.clustered_ratios import Bools, ClusterSums
from reviewer.agreement.rating_patterns import Floats, Ints
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.protocols.evaluation import Condition, EvaluationPlan, Measure, conditions_of
from reviewer.results.outcomes.effect_rows import (
    COIN,
    CellRuns,
    Clusters,
    clusters_in_words,
    titles_without_reading,
)
from reviewer.results.outcomes.evaluated import (
    MISSING,
    NOT_ASKED,
    UNREADABLE,
    EvaluatedCase,
    Evaluation,
    Int8Array,
    Kinds,
    kinds_of,
)
from store.records import Case, JsonValue

_SHIFT = -NOT_ASKED
"""What makes every code of a label 0 or more."""

Compared = Mapping[str, Condition]
"""The values of the compared factor with their conditions; "" if nothing is compared."""


def compared_conditions(
    conditions: Sequence[Condition], over: str, among: Sequence[str] = ()
) -> dict[Condition, Compared]:
    """For each rest its conditions by value; a rest that lacks one of the values is not a comparison.

    ``over`` and ``among`` are those of a measure; with several factors, a value names one of each.
    """
    if not over:
        return {condition: {"": condition} for condition in conditions}
    factors = over.split("/")
    together: dict[Condition, dict[str, Condition]] = {}
    for condition in conditions:
        value = "/".join(condition[factor] for factor in factors)
        if among and value not in among:
            continue
        together.setdefault(condition.without(*factors), {})[value] = condition
    values = {value for by in together.values() for value in by}
    return {rest: by for rest, by in together.items() if len(values) > 1 and by.keys() == values}


@dataclass(frozen=True, eq=False)
class MeasuredRuns:
    """What each comparison brings to one measure.

    ``sums`` and ``weights`` are 0 where a reply is unreadable or absent. ``least`` and ``most`` are the sums
    if unreadable replies were the least or most favourable label, with ``full`` weights. ``unread`` says
    which comparisons are left out for an unreadable reply, ``assumed`` which count it as an answer
    (``unread_as`` of the measure), and ``present`` which have a reply under every value.
    """

    measure: Measure
    rests: tuple[Condition, ...]
    sums: Floats
    weights: Floats
    least: Floats
    most: Floats
    full: Floats
    unread: Bools
    assumed: Bools
    present: Bools

    def within(self, cell: CellRuns) -> "MeasuredRuns":
        """Those of one row of a table."""
        places = cell.places(self.rests)
        index = np.ix_(cell.models, cell.cases, places)
        sums, weights = self.sums[index], self.weights[index]
        least, most, full = self.least[index], self.most[index], self.full[index]
        unread, assumed, present = self.unread[index], self.assumed[index], self.present[index]
        rests = tuple(self.rests[place] for place in places.tolist())
        return MeasuredRuns(self.measure, rests, sums, weights, least, most, full, unread, assumed, present)


@dataclass(frozen=True, eq=False)
class Comparisons:
    """The comparisons of one measure in an evaluation."""

    evaluation: Evaluation
    measure: Measure

    @cached_property
    def compared(self) -> dict[Condition, Compared]:
        """The conditions that are compared, by what they share."""
        return compared_conditions(self.evaluation.conditions, self.measure.over, self.measure.among)

    @cached_property
    def runs(self) -> MeasuredRuns:
        """What every comparison brings."""
        values = len(next(iter(self.compared.values()), {"": None}))
        codes = self._codes(values)
        base = int(codes.max(initial=0)) + _SHIFT + 1
        digits = base ** np.arange(values, dtype=np.int64)
        combined = ((codes.astype(np.int64) + _SHIFT) * digits).sum(axis=-1)
        _, kind_of = self.evaluation.kinds
        kinds = kind_of[None, :, None, None] * max(1, len(self.compared))
        where = kinds + np.arange(len(self.compared))[None, None, :, None]
        distinct, which = np.unique(where * base**values + combined, return_inverse=True)
        judged = np.array([self._judged(int(key), base, values) for key in distinct], dtype=np.float64)
        taken = judged.reshape(-1, 8)[which.reshape(combined.shape)]
        sums, weights, least, most, full, *states = np.moveaxis(taken, -1, 0)
        unread, assumed, present = (state > 0 for state in states)
        rests = tuple(self.compared)
        return MeasuredRuns(self.measure, rests, sums, weights, least, most, full, unread, assumed, present)

    @cached_property
    def nulls(self) -> Floats:
        """What those bring who answer without reading (see ``sums_without_reading``)."""
        evaluation = self.evaluation
        return sums_without_reading(evaluation.plan, self.measure, self.compared, evaluation.kinds)

    def _codes(self, values: int) -> Int8Array:
        """Shape (models, cases, rests, repeats, values)."""
        evaluation = self.evaluation
        places = {condition: place for place, condition in enumerate(evaluation.conditions)}
        chosen = [[places[condition] for condition in by.values()] for by in self.compared.values()]
        index = np.array(chosen, dtype=np.int64).reshape(len(chosen), values)
        labels = stacked_labels(evaluation)
        return np.ascontiguousarray(np.moveaxis(labels[:, :, index, :], 3, -1))

    def _judged(self, key: int, base: int, values: int) -> tuple[float, ...]:
        where, combined = divmod(key, base**values)
        kind, rest = divmod(where, max(1, len(self.compared)))
        codes = [combined // base**place % base - _SHIFT for place in range(values)]
        if min(codes) <= MISSING:
            return (0.0,) * 8
        case, put = self.evaluation.kinds[0][kind], list(self.compared)[rest]
        named = self.compared[put]
        options = [case.labels if code == UNREADABLE else (case.labels[code],) for code in codes]
        brought = [
            _brought(self.measure, case, put, dict(zip(named, filled, strict=True)))
            for filled in product(*options)
        ]
        sums, weights = [value for value, _ in brought], [weight for _, weight in brought]
        ends = min(sums), max(sums), max(weights)
        if UNREADABLE in codes:
            return self._judged_unread(case, put, codes, ends)
        return (sums[0], weights[0], *ends, 0.0, 0.0, 1.0)

    def _judged_unread(
        self, case: EvaluatedCase, put: Condition, codes: Sequence[int], ends: tuple[float, float, float]
    ) -> tuple[float, ...]:
        """A comparison with an unreadable reply counts only if the measure has a label for such a reply."""
        stands_for = self.measure.unread_as
        if stands_for is None:
            return (0.0, 0.0, *ends, 1.0, 0.0, 1.0)
        labels = [stands_for if code == UNREADABLE else case.labels[code] for code in codes]
        named = self.compared[put]
        assumed = float(not self.measure.of_reading)
        return (
            *_brought(self.measure, case, put, dict(zip(named, labels, strict=True))),
            *ends,
            0.0,
            assumed,
            1.0,
        )


def comparisons_of(evaluation: Evaluation, measure: Measure) -> Comparisons:
    """The comparisons of a measure, made once for all tables."""
    kept: Comparisons = evaluation.judged.setdefault(measure.key, Comparisons(evaluation, measure))
    return kept


def sums_without_reading(
    plan: EvaluationPlan, measure: Measure, compared: Mapping[Condition, Compared], kinds: Kinds
) -> Floats:
    """What those bring who answer without reading, exactly: a coin, then each constant answerer.

    Their sums and weights, of shape (answerers, 2, cases, rests), in the order of ``titles_without_reading``.
    A coin takes every guess equally often: all tuples of guesses are counted.
    """
    examples, kind_of = kinds
    means = np.zeros((1 + len(plan.answerers), 2, len(examples), len(compared)))
    for (kind, case), (place, (rest, named)) in product(enumerate(examples), enumerate(compared.items())):
        thrown = product(case.guesses or case.labels, repeat=len(named))
        fixed = ([one.answer(case.facts, put) for put in named.values()] for one in plan.answerers)
        for answerer, answers in enumerate((thrown, *([given] for given in fixed))):
            brought = [
                _brought(measure, case, rest, dict(zip(named, given, strict=True)))
                if all(given)
                else (0.0, 0.0)
                for given in answers
            ]
            means[answerer, :, kind, place] = np.mean(brought, axis=0)
    return np.ascontiguousarray(means[:, :, kind_of])


def _brought(
    measure: Measure, case: EvaluatedCase, rest: Condition, labels: Mapping[str, str]
) -> tuple[float, float]:
    brought = measure.value(case.facts, rest, labels)
    return brought.value * brought.weight, brought.weight


def stacked_labels(evaluation: Evaluation) -> Int8Array:
    """The labels of all models, of shape (models, cases, conditions, repeats)."""
    return np.stack([evaluation.labels[model] for model in evaluation.models])


_Pairs = tuple[Floats, Floats]
"""Sums of shares and their number, of shape (models, cases)."""


@dataclass(frozen=True, eq=False)
class EffectArrays:
    """What all outcomes bring, computed once for all rows of a table."""

    evaluation: Evaluation
    keys: Sequence[str]
    clusters: Clusters

    @cached_property
    def everything(self) -> Bools:
        """The choice of all cases."""
        return np.ones(len(self.evaluation.cases), dtype=np.bool_)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that were asked for; raises RequestError for an unknown one."""
        known = {measure.key: measure for measure in self.evaluation.plan.measures}
        if unknown := [key for key in self.keys if key not in known]:
            raise RequestError(f"there is no measure {unknown[0]!r}; there are {', '.join(known)}.")
        return tuple(known[key] for key in self.keys) or self.evaluation.plan.measures

    @property
    def resampled(self) -> str:
        """What is resampled: the kind of the clusters, or what cases share that the protocol names."""
        noun = self.evaluation.plan.cluster_noun
        return noun if noun and self.clusters.kind == "case" else self.clusters.kind

    def shown(self, estimate: Estimate) -> Estimate:
        """The estimate, marked if it rests on few of what is resampled."""
        return estimate.resting_on(estimate.n, clusters_in_words(self.resampled))

    @cached_property
    def cluster_of(self) -> Ints:
        """The number of the cluster of each case."""
        cases = self.evaluation.cases
        names: Sequence[Hashable] = self.clusters.names or range(len(cases))
        if self.clusters.kind == "case" and self.evaluation.plan.cluster_noun:
            names = [case.cluster for case in cases]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return np.array([numbers[name] for name in names], dtype=np.int64)

    def clustered(
        self, sums: Floats, weights: Floats, cell: CellRuns, bounds: tuple[float, float]
    ) -> ClusterSums:
        """Sums and weights of a row for all clusters of the run; the second axis is that of its cases."""
        axes = tuple(axis for axis in range(sums.ndim) if axis != 1)
        number = int(self.cluster_of.max(initial=-1)) + 1
        places = self.cluster_of[cell.cases]
        x, n = (np.bincount(places, array.sum(axis=axes), number) for array in (sums, weights))
        return ClusterSums(x.astype(np.float64), n.astype(np.float64), *bounds)

    def measured(self, measure: Measure, cell: CellRuns) -> ClusterSums:
        """What the clusters of a row bring to a measure."""
        runs = comparisons_of(self.evaluation, measure).runs.within(cell)
        return self.clustered(runs.sums, runs.weights, cell, (measure.least, measure.most))

    def repeated(self, cell: CellRuns) -> list[ClusterSums]:
        """Noise and cross, each over all cases that have it; then the two over the cases that have both."""
        noise, cross = self._noise(cell), self._cross(cell)
        both = (noise[1] > 0) & (cross[1] > 0)
        return [
            self._of_cases(sums, weights * chosen, cell)
            for chosen in (np.ones_like(both), both)
            for sums, weights in (noise, cross)
        ]

    def _noise(self, cell: CellRuns) -> _Pairs:
        """The share of pairs of runs of one and the same text that differ, as a mean over texts and cases.

        2s(m−s)/(m(m−1)) for s of m with two labels; a text with fewer than two readable runs has none.
        """
        held = cell.places(self.evaluation.conditions)
        counts = self._counts[np.ix_(cell.models, cell.cases, held)]
        m = counts.sum(axis=-1)
        several = m > 1
        same = (counts * (counts - 1)).sum(axis=-1)
        shares = np.where(several, 1 - same / np.where(several, m * (m - 1), 1), 0.0)
        texts = several.sum(axis=-1)
        return shares.sum(axis=-1), texts.astype(np.float64)

    def _cross(self, cell: CellRuns) -> _Pairs:
        """The share of pairs of one run of either compared text that differ, as a mean over cases."""
        differ = pairs = np.zeros((len(cell.models), len(cell.cases)))
        for one, other in self._compared_texts(cell):
            first, second = (self._counts[:, :, at][np.ix_(cell.models, cell.cases)] for at in (one, other))
            total = first.sum(axis=-1) * second.sum(axis=-1)
            pairs = pairs + total
            differ = differ + total - (first * second).sum(axis=-1)
        return differ, pairs

    def _of_cases(self, sums: Floats, weights: Floats, cell: CellRuns) -> ClusterSums:
        """Each model's share of each case counts once."""
        defined = weights > 0
        shares = np.where(defined, sums / np.where(defined, weights, 1), 0.0)
        return self.clustered(shares, defined.astype(np.float64), cell, (0.0, 1.0))

    @cached_property
    def _counts(self) -> Floats:
        """How often each label was read, of shape (models, cases, conditions, labels)."""
        labels = stacked_labels(self.evaluation)
        return np.stack(
            [(labels == code).sum(axis=-1) for code in range(int(labels.max(initial=0)) + 1)], axis=-1
        ).astype(np.float64)

    def _compared_texts(self, cell: CellRuns) -> list[tuple[int, int]]:
        """Every two conditions that differ only in the factor that the first measure compares."""
        over = self.evaluation.plan.measures[0].over
        if not over:
            return []
        places = {put: place for place, put in enumerate(self.evaluation.conditions)}
        return [
            (places[one], places[other])
            for rest, named in compared_conditions(self.evaluation.conditions, over).items()
            if cell.has(rest)
            for one, other in combinations(named.values(), 2)
        ]


@dataclass(frozen=True)
class GuessedMeasure:
    """A measure for those who answer without reading, by their titles; over the ``cases`` that it judges.

    A value is None if no case can be judged.
    """

    measure: Measure
    cases: int
    values: Mapping[str, float | None]


def guessed_measures(
    plan: EvaluationPlan, cases: Iterable[tuple[Case, Mapping[str, JsonValue]]]
) -> list[GuessedMeasure]:
    """Each measure of a protocol over cases with their values by name, under the usual conditions."""
    held = [*cases]
    plan = plan.for_sample([case for case, _ in held])
    evaluated = [
        EvaluatedCase(
            place=place,
            dataset="",
            key="",
            digest=case.digest,
            group=case.group,
            generator="",
            facts=plan.facts(case, values),
            labels=plan.labels(case),
            sizes={},
            stale=False,
            guesses=plan.guesses(case),
        )
        for place, (case, values) in enumerate(held)
    ]
    kinds, conditions = kinds_of(evaluated), conditions_of(plan.factors, {})
    return [_guessed(plan, measure, conditions, kinds) for measure in plan.measures]


def _guessed(
    plan: EvaluationPlan, measure: Measure, conditions: Sequence[Condition], kinds: Kinds
) -> GuessedMeasure:
    titles = titles_without_reading(plan) | {COIN: "random guesses"}
    compared = compared_conditions(conditions, measure.over, measure.among)
    brought = sums_without_reading(plan, measure, compared, kinds)
    values = {
        title: float(sums.sum() / weights.sum()) if weights.sum() else None
        for title, (sums, weights) in zip(titles.values(), brought, strict=True)
    }
    judged = int((brought[0, 1].sum(axis=1) > 0).sum())  # a coin answers everything
    return GuessedMeasure(measure, judged, values)
