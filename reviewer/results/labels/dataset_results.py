"""Agreement and pass rates of a dataset: those of a sample, weighted by how its cases were drawn."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.coefficient import Coefficient
from reviewer.agreement.pass_rates import PassRule
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.shares import LabelShare
from reviewer.agreement.stratified import StratumCounts, stratified_share, stratified_share_of_items
from reviewer.agreement.weighted_agreement import weighted_estimates
from reviewer.core.estimate import Estimate
from reviewer.results.labels.agreement_results import AgreementResult, Method, result_of
from reviewer.results.labels.coefficient_choice import KNOWN
from reviewer.results.labels.dimensions import ALL, PAIR, STRATUM
from reviewer.results.labels.divided_items import ResultCell, StudyLabels, answers_of, divided, summed_first
from reviewer.results.labels.statistics_cache import StatisticsCache
from reviewer.study.design.inclusion import weighted_strata
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_design import FrozenStratum
from reviewer.study.session.label_rows import items_of


def dataset_results(
    bundle: StudyBundle,
    labels: StudyLabels,
    by: Sequence[str],
    method: Method | None = None,
    cache: StatisticsCache | None = None,
    *,
    rate_intervals: bool = True,
) -> list[AgreementResult]:
    """A weighted result for each cell and for pooled cells; means of cells have none.

    Without ``rate_intervals``, pass rates have values alone, which is half the time.

    Empty if the sample speaks for its dataset without weights, or cannot, and if labels are divided by pair
    of raters. Single strata have none: within a stratum all weights are alike.
    """
    strata = weighted_strata(bundle)
    if not strata or PAIR in by:
        return []
    how, cache = (method or Method()).for_study(bundle), cache or StatisticsCache()
    answers = answers_of(bundle, labels)
    cells = divided(items_of(bundle), answers, by)
    pooled = [cell for _, cell in summed_first(answers, cells, by)]
    weighted = (cell for cell in (*cells.values(), *pooled) if cell.where.get(STRATUM, ALL) == ALL)
    rate_level = how.level if rate_intervals and how.interval != "none" else None
    return [_weighted_result(_WeightedCell(cell, strata, how, rate_level), by, cache) for cell in weighted]


def _weighted_result(cell: "_WeightedCell", by: Sequence[str], cache: StatisticsCache) -> AgreementResult:
    """The numbers of a cell with weights in the place of those of the sample; counts are the sample's."""
    sample = result_of("dataset", cell.labels, replace(cell.how, interval="none"), by, cache)
    ratings, judged, passing = cell.labels.ratings, cell.labels.judged, cell.labels.passing_votes
    if ratings is None:
        return sample
    keys = [*sample.coefficients]
    known = [KNOWN[key] for key in keys]
    if judged is not None and _same_labels(ratings, judged, passing):  # one draw does for all
        *coefficients, passing_share = cell.estimates(ratings, [*known, LabelShare(cell.labels.passing)])
    else:
        coefficients = cell.estimates(ratings, known)
        passing_share = sample.passing_share
        if judged is not None:
            (passing_share,) = cell.estimates(judged, [LabelShare(passing)])
    result = replace(sample, coefficients=dict(zip(keys, coefficients, strict=True)), skew=None)
    if judged is None:
        return result
    return replace(
        result,
        passing_share=passing_share,
        majority=cell.pass_rate(cell.labels.decided or judged, PassRule(passing)),
        unanimity=sample.unanimity
        if cell.labels.third is not None
        else cell.pass_rate(judged, PassRule(passing, unanimous=True)),
    )


def _same_labels(ratings: Ratings, judged: Ratings, passing: Sequence[Hashable]) -> bool:
    """Whether all items pass with the same labels, so that both are the same labels by other names."""
    categories = tuple((label, (label, True) in passing) for label in ratings.categories)
    return judged.categories == categories and np.array_equal(judged.codes, ratings.codes)


@dataclass(frozen=True, eq=False)
class _WeightedCell:
    """A cell with the strata from which its cases were drawn.

    Pass rates have intervals at ``rate_level``, or none.
    """

    labels: ResultCell
    frozen: tuple[FrozenStratum, ...]
    how: Method
    rate_level: float | None

    @cached_property
    def stratum_of(self) -> NDArray[np.int64]:
        """The stratum of each item, as its place among all."""
        places = {case: place for place, s in enumerate(self.frozen) for case in s.cases}
        return np.array([places[case] for case in self.labels.cases], dtype=np.int64)

    @cached_property
    def strata(self) -> list[StratumCounts]:
        """The strata, as if all cases that the cell is about had an answer."""
        concerned = [set(self.labels.cases).intersection(s.cases) for s in self.frozen]
        return [
            StratumCounts(s.size, s.drawn, len(cases), len(cases))
            for s, cases in zip(self.frozen, concerned, strict=True)
        ]

    def estimates(
        self, ratings: Ratings, statistics: Sequence[Coefficient | LabelShare | PassRule]
    ) -> list[Estimate]:
        """Weighted statistics as people are shown them, with intervals that resample within strata."""
        estimates = weighted_estimates(
            ratings,
            statistics,
            self.strata,
            self.stratum_of,
            seed=self.how.seed or 0,
            resamples=self.how.resamples,
            level=self.how.level,
            cases=self.labels.cases if self.labels.clustered else None,
        )
        return [self._shown(estimate) for estimate in estimates]

    def pass_rate(self, judged: Ratings, rule: PassRule) -> Estimate:
        """The pass rate of the dataset."""
        if self.labels.clustered:
            return self._shown(self._rate_of_items(judged, rule))
        rates = [rule.rate(judged.among(self.stratum_of == place)) for place in range(len(self.strata))]
        strata = [replace(s, counted=rate.estimate.n) for s, rate in zip(self.strata, rates, strict=True)]
        return self._shown(stratified_share(strata, [rate.passed for rate in rates], self.rate_level))

    def _rate_of_items(self, judged: Ratings, rule: PassRule) -> Estimate:
        """The pass rate of items, of which a case has several."""
        held = dict.fromkeys(self.labels.cases, (0, 0))
        for case, (passed, rated) in zip(self.labels.cases, rule.of_items(judged).tolist(), strict=True):
            held[case] = (held[case][0] + passed, held[case][1] + rated)
        items = [[held[case] for case in s.cases if case in held and held[case][1]] for s in self.frozen]
        strata = [replace(s, counted=len(of_cases)) for s, of_cases in zip(self.strata, items, strict=True)]
        return stratified_share_of_items(strata, items, self.rate_level)

    def _shown(self, estimate: Estimate) -> Estimate:
        return self.how.shown(estimate, min(self.labels.labelled_cases, estimate.n))
