"""Shares of a dataset from a draw by strata.

A stratum h has N_h cases, of which n_h were drawn at random without replacement. The share of the dataset
is p = Σ W_h p_h with W_h = N_h / N, and its variance Σ W_h² (1 − n_h / N_h) p_h (1 − p_h) / (n_h − 1):
Cochran, W. G. (1977), Sampling Techniques, chapter 5.

The interval holds every share π that a score test does not reject: (p − π)² ≤ z² Σ W_h² π_h (1 − π_h) / m_h
with m_h = n_h (N_h − 1) / (N_h − n_h), where the π_h are the most likely shares of the strata with
Σ W_h π_h = π. Martín Andrés, A., Álvarez Hernández, M. and Herranz Tejedor, I. (2011), Statistical Methods in
Medical Research 20, 369-387. For one stratum it is Wilson's interval. Each stratum counts as if it had one
more case, of which the share of the whole draw passes: a stratum that passes whole could otherwise never
have another share. Two other intervals failed in simulations of 95% intervals. Wilson's with one effective n
covers 28%, because a stratum that passes whole adds no variance; the square-and-add rule (MOVER) over
Wilson's intervals of the strata covers 88% where twelve strata have five cases each.

A table may be about a part of the dataset that cuts through strata, such as a group. Its share a_h of a
stratum is then estimated by that of the drawn cases, and W_h is N_h a_h / Σ N_h a_h. This adds the variance
Σ (N_h / Σ N_h a_h)² (1 − n_h / N_h) a_h (1 − a_h) / (n_h − 1) (p_h − p)², since a_h and p_h are independent;
in the interval it is that of the π_h and π.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.agreement.intervals import DEFAULT_LEVEL
from reviewer.agreement.proportions import difference_of, normal_quantile
from reviewer.agreement.rating_patterns import Floats, Ints
from reviewer.core.estimate import NO_DATA, ONE_CASE_OF_A_STRATUM, STRATUM_WITHOUT_ANSWERS, Estimate, Interval

STRATIFIED_SCORE: Final = "stratified score"
MOVER: Final = "MOVER"
"""The square-and-add rule for a difference, from the intervals of two shares: Zou, G. Y., Huang, W. and
Zhang, X. (2009), Computational Statistics & Data Analysis 53, 1080-1085."""

_HALVINGS: Final = 40
_LOG_FORCES: Final = (-9.0, 21.0)
"""Within these logarithms lies the force that moves the shares of the strata to an end of the interval."""


@dataclass(frozen=True, slots=True)
class StratumCounts:
    """Cases of a stratum: ``drawn`` of its ``size``; a table is about the ``concerned`` ones of these.

    ``counted`` of the concerned cases have an answer. The others are missing: they lower n, and the answers
    of the stratum speak for them too.
    """

    size: int
    drawn: int
    concerned: int
    counted: int

    def __post_init__(self) -> None:
        if not 0 <= self.counted <= self.concerned <= self.drawn <= self.size or not self.drawn:
            raise ValueError(f"no stratum has these numbers of cases: {self}")

    @property
    def population(self) -> float:
        """How many cases of the stratum the table is about, estimated unless it is about all of them."""
        return self.size * self.concerned / self.drawn

    @property
    def weight(self) -> float:
        """For how many cases of the dataset a counted case speaks."""
        return self.population / self.counted

    @property
    def answered(self) -> int:
        """The drawn cases without those whose answer is missing."""
        return self.drawn - self.concerned + self.counted

    @property
    def lacks_spread(self) -> bool:
        """Whether a single case speaks for several, so that nothing is known of their spread."""
        return self.counted == 1 and self.population > 1


def why_no_share(strata: Sequence[StratumCounts]) -> str | None:
    """Why nothing can be said of the dataset, or None where something can."""
    if not any(stratum.counted for stratum in strata):
        return NO_DATA
    empty = any(stratum.concerned and not stratum.counted for stratum in strata)
    return STRATUM_WITHOUT_ANSWERS if empty else None


def why_no_error(strata: Sequence[StratumCounts]) -> str | None:
    """Why a value of the dataset has no standard error, or None where it has one."""
    return ONE_CASE_OF_A_STRATUM if any(stratum.lacks_spread for stratum in strata) else None


def stratified_share(
    strata: Sequence[StratumCounts], passed: Sequence[int], level: float | None = DEFAULT_LEVEL
) -> Estimate:
    """The share of the dataset that passes, from how many counted cases of each stratum do.

    Without a ``level`` it has no interval, which takes most of the time. n counts the counted cases. Raises
    ValueError where more cases passed than are counted.
    """
    if any(not 0 <= number <= stratum.counted for number, stratum in zip(passed, strata, strict=True)):
        raise ValueError(f"{list(passed)} cannot have passed in {list(strata)}")
    n = sum(stratum.counted for stratum in strata)
    if reason := why_no_share(strata):
        return Estimate.undefined(reason, n)
    present = [(stratum, number) for stratum, number in zip(strata, passed, strict=True) if stratum.counted]
    numbers = _Numbers.of([stratum for stratum, _ in present])
    shares = np.array([number / stratum.counted for stratum, number in present])[None, :]
    value = float(numbers.weighted(shares)[0])
    if reason := why_no_error(strata):
        return Estimate(value, n, se_reason=reason)
    return numbers.with_error(Estimate(value, n), shares, level)


def stratified_share_of_items(
    strata: Sequence[StratumCounts],
    items: Sequence[Sequence[tuple[float, float]]],
    level: float | None = DEFAULT_LEVEL,
    *,
    weighted: bool = False,
) -> Estimate:
    """The share of items that pass where a case has several, which depend on each other.

    ``items`` has for each counted case of each stratum how many of its items pass, and how many it has. The
    interval is that of a share of cases, with each n divided by the design effect: the variance of the cases'
    shares by that of independent cases which pass whole or not at all. n counts the items.

    Items can be weights of cases (``weighted``). Then the design effect is at least that of the weights
    alone, n Σ v² / (Σ v)², which also holds where all cases pass: Kish, L. (1965), Survey Sampling, 11.7.
    """
    tables = [np.array(of_stratum, dtype=np.float64).reshape(-1, 2) for of_stratum in items]
    n = int(sum(table[:, 1].sum() for table in tables))
    if reason := why_no_share(strata):
        return Estimate.undefined(reason, n)
    present = [(s, table) for s, table in zip(strata, tables, strict=True) if s.counted]
    numbers = _Numbers.of([s for s, _ in present])
    passed, held = np.array([table.sum(axis=0) for _, table in present]).T
    shares, per_case = passed / held, held / numbers.counted
    variances = [
        float((((table[:, 0] - share * table[:, 1]) / mean) ** 2).mean())
        for (_, table), share, mean in zip(present, shares, per_case, strict=True)
    ]
    most = max(table[:, 1].max() for _, table in present)
    least = _effect_of_weights([table[:, 1] for _, table in present]) if weighted else 1 / most
    numbers = numbers.of_items(per_case, shares, np.array(variances), least)
    value = float(numbers.weighted(shares[None, :])[0])
    if reason := why_no_error(strata):
        return Estimate(value, n, se_reason=reason)
    return numbers.with_error(Estimate(value, n), shares[None, :], level)


def _effect_of_weights(weights: Sequence[Floats]) -> float:
    """The design effect of unequal weights within strata, averaged over their cases; at least 1."""
    effects = [(len(some), len(some) * float((some**2).sum()) / float(some.sum()) ** 2) for some in weights]
    return sum(n * effect for n, effect in effects) / sum(n for n, _ in effects)


def stratified_difference(first: Estimate, second: Estimate) -> Estimate:
    """The difference of two shares of a dataset over different cases, its interval by MOVER from theirs."""
    return difference_of(first, second, MOVER)


def interval_ends(sizes: Ints, drawn: Ints, passed: Ints, level: float) -> tuple[Floats, Floats]:
    """Both ends of the dataset's interval in many draws: ``passed`` is draws × strata, all cases counted."""
    strata = [StratumCounts(size, n, n, n) for size, n in zip(sizes.tolist(), drawn.tolist(), strict=True)]
    return _Numbers.of(strata).ends(passed / drawn, level)


