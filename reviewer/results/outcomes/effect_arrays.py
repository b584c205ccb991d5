"""The sums that rows of a table add up: of measures, of noise, and of constant answerers."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from reviewer.agreement.clustered_ratios import Bools, ClusterSums
from reviewer.agreement.patterns import Floats, Ints
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.protocols.evaluation import Measure
from reviewer.results.outcomes.comparisons import (
    Comparisons,
    MeasuredRuns,
    NullSums,
    compared_conditions,
    stacked_labels,
)
from reviewer.results.outcomes.divisions import CellRuns
from reviewer.results.outcomes.effect_rows import COIN, Clusters, clusters_in_words
from reviewer.results.outcomes.evaluated import Evaluation

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

    @cached_property
    def runs(self) -> dict[str, MeasuredRuns]:
        """What each comparison brings to each measure."""
        return {measure.key: Comparisons(self.evaluation, measure).runs() for measure in self.measures}

    @cached_property
    def nulls(self) -> dict[str, dict[str, NullSums]]:
        """For each measure what a coin and each constant answerer bring."""
        made = {}
        for measure in self.measures:
            unread = Comparisons(self.evaluation, measure).unread
            answerers = {
                answerer.key: unread.of_answerer(answerer) for answerer in self.evaluation.plan.answerers
            }
            made[measure.key] = {COIN: unread.of_coin(), **answerers}
        return made

    @cached_property
    def stacked_nulls(self) -> dict[str, Floats]:
        """The sums and weights of ``nulls`` in one array for each measure: (keys, 2, cases, rests)."""
        return {
            measure: np.array([(null.sums, null.weights) for null in nulls.values()])
            for measure, nulls in self.nulls.items()
        }

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

    def selected(self, measure: Measure, cell: CellRuns) -> tuple[Ints, ...]:
        """The index of a row's comparisons in the arrays of a measure."""
        rests = [place for place, rest in enumerate(self.runs[measure.key].rests) if cell.has(rest)]
        return np.ix_(cell.models, cell.cases, np.array(rests, dtype=np.int64))

    def clustered(
        self, sums: Floats, weights: Floats, cell: CellRuns, bounds: tuple[float, float]
    ) -> ClusterSums:
        """Sums and weights of a row for all clusters of the run; the second axis is that of its cases."""
        axes = tuple(axis for axis in range(sums.ndim) if axis != 1)
        number = int(self.cluster_of.max(initial=-1)) + 1
        places = self.cluster_of[cell.cases]
        x, n = (np.bincount(places, array.sum(axis=axes), number) for array in (sums, weights))
        return ClusterSums(x.astype(np.float64), n.astype(np.float64), *bounds)

    def assumed(self, measure: Measure, cell: CellRuns) -> int:
        """How many comparisons of a row have an unreadable reply that the measure takes for an answer."""
        return int(self.runs[measure.key].assumed[self.selected(measure, cell)].sum())

    def measured(self, measure: Measure, cell: CellRuns) -> ClusterSums:
        """What the clusters of a row bring to a measure."""
        runs, index = self.runs[measure.key], self.selected(measure, cell)
        return self.clustered(runs.sums[index], runs.weights[index], cell, (measure.least, measure.most))

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
        held = [place for place, put in enumerate(self.evaluation.conditions) if cell.has(put)]
        counts = self._counts[np.ix_(cell.models, cell.cases, np.array(held, dtype=np.int64))]
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
