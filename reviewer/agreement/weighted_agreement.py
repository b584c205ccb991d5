"""Coefficients and means of a dataset from a draw by strata: each item has the weight of its stratum.

The agreement of the raters and the shares of labels that chance agreement uses are means over items, and all
are weighted alike: Gwet, K. L. (2014), Handbook of Inter-Rater Reliability. So a mean is Hájek's,
Σ w_i y_i / Σ w_i. (Weights are scaled to a mean of 1, since alpha depends on the number of labels.)

The bootstrap resamples within strata: n_h − 1 of the n_h drawn cases, and a case that was resampled r times
gets w_h (1 − λ_h + λ_h r n_h / (n_h − 1)) with λ_h = √(1 − n_h / N_h), so that it also holds where most cases
of a stratum were drawn. Rao, J. N. K. and Wu, C. F. J. (1988), JASA 83, 231-241; Rao, J. N. K., Wu, C. F. J.
and Yue, K. (1992), Survey Methodology 18, 209-217.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.agreement.bootstrap import DEFAULT_RESAMPLES, Statistic, Urn, urn_of, with_bootstrap
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.rating_patterns import Floats, Ints
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.stratified import StratumCounts, why_no_error, why_no_share
from reviewer.core.estimate import Estimate

WITHIN_STRATA: Final = "bootstrap within strata"


def weighted_estimates(
    ratings: Ratings,
    statistics: Sequence[Statistic],
    strata: Sequence[StratumCounts],
    stratum_of: Sequence[int] | Ints,
    *,
    seed: int,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = DEFAULT_LEVEL,
    cases: Sequence[Hashable] | None = None,
) -> list[Estimate]:
    """Several statistics of the dataset, each with a bootstrap interval.

    ``stratum_of`` gives for each item the place of its stratum in ``strata``, and ``cases`` the case it
    belongs to, where a case carries several items. What strata count are cases; a case without a rating is
    missing, whatever their ``counted`` says.
    """
    urns = {
        by_rater: _WeightedUrn.of(urn_of(ratings, by_rater, cases), strata, np.asarray(stratum_of))
        for by_rater in {statistic.by_rater for statistic in statistics}
    }
    found: dict[int, Estimate] = {}
    for by_rater, urn in urns.items():
        at = [place for place, statistic in enumerate(statistics) if statistic.by_rater == by_rater]
        alike = [statistics[place] for place in at]
        points = [statistic(ratings, level) for statistic in alike]
        found.update(zip(at, urn.estimates(alike, points, seed, resamples, level), strict=True))
    return [found[place] for place in range(len(statistics))]


@dataclass(frozen=True, eq=False)
class _WeightedUrn:
    """The units of a draw by strata: ``times`` has for each of H strata how many units are of each kind."""

    urn: Urn
    strata: tuple[StratumCounts, ...]
    times: tuple[Ints, ...]

    @classmethod
    def of(cls, urn: Urn, strata: Sequence[StratumCounts], stratum_of: Ints) -> "_WeightedUrn":
        of_units = stratum_of[urn.items]
        times = tuple(urn.times_among(of_units == place) for place in range(len(strata)))
        counts = (int(number.sum()) for number in times)
        return cls(urn, tuple(replace(s, counted=n) for s, n in zip(strata, counts, strict=True)), times)

    def estimates(
        self,
        statistics: Sequence[Statistic],
        points: Sequence[Estimate],
        seed: int,
        resamples: int,
        level: float,
    ) -> list[Estimate]:
        """The weighted values in the place of those of the sample, all from the same resamples."""
        weighted = [
            self._weighted(statistic, point) for statistic, point in zip(statistics, points, strict=True)
        ]
        if reason := why_no_error(self.strata):
            return [one if one.reason else replace(one, se_reason=reason) for one in weighted]
        values = {place: np.empty(resamples) for place, one in enumerate(weighted) if not one.reason}
        for piece, weights in self.urn.draw(seed, resamples, self._redrawn) if values else ():
            for place, kept in values.items():
                kept[piece] = statistics[place].values(self.urn.patterns, weights)
        for place, kept in values.items():
            weighted[place] = with_bootstrap(weighted[place], kept, self.urn.units, level, WITHIN_STRATA)
        return weighted

    def _weighted(self, statistic: Statistic, point: Estimate) -> Estimate:
        """The value with weights, without an interval."""
        if reason := point.reason or why_no_share(self.strata):
            return Estimate.undefined(reason, point.n)
        value = statistic.values(self.urn.patterns, self.urn.of_patterns(self._weights()))
        return Estimate(float(value[0]), point.n, left_out=point.left_out)

    def _weights(self) -> Floats:
        """1 × K, the weights of the kinds of units."""
        parts = [self._scale * s.weight * times for s, times in self._present]
        return np.asarray(sum(parts))[None, :]

    def _redrawn(self, generator: np.random.Generator, rows: int) -> Floats:
        """Rows × K, the weights in as many resamples."""
        parts = [self._scale * s.weight * _resampled(s, times, generator, rows) for s, times in self._present]
        return np.asarray(sum(parts))

    @property
    def _present(self) -> list[tuple[StratumCounts, Ints]]:
        return [(s, times) for s, times in zip(self.strata, self.times, strict=True) if s.counted]

    @property
    def _scale(self) -> float:
        return self.urn.units / sum(s.population for s in self.strata)


def _resampled(stratum: StratumCounts, times: Ints, generator: np.random.Generator, rows: int) -> Floats:
    """Rows × K, how often each kind of unit of a stratum counts in as many resamples."""
    n = stratum.answered
    reach = math.sqrt(1 - n / stratum.size)
    if not reach:
        return np.tile(times.astype(np.float64), (rows, 1))
    others = n - stratum.counted
    drawn = generator.multinomial(n - 1, np.append(times, others) / n, rows)[:, :-1]
    return np.asarray((1 - reach) * times + reach * n / (n - 1) * drawn)
