"""Percentile bootstrap over items, or over cases that carry several items.

Resampling n units with replacement is one multinomial draw, and units that look alike share a cell of it: a
40 × 3 table of two labels has four distinct count rows at most, so that 10,000 resamples are a 10,000 × 4
matrix. Efron, B. and Tibshirani, R. (1993), An Introduction to the Bootstrap, chapter 13.
Items without a rating are not part of the sample. Resamples on which the coefficient is undefined are left
out of the interval, and their share is reported. A single unit cannot be resampled ("one item").
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from reviewer.agreement.intervals import DEFAULT_LEVEL, check_level, percentile_ends
from reviewer.agreement.rating_patterns import MISSING, Floats, Ints, Patterns, distinct_rows
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import ONE_ITEM, Estimate, Interval

BOOTSTRAP: Final = "bootstrap"
DEFAULT_RESAMPLES: Final = 10_000

# 2 million whole numbers are 16 MB: large tables are drawn in pieces, and the stream of draws stays the same.
_CELLS_AT_ONCE: Final = 2_000_000


Redraw = Callable[[np.random.Generator, int], Floats]
"""Gives the weights of the kinds (rows × K) in a number of resamples."""


class Statistic(Protocol):
    """Anything with an estimate from ratings and a value under each row of B × P weights (nan: undefined)."""

    @property
    def by_rater(self) -> bool:
        """Whether it depends on who gave which label."""

    def __call__(self, ratings: Ratings, level: float) -> Estimate:
        """The estimate itself."""

    def values(self, patterns: Patterns, weights: Floats) -> Floats:
        """Length B."""


def bootstrap(
    ratings: Ratings,
    statistic: Statistic,
    *,
    seed: int,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = DEFAULT_LEVEL,
    cases: Sequence[Hashable] | None = None,
) -> Estimate:
    """The estimate with bootstrap interval, SE and share of undefined resamples instead of analytic ones.

    ``cases`` gives for each item the case it belongs to; then whole cases are resampled.
    """
    drawn = bootstrap_all(ratings, [statistic], seed=seed, resamples=resamples, level=level, cases=cases)
    return drawn[0]


def bootstrap_all(
    ratings: Ratings,
    statistics: Sequence[Statistic],
    *,
    seed: int,
    resamples: int = DEFAULT_RESAMPLES,
    level: float = DEFAULT_LEVEL,
    cases: Sequence[Hashable] | None = None,
    points: Sequence[Estimate] | None = None,
) -> list[Estimate]:
    """Several statistics in their order, each with the interval that ``bootstrap`` gives it alone.

    ``points`` are their estimates where these are computed already.
    """
    check_level(level)
    if resamples < 1:
        raise ValueError(f"a bootstrap needs a resample at least, not {resamples}")
    if cases is not None and len(cases) != ratings.n_items:
        raise ValueError(f"{ratings.n_items} items need a case each, not {len(cases)}")
    urns = {
        by_rater: urn_of(ratings, by_rater, cases)
        for by_rater in {statistic.by_rater for statistic in statistics}
    }
    values = [np.empty(resamples) for _ in statistics]
    for by_rater, urn in urns.items():
        for drawn, weights in urn.draw(seed, resamples):
            for place, statistic in enumerate(statistics):
                if statistic.by_rater == by_rater:
                    values[place][drawn] = statistic.values(urn.patterns, weights)
    estimates = [statistic(ratings, level) for statistic in statistics] if points is None else points
    return [
        with_bootstrap(estimate, resampled, urns[statistic.by_rater].units, level)
        for statistic, estimate, resampled in zip(statistics, estimates, values, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Urn:
    """What is resampled: units, the kind of each, and which patterns a unit of a kind brings.

    ``kinds`` has the kind of each unit, and ``items`` one of its items. ``contents`` is K × P for K kinds, or
    None where unit and pattern are the same thing.
    """

    patterns: Patterns
    kinds: Ints
    items: Ints
    contents: Floats | None

    @property
    def units(self) -> int:
        """How many units have a rating."""
        return len(self.kinds)

    @cached_property
    def times(self) -> Ints:
        """Length K, how many units of each kind there are."""
        return self.times_among(np.ones(self.units, dtype=np.bool_))

    def times_among(self, units: NDArray[np.bool_]) -> Ints:
        """Length K, how many of these units are of each kind."""
        kinds = len(self.patterns.weights) if self.contents is None else len(self.contents)
        return np.bincount(self.kinds[units], minlength=kinds)

    def draw(self, seed: int, resamples: int, redraw: Redraw | None = None) -> Iterator[tuple[slice, Floats]]:
        """Weights of the patterns (rows × P), a piece of the resamples at a time.

        ``redraw`` draws the weights of the kinds in another way than simply at random with replacement.
        """
        if self.units == 0:
            yield slice(0, resamples), np.zeros((resamples, len(self.patterns.weights)))
            return
        generator = np.random.default_rng(seed)
        rows = max(1, _CELLS_AT_ONCE // max(len(self.times), len(self.patterns.weights)))
        for start in range(0, resamples, rows):
            piece = slice(start, min(start + rows, resamples))
            yield piece, self.of_patterns((redraw or self._redrawn)(generator, piece.stop - piece.start))

    def of_patterns(self, weights: Floats) -> Floats:
        """B × P, the weights of the patterns, from those of the kinds (B × K)."""
        return weights if self.contents is None else weights @ self.contents

    def _redrawn(self, generator: np.random.Generator, rows: int) -> Floats:
        return generator.multinomial(self.units, self.times / self.units, rows).astype(np.float64)


def urn_of(ratings: Ratings, by_rater: bool, cases: Sequence[Hashable] | None) -> Urn:
    """The rated items as units, or the cases that carry them."""
    rated = (ratings.codes != MISSING).any(axis=1)
    codes = ratings.codes[rated]
    if not by_rater:
        codes = np.sort(codes, axis=1)  # so that rows with the same counts are one pattern
    rows, which = distinct_rows(codes, len(ratings.categories))
    times = np.bincount(which, minlength=len(rows))
    items = np.flatnonzero(rated)
    patterns = Patterns(rows, times, ratings.categories, named=by_rater and ratings.raters is not None)
    if cases is None:
        return Urn(patterns, which, items, None)
    numbers = {case: number for number, case in enumerate(dict.fromkeys(cases))}
    case_of = np.array([numbers[case] for case in cases], dtype=np.int64)[rated]
    table = np.zeros((len(numbers), len(rows)), dtype=np.int64)
    np.add.at(table, (case_of, which), 1)
    units, first = np.unique(case_of, return_index=True)
    contents, kinds = np.unique(table[units], axis=0, return_inverse=True)
    return Urn(patterns, kinds.reshape(-1), items[first], contents.astype(np.float64))


def with_bootstrap(
    point: Estimate, values: Floats, units: int, level: float, method: str = BOOTSTRAP
) -> Estimate:
    """The point with the interval and error of its resampled values."""
    bare = replace(point, interval=None, se=None, se_reason=None)
    if units < 2:
        return bare if point.value is None else replace(bare, se_reason=ONE_ITEM)
    defined = values[~np.isnan(values)]
    share = 1 - len(defined) / len(values)
    if point.value is None or len(defined) < 2:
        return replace(bare, undefined_share=share)
    low, high = percentile_ends(defined, level)
    interval = Interval(low, high, level, method)
    return replace(bare, interval=interval, se=float(defined.std(ddof=1)), undefined_share=share)
