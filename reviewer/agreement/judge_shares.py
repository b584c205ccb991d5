"""The share of a label in a whole dataset, from a judge's labels of all cases and experts' of a draw.

Four estimates of the same share. The judge alone. The experts alone, by the strata of the draw. Rogan and
Gladen's (1978, American Journal of Epidemiology 107, 71-76) from the judge's share and its sensitivity and
specificity in the draw, with Lang and Reiczigel's interval (2014, Preventive Veterinary Medicine 113, 13-22).
And the tuned difference estimator: the judge's share over all cases plus the mean difference of experts and
judge in the draw, where the judge's labels are multiplied by λ, which is the covariance of both over the
variance of the judge's, within 0 to 1 (Angelopoulos, A. N., Duchi, J. C. and Zrnic, T. (2023), PPI++).

With two labels of the judge and λ from the draw, the last one is the mean of the experts' shares among the
cases with each label of the judge, weighted by how many cases of the dataset have it (λ is the difference of
the two shares). So it is an estimate by strata, which the judge makes after the draw, and its interval is
that of ``stratified``: the profile over the table of judge and experts. Normal intervals cover 15 to 93%
where the share is .9 to .97 or the judge nearly perfect; this one covers 92% or more from thirty labels on.
A stratum of the draw is divided by the judge's labels if experts labelled two cases or more with each.
If some stratum cannot be divided, and the strata have similar weights, all are taken together instead. To
choose by the labels themselves, or to take only small strata together, was biased in simulations. Where λ
would not exceed 0, the estimate is that of the experts alone.

The target of all is the dataset itself, so that what is left out of the draw alone is uncertain.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.bootstrap import DEFAULT_RESAMPLES, with_bootstrap
from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import normal_quantile, proportion
from reviewer.agreement.rating_patterns import MISSING, Floats, Ints
from reviewer.agreement.stratified import StratumCounts, share_of_cells, stratified_share
from reviewer.core.estimate import (
    NO_BETTER_THAN_CHANCE,
    NO_DATA,
    NO_SPREAD,
    NO_SUCH_ITEM,
    ONE_CATEGORY,
    STRATUM_WITHOUT_ANSWERS,
    Estimate,
    Interval,
)

LANG_REICZIGEL: Final = "Lang-Reiczigel"
_FEWEST_OF_CELL: Final = 2
_LEAST_WORTH: Final = 0.8
"""Strata are pooled if weights leave this share of their labels: otherwise their strata tell more."""
_NOTHING: Final = 1e-15
"""Variances below it are rounding."""


@dataclass(frozen=True, slots=True)
class FourShares:
    """The share of a label in the dataset; ``tuned`` is the one to print. ``tuning`` is its λ.

    ``saved`` is the share of the experts' labels that the judge makes needless: 1 − the variance of the tuned
    estimate over that of the experts alone. ``more`` labels would halve the width of the tuned interval.
    """

    judge: Estimate
    experts: Estimate
    corrected: Estimate
    tuned: Estimate
    tuning: float
    saved: Estimate
    more: int | None

    @property
    def saves_labels(self) -> bool | None:
        """Whether it is known that the judge saves labels; None where nothing is known."""
        return None if self.saved.interval is None else self.saved.interval.low > 0


@dataclass(frozen=True, eq=False)
class JudgedDataset:
    """H strata of a draw by the judge's three kinds of label (another one, this one, none).

    ``sizes`` (H × 3) counts all cases of the dataset, ``counted`` the drawn ones that experts labelled, and
    ``given`` those to which they gave the label. ``drawn`` (length H) counts all that were drawn.
    """

    sizes: Ints
    counted: Ints
    given: Ints
    drawn: Ints

    @classmethod
    def of_cases(cls, strata: Ints, judge: Ints, drawn: NDArray[np.bool_], experts: Ints) -> "JudgedDataset":
        """From arrays over all cases: stratum, judge's label (1, 0, -1: none), and experts' label likewise.

        Raises ValueError for labels of experts on cases that were not drawn, and other lengths or codes.
        """
        _check_arrays(strata, judge, drawn, experts)
        kind = np.where(judge == MISSING, 2, judge)
        _, place = np.unique(strata, return_inverse=True)
        number = int(place.max(initial=-1)) + 1

        def table(among: NDArray[np.bool_]) -> Ints:
            cells = np.bincount(place[among] * 3 + kind[among], minlength=number * 3)
            return cells.reshape(number, 3).astype(np.int64)

        everything = np.ones(len(judge), dtype=np.bool_)
        return cls(
            table(everything),
            table(experts != MISSING),
            table(experts == 1),
            table(drawn).sum(axis=1),
        )

    def shares(
        self, *, seed: int, resamples: int = DEFAULT_RESAMPLES, level: float = DEFAULT_LEVEL
    ) -> FourShares:
        """All four, marked where experts labelled fewer than thirty cases."""
        experts, (tuned, tuning) = self.experts_alone(level), self.tuned(level)
        return FourShares(
            self.judge_alone(level),
            self._marked(experts),
            self._marked(self.corrected(level)),
            self._marked(tuned),
            tuning,
            self.saved(seed=seed, resamples=resamples, level=level),
            self._more() if tuned.interval else None,
        )

    def _marked(self, estimate: Estimate) -> Estimate:
        return estimate.resting_on(int(self.counted.sum()), "labels")

    def judge_alone(self, level: float = DEFAULT_LEVEL) -> Estimate:
        """The judge's share among the cases that it labelled; Wilson's interval, as of other such cases."""
        judged = self.sizes[:, :2].sum(axis=0)
        return proportion(int(judged[1]), int(judged.sum()), level)

    def experts_alone(self, level: float = DEFAULT_LEVEL) -> Estimate:
        """The experts' share by the strata of the draw."""
        if reason := self._why_nothing():
            return Estimate.undefined(reason, int(self.counted.sum()))
        of_strata = zip(
            self.sizes.sum(axis=1).tolist(),
            self.drawn.tolist(),
            self.counted.sum(axis=1).tolist(),
            strict=True,
        )
        strata = [StratumCounts(size, drawn, drawn, counted) for size, drawn, counted in of_strata]
        return stratified_share(strata, self.given.sum(axis=1).tolist(), level)

    def corrected(self, level: float = DEFAULT_LEVEL) -> Estimate:
        """Rogan and Gladen's; undefined where sensitivity and specificity together do not exceed 1."""
        if reason := self._why_nothing():
            return Estimate.undefined(reason, int(self.counted.sum()))
        with_label, without = self.given, self.counted - self.given
        judged = self.sizes[:, :2].sum(axis=0)
        return rogan_gladen(
            int(judged[1]),
            int(judged.sum()),
            WeightedRate.of(self._weights, with_label[:, :2].sum(axis=1), with_label[:, 1]),
            WeightedRate.of(self._weights, without[:, :2].sum(axis=1), without[:, 0]),
            int(self.counted.sum()),
            level,
        )

    def tuned(self, level: float = DEFAULT_LEVEL) -> tuple[Estimate, float]:
        """The tuned difference estimate with its λ."""
        experts = self.experts_alone(level)
        if experts.interval is None or not self._tuning:
            return experts, 0.0
        cells = self._cells()
        if len(cells) == len(self.sizes) and np.array_equal(cells[:, 0], self.sizes.sum(axis=1)):
            return experts, 0.0  # no stratum could be divided
        size, counted, share = cells.T
        return replace(share_of_cells(size, counted, share, level), n=experts.n), self._tuning

    def saved(
        self, *, seed: int, resamples: int = DEFAULT_RESAMPLES, level: float = DEFAULT_LEVEL
    ) -> Estimate:
        """1 − variance of the tuned estimate / that of the experts alone, the draw resampled by strata."""
        n = int(self.counted.sum())
        if reason := self._why_nothing():
            return Estimate.undefined(reason, n)
        value = float(self._saved(self.counted[None], self.given[None])[0])
        if math.isnan(value):
            return Estimate.undefined(self._why_no_saving(), n)
        return with_bootstrap(Estimate(value, n), self._resampled(seed, resamples), n, level)

    # -- parts --------------------------------------------------------------------------------------

    def _why_nothing(self) -> str | None:
        if not self.counted.sum():
            return NO_DATA
        empty = (self.counted.sum(axis=1) == 0) & (self.sizes.sum(axis=1) > 0)
        return STRATUM_WITHOUT_ANSWERS if empty.any() else None

    def _why_no_saving(self) -> str:
        labelled, given = self.counted.sum(), self.given.sum()
        return ONE_CATEGORY if given in (0, labelled) else NO_SPREAD

    @cached_property
    def _weights(self) -> Floats:
        """Length H, for how many cases of the dataset a labelled one speaks."""
        return np.asarray(self.sizes.sum(axis=1) / np.maximum(self.counted.sum(axis=1), 1))

    @cached_property
    def _tuning(self) -> float:
        """λ over all strata."""
        return float(self._moments(self.counted[None], self.given[None]).tuning[0])

    def _cells(self) -> Floats:
        """K × 3: size, number of labels and experts' share of each cell of which the estimate is made."""
        divided = self._can_divide(self.sizes, self.counted)
        if not divided.all() and (pooled := self._pooled()) is not None:
            return pooled
        apart = _cells_of(self.sizes[divided], self.counted[divided], self.given[divided])
        tables = self.sizes, self.counted, self.given
        return np.concatenate([apart, _cells_of(*(table[~divided].sum(axis=1) for table in tables))])

    @staticmethod
    def _can_divide(sizes: Ints, counted: Ints) -> NDArray[np.bool_]:
        enough = (counted >= _FEWEST_OF_CELL) | (counted >= sizes)
        return np.asarray(enough.all(axis=-1) & ((sizes > 0).sum(axis=-1) > 1))

    def _pooled(self) -> Floats | None:
        """The cells of all strata together; None if one has too few labels, or weights cost too many."""
        sizes, counted = self.sizes.sum(axis=0), self.counted.sum(axis=0)
        everything = WeightedRate.of(self._weights, self.counted.sum(axis=1), self.given.sum(axis=1))
        if everything.worth < _LEAST_WORTH * counted.sum() or not self._can_divide(sizes, counted):
            return None
        rates = [
            WeightedRate.of(self._weights, self.counted[:, kind], self.given[:, kind]) for kind in range(3)
        ]
        cells = np.array([(rate.worth, rate.value) for rate in rates])
        return np.asarray(np.column_stack([sizes, cells])[sizes > 0])

    def _moments(self, counted: Ints, given: Ints) -> "_Moments":
        """Of B draws (B × H × 3), where a judge without a label counts as its mean."""
        judged = self.sizes[:, :2].sum(axis=0)
        values = np.array([0.0, 1.0, judged[1] / max(judged.sum(), 1)])
        n, size = counted.sum(axis=2).astype(np.float64), self.sizes.sum(axis=1)
        per = np.maximum(n, 1)
        y, f, both = given.sum(axis=2) / per, counted @ values / per, given @ values / per
        factor = (size / size.sum()) ** 2 * (1 - n / size) / np.maximum(n - 1, 1)
        return _Moments(
            (factor * (y - y**2)).sum(axis=1),
            (factor * (counted @ values**2 / per - f**2)).sum(axis=1),
            (factor * (both - y * f)).sum(axis=1),
        )

    def _saved(self, counted: Ints, given: Ints) -> Floats:
        """Of B draws; nan where the experts alone have no variance."""
        moments, n = self._moments(counted, given), int(self.counted.sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            left = moments.tuned / moments.experts * ((n - 1) / max(n - 2, 1))
        saved = np.where(moments.tuning > 0, np.maximum(0.0, 1 - left), 0.0)
        return np.where(moments.experts > _NOTHING, saved, np.nan)

    def _resampled(self, seed: int, resamples: int) -> Floats:
        """Savings in resamples of the draw, with half a case more in each cell of judge and experts.

        Otherwise a judge that never erred in the draw would have an interval without width.
        """
        generator = np.random.default_rng(seed)
        more = (self.sizes > 0)[:, None, :] * 0.5 / len(self.sizes)
        cells = (np.stack([self.counted - self.given, self.given], axis=1) + more).reshape(-1, 6)
        drawn = [
            generator.multinomial(number, cell / cell.sum(), resamples).reshape(-1, 2, 3)
            for number, cell in zip(self.counted.sum(axis=1).tolist(), cells, strict=True)
        ]
        table = np.stack(drawn, axis=1)
        return self._saved(table.sum(axis=2), table[:, :, 1])

    def _more(self) -> int:
        return labels_for_half(int(self.counted.sum()), int(self.sizes.sum()))


def labels_for_half(n: int, size: int) -> int:
    """How many labels more than n of ``size`` halve an interval: 1/n − 1/N becomes a quarter."""
    return math.ceil(4 * n * size / (size + 3 * n)) - n


@dataclass(frozen=True, eq=False)
class _Moments:
    """Variances of the experts' and the judge's mean in B draws, and their covariance."""

    experts: Floats
    judge: Floats
    both: Floats

    @cached_property
    def tuning(self) -> Floats:
        """λ, within 0 to 1; 0 where the judge does not vary."""
        varies = self.judge > _NOTHING
        return np.where(varies, np.clip(self.both / np.where(varies, self.judge, 1.0), 0.0, 1.0), 0.0)

    @property
    def tuned(self) -> Floats:
        """The variance of the tuned estimate."""
        return self.experts - 2 * self.tuning * self.both + self.tuning**2 * self.judge


def _cells_of(sizes: Ints, counted: Ints, given: Ints) -> Floats:
    """Rows of size, number of labels and share, without empty cells."""
    there = sizes > 0
    n = counted[there]
    return np.column_stack([sizes[there], n, given[there] / np.maximum(n, 1)]).astype(np.float64)


@dataclass(frozen=True, slots=True)
class WeightedRate:
    """A weighted share, and how many unweighted cases it is worth (Kish 1965): (Σw)² / Σw²."""

    value: float
    worth: float

    @classmethod
    def of(cls, weights: Floats, counted: Ints, hits: Ints) -> "WeightedRate":
        """From weights, and how many of how many cases of each weight are hits."""
        whole = float(weights @ counted)
        if not whole:
            return cls(math.nan, 0.0)
        return cls(float(weights @ hits) / whole, whole**2 / float(weights**2 @ counted))

    def towards_half(self) -> "WeightedRate":
        """With one hit and one miss more."""
        return WeightedRate((self.value * self.worth + 1) / (self.worth + 2), self.worth + 2)

    @property
    def variance(self) -> float:
        """p (1 − p) / n."""
        return self.value * (1 - self.value) / self.worth


def rogan_gladen(
    positive: float, judged: float, sensitivity: WeightedRate, specificity: WeightedRate, n: int, level: float
) -> Estimate:
    """From how many of the cases that a judge labelled have the label, and how far experts bear it out."""
    if math.isnan(sensitivity.value) or math.isnan(specificity.value):
        return Estimate.undefined(NO_SUCH_ITEM, n)
    if sensitivity.value + specificity.value <= 1:
        return Estimate.undefined(NO_BETTER_THAN_CHANCE, n)
    value = _corrected(positive / judged, sensitivity.value, specificity.value)
    interval = lang_reiczigel(positive, judged, sensitivity, specificity, level)
    return Estimate(min(1.0, max(0.0, value)), n, interval=interval)


def _corrected(share: float, sensitivity: float, specificity: float) -> float:
    return (share + specificity - 1) / (sensitivity + specificity - 1)


def lang_reiczigel(
    positive: float, judged: float, sensitivity: WeightedRate, specificity: WeightedRate, level: float
) -> Interval:
    """Around Rogan and Gladen's share, from adjusted counts and with a shifted centre, cut to 0 to 1.

    It is all of 0 to 1 where adjusted counts tell the judge from chance no more.
    """
    z = normal_quantile(level)
    se, sp = sensitivity.towards_half(), specificity.towards_half()
    judge = WeightedRate((positive + z * z / 2) / (judged + z * z), judged + z * z)
    scale = se.value + sp.value - 1
    if scale < _NOTHING:
        return Interval(0.0, 1.0, level, LANG_REICZIGEL)
    centre = _corrected(judge.value, se.value, sp.value)
    shift = 2 * z * z * (centre * se.variance - (1 - centre) * sp.variance)
    spread = judge.variance + centre**2 * se.variance + (1 - centre) ** 2 * sp.variance
    reach = z * math.sqrt(spread) / scale
    low, high = (min(1.0, max(0.0, end)) for end in (centre + shift - reach, centre + shift + reach))
    return Interval(low, high, level, LANG_REICZIGEL)


def _check_arrays(strata: Ints, judge: Ints, drawn: NDArray[np.bool_], experts: Ints) -> None:
    if len({len(strata), len(judge), len(drawn), len(experts)}) != 1:
        raise ValueError("each case needs a stratum, and labels or -1 of judge and experts")
    if not {*np.unique(judge).tolist(), *np.unique(experts).tolist()} <= {0, 1, MISSING}:
        raise ValueError("labels are 1 (this one), 0 (another one) or -1 (none)")
    if (experts[~drawn] != MISSING).any():
        raise ValueError("experts labelled a case that was not drawn")
