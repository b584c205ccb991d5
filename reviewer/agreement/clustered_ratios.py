"""Ratios of sums over clusters of cases: what a measure of models is, with intervals that resample clusters.

A case brings a sum x and a weight n to a measure (decisions that changed, and pairs of runs), and cases that
hang together form a cluster. Over m clusters the measure is p = Σx / Σn. Its standard error is the linearised
√(m/(m−1) · Σ(x − p n)²) / Σn (Cochran, W. G. (1977), Sampling Techniques, section 6.3; Särndal, C.-E.,
Swensson, B. and Wretman, J. (1992), Model Assisted Survey Sampling, section 5.6). Runs of one case are no
independent observations: an error that takes them for such is too small.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reviewer.agreement.bootstrap import BOOTSTRAP, DEFAULT_RESAMPLES
from reviewer.agreement.intervals import DEFAULT_LEVEL, check_level, percentile_ends, student_quantile
from reviewer.agreement.proportions import ZTest
from reviewer.agreement.rating_patterns import Floats
from reviewer.core.estimate import NO_DATA, NO_SPREAD, Estimate, Interval

Bools = NDArray[np.bool_]
Singles = NDArray[np.float32]

LINEARISED: Final = "linearised"
ONE_CLUSTER: Final = "one cluster"

_CELLS_AT_ONCE: Final = 2_000_000
_CELLS_KEPT: Final = 50_000_000
_MANY_CLUSTERS: Final = 1_000
_DRAWS_A_KIND: Final = 16
"""A multinomial draw of a kind takes about the time of this number of draws of single clusters."""


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """What each of m clusters brings to a measure: sums and weights, each of length m.

    A cluster of weight 0 has nothing to say and is not part of the sample; it keeps its place, so that two
    measures of the same clusters can be compared. ``least`` and ``most`` bound the measure.
    """

    sums: Floats
    weights: Floats
    least: float = -1.0
    most: float = 1.0

    @classmethod
    def of_cases(
        cls,
        sums: ArrayLike,
        weights: ArrayLike,
        clusters: Sequence[Hashable] | None = None,
        *,
        least: float = -1.0,
        most: float = 1.0,
    ) -> "ClusterSums":
        """From what each case brings; ``clusters`` names the cluster of each (None: each is its own).

        Raises ValueError for arrays of different lengths, weights below 0, and sums without weight.
        """
        x, n = np.asarray(sums, dtype=np.float64), np.asarray(weights, dtype=np.float64)
        if x.shape != n.shape or x.ndim != 1 or (clusters is not None and len(clusters) != len(x)):
            raise ValueError(f"each case needs a sum, a weight and a cluster, not {x.shape} and {n.shape}")
        if (n < 0).any() or (x[n == 0] != 0).any():
            raise ValueError("weights are 0 or more, and a case without weight has no sum")
        if clusters is None:
            return cls(x, n, least, most)
        numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(clusters))}
        place = np.array([numbers[cluster] for cluster in clusters], dtype=np.int64)
        x, n = (np.bincount(place, each, len(numbers)).astype(np.float64) for each in (x, n))
        return cls(x, n, least, most)

    @property
    def present(self) -> int:
        """How many clusters have a weight."""
        return int((self.weights > 0).sum())

    @property
    def value(self) -> float | None:
        """p, or None where no cluster has a weight."""
        total = float(self.weights.sum())
        return float(self.sums.sum()) / total if total else None

    def residuals(self) -> Floats:
        """Length m, (x − p n) / Σn: what each cluster adds to the error; 0 for those without weight."""
        total = float(self.weights.sum())
        return np.asarray((self.sums - (self.value or 0.0) * self.weights) / total) if total else self.sums


def combination(
    measured: Sequence[ClusterSums], factors: Sequence[float], level: float = DEFAULT_LEVEL
) -> Estimate:
    """Σ f p over ratios of the same clusters, with the linearised error of the whole.

    n counts the clusters that have a weight in any. Raises ValueError for different numbers of clusters.
    """
    check_level(level)
    _check_same(measured)
    m = int(_present(measured).sum())
    values = [ratio.value for ratio in measured]
    if None in values:
        return Estimate.undefined(NO_DATA, m)
    value = sum(factor * (each or 0.0) for factor, each in zip(factors, values, strict=True))
    if m < 2:
        return Estimate(value, m, se_reason=ONE_CLUSTER)
    se = _linearised_error(measured, factors, m)
    reach = student_quantile(level, m - 1) * se
    ends = [sorted((f * each.least, f * each.most)) for f, each in zip(factors, measured, strict=True)]
    least, most = sum(low for low, _ in ends), sum(high for _, high in ends)
    interval = Interval(max(least, value - reach), min(most, value + reach), level, LINEARISED)
    return Estimate(value, m, interval=interval, se=se)


def _linearised_error(measured: Sequence[ClusterSums], factors: Sequence[float], m: int) -> float:
    """√(m/(m−1) · Σ r²); ratios that share no cluster are independent, so each has the m of its own."""
    present = np.stack([ratio.weights > 0 for ratio in measured])
    sizes = present.sum(axis=1)
    apart = int(present.sum(axis=0).max()) == 1 and int(sizes.min()) > 1
    scales = [math.sqrt(n / (n - 1)) for n in (sizes.tolist() if apart else [m] * len(measured))]
    terms = zip(factors, scales, measured, strict=True)
    residuals = sum(factor * scale * each.residuals() for factor, scale, each in terms)
    return math.sqrt(float(np.square(residuals).sum()))


def error_of_runs(runs: ClusterSums) -> float | None:
    """The error if all runs were independent, which they are not; each run is a cluster of ``runs``.

    For a share it is √(p(1 − p)/n).
    """
    return None if runs.value is None else math.sqrt(float(np.square(runs.residuals()).sum()))


@dataclass(frozen=True, eq=False)
class Resampling:
    """Draws of clusters, which all measures of the same number of clusters share."""

    seed: int
    resamples: int = DEFAULT_RESAMPLES
    _drawn: dict[int, list[Singles]] = field(default_factory=dict)

    def ratios(self, measured: Sequence[ClusterSums]) -> Floats:
        """Each ratio (columns) in each resample (rows) of the clusters; nan where undefined.

        A resample draws a cluster with all that it brings to the measures.
        """
        _check_same(measured)
        columns = [column for ratio in measured for column in (ratio.sums, ratio.weights)]
        numbers: dict[bytes, int] = {}
        which = [numbers.setdefault(column.tobytes(), len(numbers)) for column in columns]
        distinct = [columns[which.index(number)] for number in range(len(numbers))]
        sums = self._sums(np.column_stack(distinct)[_present(measured)])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(sums[:, which[0::2]] / sums[:, which[1::2]])

    def _sums(self, table: Floats) -> Floats:
        """Each column added up over each resample of the rows."""
        clusters = len(table)
        if not clusters:
            return np.zeros((self.resamples, table.shape[1]))
        if clusters >= _MANY_CLUSTERS:
            kinds, times = np.unique(table, axis=0, return_counts=True)
            if len(kinds) * _DRAWS_A_KIND <= clusters:
                drawn = np.random.default_rng(self.seed).multinomial(
                    clusters, times / clusters, self.resamples
                )
                return np.asarray(drawn.astype(np.float64) @ kinds)
        single = table.astype(np.float32)
        return np.concatenate([times @ single for times in self._draws(clusters)]).astype(np.float64)

    def _draws(self, clusters: int) -> Iterable[Singles]:
        """How often each resample (rows) draws each cluster (columns), in pieces; a few are kept."""
        if clusters * self.resamples > _CELLS_KEPT:
            return self._pieces(clusters)
        if clusters not in self._drawn:
            self._drawn[clusters] = list(self._pieces(clusters))
        return self._drawn[clusters]

    def _pieces(self, clusters: int) -> Iterator[Singles]:
        generator = np.random.default_rng(self.seed)
        rows = max(1, _CELLS_AT_ONCE // clusters)
        for start in range(0, self.resamples, rows):
            size = min(rows, self.resamples - start)
            places = generator.integers(0, clusters, (size, clusters), dtype=np.uint32).astype(np.int64)
            places += np.arange(size)[:, None] * clusters
            times = np.bincount(places.ravel(), minlength=size * clusters)
            yield times.reshape(size, clusters).astype(np.float32)


def with_resamples(point: Estimate, values: Floats, level: float = DEFAULT_LEVEL) -> Estimate:
    """The estimate with the percentile interval of its resampled values, and their standard error."""
    check_level(level)
    if point.value is None or point.n < 2:
        return point
    defined = values[~np.isnan(values)]
    share = 1 - len(defined) / len(values)
    if len(defined) < 2:
        return Estimate(point.value, point.n, undefined_share=share)
    low, high = percentile_ends(defined, level)
    interval = Interval(low, high, level, BOOTSTRAP)
    se = float(defined.std(ddof=1))
    return Estimate(point.value, point.n, interval=interval, se=se, undefined_share=share)


def clustered_mcnemar(differences: ArrayLike) -> ZTest:
    """z = Σd / √Σd² over clusters, d = (a − b)/n: whether changes go one way more than the other.

    a goes from right to wrong, b from wrong to right. Durkalski, V. L. et al. (2003), Statistics in Medicine
    22, 2417-2428. Undefined without a cluster, and where no cluster has d ≠ 0.
    """
    d = np.asarray(differences, dtype=np.float64)
    if not len(d):
        return ZTest(None, None, NO_DATA)
    spread = float((d**2).sum())
    if not spread:
        return ZTest(None, None, NO_SPREAD)
    z = float(d.sum()) / math.sqrt(spread)
    return ZTest(z, math.erfc(abs(z) / math.sqrt(2)))


def student_test(estimate: Estimate) -> ZTest:
    """Student's t of a value against 0 by its standard error, over n − 1; undefined without an error."""
    from scipy.special import stdtr  # scipy costs a tenth of a second to load

    if estimate.value is None or estimate.se is None:
        return ZTest(None, None, estimate.reason or estimate.se_reason or NO_SPREAD)
    if not estimate.se:
        return ZTest(None, None, NO_SPREAD)
    t = estimate.value / estimate.se
    return ZTest(t, float(2 * stdtr(estimate.n - 1, -abs(t))))


def design_effect(se: float | None, runs: ClusterSums) -> float | None:
    """How many times the variance of independent runs the clustered one is; None where either is 0."""
    naive = error_of_runs(runs)
    return (se / naive) ** 2 if se and naive else None


def _check_same(measured: Sequence[ClusterSums]) -> None:
    if len({len(ratio.sums) for ratio in measured}) != 1:
        numbers = " and ".join(str(len(ratio.sums)) for ratio in measured)
        raise ValueError(f"{numbers} clusters cannot be compared")


def _present(measured: Sequence[ClusterSums]) -> Bools:
    """Which clusters have a weight in any of the measures."""
    return np.asarray(np.logical_or.reduce([ratio.weights > 0 for ratio in measured]))