def share_of_cells(sizes: Floats, counted: Floats, shares: Floats, level: float = DEFAULT_LEVEL) -> Estimate:
    """The share of a dataset from that of each of its cells, three arrays of a length; n is rounded.

    ``sizes`` are the cases of the cells, ``counted`` those that are known, or as many as weighted ones are
    worth. A cell counts at least 2, or all of its cases.
    """
    numbers = _Numbers.of_cells(sizes, counted)
    value = Estimate(float(numbers.weights @ shares), round(float(counted.sum())))
    return numbers.with_error(value, shares[None, :], level)


@dataclass(frozen=True, eq=False)
class _Numbers:
    """The numbers of H strata as arrays of length H; methods take draws × H shares.

    ``spread`` is the variance that a stratum's estimated size adds, over the squared distance of its share
    from the whole one. ``effective`` is the n of the score test, infinite where all cases are counted, and
    already divided by the design ``effect``.
    """

    weights: Floats
    counted: Floats
    left_out: Floats
    effective: Floats
    spread: Floats
    effect: float = 1.0

    @classmethod
    def of(cls, strata: Sequence[StratumCounts]) -> "_Numbers":
        size, drawn, concerned, counted, population, answered = np.array(
            [(s.size, s.drawn, s.concerned, s.counted, s.population, s.answered) for s in strata],
            dtype=np.float64,
        ).T
        left_out = 1 - counted / population
        with np.errstate(divide="ignore", invalid="ignore"):
            effective = np.where(left_out > 0, counted * (population - 1) / (population - counted), np.inf)
        share = concerned / drawn
        spread = (1 - answered / size) * share * (1 - share) / np.maximum(answered - 1, 1)
        whole = population.sum()
        return cls(population / whole, counted, left_out, effective, spread * (size / whole) ** 2)

    @classmethod
    def of_cells(cls, sizes: Floats, counted: Floats) -> "_Numbers":
        """The numbers of cells whose sizes are known."""
        with np.errstate(divide="ignore", invalid="ignore"):
            effective = np.where(counted < sizes, counted * (sizes - 1) / (sizes - counted), np.inf)
        return cls(sizes / sizes.sum(), counted, 1 - counted / sizes, effective, np.zeros(len(sizes)))

    def of_items(self, per_case: Floats, shares: Floats, variances: Floats, least: float) -> "_Numbers":
        """The numbers for shares of items; ``variances`` are those of cases, ``least`` their least effect."""
        scale = per_case / (self.weights @ per_case)
        of_cases = (self.left_out / np.maximum(self.counted - 1, 1)) * (self.weights * scale) ** 2
        independent = float(of_cases @ (shares * (1 - shares)))
        unknown = max(least, 1.0)
        effect = max(float(of_cases @ variances) / independent, least) if independent else unknown
        return replace(
            self,
            weights=self.weights * scale,
            effective=self.effective / effect,
            spread=self.spread * scale**2,
            effect=effect,
        )

    def weighted(self, shares: Floats) -> Floats:
        """The share of the dataset in each draw."""
        return np.asarray(shares @ self.weights)

    def with_error(self, value: Estimate, shares: Floats, level: float | None) -> Estimate:
        """The value of these shares with its standard error, and with an interval if there is a level."""
        value = replace(value, se=float(self.errors(shares)[0]))
        if level is None:
            return value
        low, high = self.ends(shares, level)
        return replace(value, interval=Interval(float(low[0]), float(high[0]), level, STRATIFIED_SCORE))

    def ends(self, shares: Floats, level: float) -> tuple[Floats, Floats]:
        """Both ends of the interval in each draw."""
        low, high = self._end(shares, level, 1), self._end(shares, level, -1)
        return np.where(shares.any(axis=1), low, 0.0), np.where((shares < 1).any(axis=1), high, 1.0)

    def _end(self, shares: Floats, level: float, direction: int) -> Floats:
        """The last share below (1) or above (-1) the estimated one that the score test does not reject."""
        value, z2 = self.weighted(shares), normal_quantile(level) ** 2
        low, high = (np.full(len(shares), log_force) for log_force in _LOG_FORCES)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            moved = self._moved(shares, direction * np.exp(middle))
            distance = direction * (value - self.weighted(moved))
            rejected = (distance > 0) & (distance**2 > z2 * self._variance(moved))
            low, high = np.where(rejected, low, middle), np.where(rejected, middle, high)
        return self.weighted(self._moved(shares, direction * np.exp(low)))

    def _moved(self, shares: Floats, force: Floats) -> Floats:
        """The most likely shares of the strata if that of the dataset is moved; a greater force, a lower one.

        They solve passed / p − failed / (1 − p) = force × weight. Of strata without other cases the share is
        known.
        """
        whole = np.isinf(self.effective)
        n = np.where(whole, 1.0, self.effective)
        everywhere = (shares @ self.counted + 0.5) / (self.counted.sum() + 1)
        passed = n * shares + everywhere[:, None]
        failed = n + 1 - passed
        pull = force[:, None] * self.weights
        root = np.sqrt((pull + n + 1) ** 2 - 4 * pull * passed)
        with np.errstate(divide="ignore", invalid="ignore"):  # of the two forms, one is not used
            moved = np.where(
                pull > 0, 2 * passed / (n + 1 + pull + root), 1 - 2 * failed / (n + 1 - pull + root)
            )
        return np.where(whole, shares, moved)

    def _variance(self, shares: Floats) -> Floats:
        """The variance of the share of the dataset in each draw, if these are the shares of the strata."""
        within = shares * (1 - shares) / self.effective
        return np.asarray(within @ self.weights**2) + self._of_sizes(shares, self.weighted(shares))

    def errors(self, shares: Floats) -> Floats:
        """The standard error in each draw."""
        within = shares * (1 - shares) * self.left_out / np.maximum(self.counted - 1, 1) * self.effect
        return np.sqrt(within @ self.weights**2 + self._of_sizes(shares, self.weighted(shares)))

    def _of_sizes(self, shares: Floats, value: Floats) -> Floats:
        return np.asarray((shares - value[:, None]) ** 2 @ self.spread)
