"""Ratios of sums over clusters of cases: what a measure of models is, with intervals that resample clusters.

A case brings a sum x and a weight n to a measure (decisions that changed, and pairs of runs), and cases that
hang together form a cluster. Over m clusters the measure is p = Σx / Σn. Its standard error is the linearised
√(m/(m−1) · Σ(x − p n)²) / Σn (Cochran, W. G. (1977), Sampling Techniques, section 6.3; Särndal, C.-E.,
Swensson, B. and Wretman, J. (1992), Model Assisted Survey Sampling, section 5.6). Runs of one case are no
independent observations: an error that takes them for such is too small.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from reviewer.agreement.bootstrap import BOOTSTRAP, DEFAULT_RESAMPLES
from reviewer.agreement.intervals import DEFAULT_LEVEL, check_level, student_quantile
from reviewer.agreement.patterns import Floats, Ints
from reviewer.agreement.proportions import ZTest
from reviewer.agreement.reasons import NO_DATA, NO_SPREAD
from reviewer.core.estimate import Estimate, Interval

LINEARISED: Final = "linearised"
ONE_CLUSTER: Final = "one cluster"

_CELLS_AT_ONCE: Final = 2_000_000


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """What each of m clusters brings to a measure: sums and weights, each of length m.

    A cluster of weight 0 has nothing to say and is no part of the sample; it keeps its place, so that two
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


def ratio(measured: ClusterSums, level: float = DEFAULT_LEVEL) -> Estimate:
    """p with its linearised standard error and Student's interval over m − 1; n counts clusters.

    The interval ends at the bounds of the measure.
    """
    check_level(level)
    value, m = measured.value, measured.present
    if value is None:
        return Estimate.undefined(NO_DATA, 0)
    return _with_error(value, m, measured.residuals(), (measured.least, measured.most), level)


def difference(first: ClusterSums, second: ClusterSums, level: float = DEFAULT_LEVEL) -> Estimate:
    """p1 − p2 over the same clusters in the same order: pairs are compared cluster by cluster.

    n counts the clusters that have a weight in either. Raises ValueError for different numbers of clusters.
    """
    check_level(level)
    _check_same(first, second)
    m = int(((first.weights > 0) | (second.weights > 0)).sum())
    if first.value is None or second.value is None:
        return Estimate.undefined(NO_DATA, m)
    reach = first.most - second.least
    residuals = first.residuals() - second.residuals()
    return _with_error(first.value - second.value, m, residuals, (-reach, reach), level)


def error_of_runs(measured: ClusterSums) -> float | None:
    """√(p(1 − p)/Σn): the error of a share if all runs were independent, which they are not."""
    value = measured.value
    if value is None or not 0 <= value <= 1:
        return None
    return math.sqrt(value * (1 - value) / float(measured.weights.sum()))


def ratio_bootstrap(
    measured: Sequence[ClusterSums],
    *,
    seed: int,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = DEFAULT_LEVEL,
) -> list[Estimate]:
    """Each ratio with the percentile interval over resampled clusters, and the error of the resamples.

    Clusters that bring the same are drawn together, in one multinomial draw a resample.
    """
    check_level(level)
    return [_resampled(each, None, seed, resamples, level) for each in measured]


def difference_bootstrap(
    first: ClusterSums,
    second: ClusterSums,
    *,
    seed: int,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = DEFAULT_LEVEL,
) -> Estimate:
    """p1 − p2 with the percentile interval; a resample draws a cluster with what it brings to both."""
    check_level(level)
    _check_same(first, second)
    return _resampled(first, second, seed, resamples, level)


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


def design_effect(measured: ClusterSums) -> float | None:
    """How many times the variance of independent runs the clustered one is; None where either is 0."""
    estimate, naive = ratio(measured), error_of_runs(measured)
    return (estimate.se / naive) ** 2 if estimate.se and naive else None


def _check_same(first: ClusterSums, second: ClusterSums) -> None:
    if len(first.sums) != len(second.sums):
        raise ValueError(f"{len(first.sums)} and {len(second.sums)} clusters cannot be compared")


def _with_error(
    value: float, m: int, residuals: Floats, bounds: tuple[float, float], level: float
) -> Estimate:
    if m < 2:
        return Estimate(value, m, se_reason=ONE_CLUSTER)
    se = math.sqrt(m / (m - 1) * float((residuals**2).sum()))
    reach = student_quantile(level, m - 1) * se
    low, high = max(bounds[0], value - reach), min(bounds[1], value + reach)
    return Estimate(value, m, interval=Interval(low, high, level, LINEARISED), se=se)


def _resampled(
    first: ClusterSums, second: ClusterSums | None, seed: int, resamples: int, level: float
) -> Estimate:
    point = ratio(first, level) if second is None else difference(first, second, level)
    if point.value is None or point.n < 2:
        return point
    both = (first,) if second is None else (first, second)
    kinds, times = _kinds(both)
    values = _values(kinds, times, seed, resamples)
    defined = values[~np.isnan(values)]
    share = 1 - len(defined) / len(values)
    if len(defined) < 2:
        return Estimate(point.value, point.n, undefined_share=share)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    interval = Interval(float(low), float(high), level, BOOTSTRAP)
    se = float(defined.std(ddof=1))
    return Estimate(point.value, point.n, interval=interval, se=se, undefined_share=share)


def _kinds(measured: Sequence[ClusterSums]) -> tuple[Floats, Ints]:
    """The distinct rows of (x, n) that clusters bring, K × 2 or K × 4, and how many clusters bring each."""
    table = np.column_stack([column for each in measured for column in (each.sums, each.weights)])
    present = np.logical_or.reduce([each.weights > 0 for each in measured])
    kinds, times = np.unique(table[present], axis=0, return_counts=True)
    return kinds, times


def _values(kinds: Floats, times: Ints, seed: int, resamples: int) -> Floats:
    """The ratio, or the difference of two, in each resample; nan where a weight is 0."""
    generator = np.random.default_rng(seed)
    clusters = int(times.sum())
    rows = max(1, _CELLS_AT_ONCE // len(times))
    pieces = []
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        sums = generator.multinomial(clusters, times / clusters, size).astype(np.float64) @ kinds
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = sums[:, 0::2] / sums[:, 1::2]
        pieces.append(ratios[:, 0] - ratios[:, 1] if ratios.shape[1] == 2 else ratios[:, 0])
    return np.concatenate(pieces)
