"""Shares of a dataset from draws by strata, against formulas by hand and all draws from tiny populations."""

from itertools import combinations, product
from math import inf, sqrt

import numpy as np
import pytest

from reviewer.agreement.proportions import proportion, wilson_ends
from reviewer.agreement.stratified import (
    StratumCounts,
    interval_ends,
    stratified_difference,
    stratified_share,
    stratified_share_of_items,
)
from reviewer.core.estimate import Estimate


def asked(size: int, drawn: int, missing: int = 0) -> StratumCounts:
    return StratumCounts(size, drawn, drawn, drawn - missing)


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def score(strata: list[tuple[float, float, float]], pooled: float, cases: int, share: float) -> float:
    """The squared distance of the share from the estimated one, over its variance at the most likely shares.

    Two strata, each with weight, n and share. The likelihood is tried at each share of the first.
    """
    (weight1, n1, share1), (weight2, n2, share2) = strata
    prior = (pooled * cases + 0.5) / (cases + 1)
    first = np.linspace(0, 1, 2_000_001)[1:-1]
    second = (share - weight1 * first) / weight2
    first, second = first[(second > 0) & (second < 1)], second[(second > 0) & (second < 1)]
    passed1, passed2 = n1 * share1 + prior, n2 * share2 + prior
    likelihood = passed1 * np.log(first) + (n1 + 1 - passed1) * np.log(1 - first)
    likelihood += passed2 * np.log(second) + (n2 + 1 - passed2) * np.log(1 - second)
    best = int(likelihood.argmax())
    one, two = first[best], second[best]
    variance = weight1**2 * one * (1 - one) / n1 + weight2**2 * two * (1 - two) / n2
    return float((weight1 * share1 + weight2 * share2 - share) ** 2 / variance)


def test_share_error_and_interval_by_hand() -> None:
    got = stratified_share([asked(100, 20), asked(300, 30)], [10, 27])
    assert got.value == pytest.approx(0.25 * 0.5 + 0.75 * 0.9)
    first = 0.25**2 * (1 - 20 / 100) * 0.25 / 19
    second = 0.75**2 * (1 - 30 / 300) * 0.09 / 29
    assert got.se == pytest.approx(sqrt(first + second))
    strata = [(0.25, 20 * 99 / 80, 0.5), (0.75, 30 * 299 / 270, 0.9)]
    for end in ends(got):
        assert score(strata, 37 / 50, 50, end) == pytest.approx(1.959964**2, rel=1e-4)
    assert got.interval is not None
    assert (got.n, got.interval.method, got.interval.level) == (50, "stratified score", 0.95)


def test_share_and_error_of_another_program() -> None:
    """samplics 0.6.1, TaylorEstimator of a mean with these strata, weights and finite corrections."""
    got = stratified_share([asked(100, 20), asked(300, 30)], [10, 27])
    assert got.value == pytest.approx(0.8, abs=1e-12)
    assert got.se == pytest.approx(0.04721244990992606, abs=1e-12)


def test_all_draws_from_tiny_strata_have_the_share_and_the_error_on_average() -> None:
    populations = [(1, 1, 0, 1, 0), (1, 0, 0, 0)]
    draws = [list(combinations(cases, n)) for cases, n in zip(populations, (3, 2), strict=True)]
    got = [
        stratified_share([asked(5, 3), asked(4, 2)], [sum(first), sum(second)])
        for first, second in product(*draws)
    ]
    values = np.array([estimate.value for estimate in got])
    assert values.mean() == pytest.approx(4 / 9)
    assert np.mean([(estimate.se or 0) ** 2 for estimate in got]) == pytest.approx(values.var())


def test_one_stratum_is_wilson_with_the_finite_size() -> None:
    got = stratified_share([asked(200, 50)], [45])
    assert ends(got) == pytest.approx(wilson_ends(0.9, 50 * 199 / 150, 0.95))
    plain = proportion(45, 50)
    assert got.value == plain.value
    assert got.se == pytest.approx((plain.se or 0) * sqrt(150 / 200))


def test_items_of_a_case_that_are_all_alike_are_one_item() -> None:
    strata, cases = [asked(100, 20), asked(300, 30)], [[1] * 10 + [0] * 10, [1] * 27 + [0] * 3]
    one = stratified_share(strata, [10, 27])
    for number in (1, 4):
        items = [[(passes * number, number) for passes in of_stratum] for of_stratum in cases]
        got = stratified_share_of_items(strata, items)
        assert (got.value, got.n) == (pytest.approx(one.value), 50 * number)
        assert ends(got) == pytest.approx(ends(one))
        assert got.se == pytest.approx(one.se)


def test_share_of_items_by_hand() -> None:
    """Two strata of 10 and 30 cases, whose cases have two items or one; the error is that of a ratio."""
    items = [[(2, 2), (1, 2), (0, 2), (2, 2)], [(2, 2), (1, 1), (1, 1), (1, 2), (2, 2), (0, 2)]]
    got = stratified_share_of_items([asked(10, 4), asked(30, 6)], items)
    first, second = 10 / 4 * 8, 30 / 6 * 10  # items of the dataset, by the drawn ones of each stratum
    assert got.value == pytest.approx((first * 5 / 8 + second * 7 / 10) / (first + second))
    variance = 0.0
    for size, cases, share in ((10, items[0], 5 / 8), (30, items[1], 7 / 10)):
        rest = [passed - share * held for passed, held in cases]
        n = len(cases)
        total = size**2 * (1 - n / size) * sum(r * r for r in rest) / (n * (n - 1))
        variance += total / (first + second) ** 2
    assert got.se == pytest.approx(sqrt(variance))
    assert got.n == 18


@pytest.mark.slow
def test_interval_of_items_covers_where_nearly_all_cases_pass() -> None:
    """Resampling cases covers 71% of such draws with one item a case."""
    generator = np.random.default_rng(8)
    population = [generator.binomial(4, generator.beta(99 * 0.7, 0.7, 760)), generator.binomial(4, 0.3, 40)]
    truth = sum(int(passed.sum()) for passed in population) / 3200
    strata = [asked(760, 102), asked(40, 18)]
    covers = []
    for _ in range(300):
        draws = [
            generator.choice(passed, n, replace=False)
            for passed, n in zip(population, (102, 18), strict=True)
        ]
        low, high = ends(stratified_share_of_items(strata, [[(int(p), 4) for p in draw] for draw in draws]))
        covers.append(low <= truth <= high)
    assert np.mean(covers) >= 0.92


def test_items_without_answers_leave_the_share_undefined() -> None:
    got = stratified_share_of_items([StratumCounts(10, 4, 4, 0), asked(30, 6)], [[], [(1, 2)] * 6])
    assert (got.value, got.reason, got.n) == (None, "a stratum without answers", 12)
    bare = stratified_share_of_items([StratumCounts(10, 1, 1, 1), asked(30, 6)], [[(1, 2)], [(1, 2)] * 6])
    assert (bare.interval, bare.se_reason) == (None, "one case of a stratum")


def test_a_stratum_of_which_all_cases_are_drawn_adds_no_width() -> None:
    assert ends(stratified_share([asked(20, 20)], [13])) == pytest.approx((0.65, 0.65))
    together = stratified_share([asked(20, 20), asked(80, 20)], [13, 10])
    alone = stratified_share([asked(80, 20)], [10])
    width = (ends(alone)[1] - ends(alone)[0]) * 80 / 100
    assert ends(together)[1] - ends(together)[0] == pytest.approx(width)


def test_strata_that_pass_whole_keep_an_interval() -> None:
    low, high = ends(stratified_share([asked(100, 30), asked(100, 30)], [30, 30]))
    assert high == 1
    n = 30 * 99 / 70
    assert score([(0.5, n, 1), (0.5, n, 1)], 1, 60, low) == pytest.approx(1.959964**2, rel=1e-4)
    assert ends(stratified_share([asked(100, 30), asked(100, 30)], [0, 0])) == pytest.approx((0, 1 - low))


def test_missing_answers_lower_n_and_are_not_imputed() -> None:
    got = stratified_share([asked(100, 20, missing=10), asked(100, 20)], [10, 0])
    assert (got.value, got.n) == (0.5, 30)
    fewer = stratified_share([asked(100, 10), asked(100, 20)], [10, 0])
    assert ends(got) == pytest.approx(ends(fewer))


def test_a_stratum_without_answers_leaves_the_share_undefined() -> None:
    got = stratified_share([asked(100, 20, missing=20), asked(100, 20)], [0, 12])
    assert (got.value, got.reason, got.n) == (None, "a stratum without answers", 20)
    assert stratified_share([asked(100, 20, missing=20)], [0]).reason == "no data"


def test_one_case_of_a_stratum_leaves_no_interval() -> None:
    got = stratified_share([asked(10, 1), asked(100, 20)], [1, 12])
    assert (got.interval, got.se, got.se_reason) == (None, None, "one case of a stratum")
    assert got.value == pytest.approx((10 + 60) / 110)
    assert stratified_share([asked(1, 1), asked(100, 20)], [1, 12]).interval is not None


def test_a_part_that_cuts_through_strata_has_estimated_sizes() -> None:
    strata = [StratumCounts(100, 40, 10, 10), StratumCounts(100, 40, 30, 30)]
    got = stratified_share(strata, [2, 27])
    assert got.value == pytest.approx(0.25 * 0.2 + 0.75 * 0.9)
    known = stratified_share([asked(25, 10), asked(75, 30)], [2, 27])
    of_sizes = 2 * 0.6 * (0.25 * 0.75) / 39
    first, second = of_sizes * (0.2 - 0.725) ** 2, of_sizes * (0.9 - 0.725) ** 2
    assert got.se == pytest.approx(sqrt((known.se or 0) ** 2 + (first + second) / 4 * 2))


def test_strata_outside_of_a_part_do_not_matter() -> None:
    inside = [asked(100, 20), asked(50, 10)]
    outside = stratified_share([*inside, StratumCounts(70, 12, 0, 0)], [18, 2, 0])
    assert outside == stratified_share(inside, [18, 2])


def test_intervals_of_many_draws_are_those_of_each() -> None:
    passed = np.array([[3, 20], [0, 19], [5, 0]])
    low, high = interval_ends(np.array([9, 80]), np.array([5, 20]), passed, 0.9)
    for draw, found in zip(passed.tolist(), zip(low, high, strict=True), strict=True):
        assert found == pytest.approx(ends(stratified_share([asked(9, 5), asked(80, 20)], draw, 0.9)))


def test_difference_adds_the_distances_in_squares() -> None:
    first = stratified_share([asked(100, 20), asked(300, 30)], [10, 27])
    second = stratified_share([asked(60, 20), asked(40, 20)], [4, 9])
    got = stratified_difference(first, second)
    (low1, high1), (low2, high2) = ends(first), ends(second)
    assert first.value is not None
    assert second.value is not None
    gap = first.value - second.value
    below = sqrt((first.value - low1) ** 2 + (high2 - second.value) ** 2)
    above = sqrt((high1 - first.value) ** 2 + (second.value - low2) ** 2)
    assert (got.value, got.n) == (pytest.approx(gap), 90)
    assert ends(got) == pytest.approx((gap - below, gap + above))


def test_difference_of_a_share_without_interval_has_none() -> None:
    bare = stratified_share([asked(10, 1), asked(100, 20)], [1, 12])
    got = stratified_difference(stratified_share([asked(100, 20)], [10]), bare)
    assert (got.interval, got.se_reason) == (None, "one case of a stratum")


@pytest.mark.parametrize("numbers", [(5, 6, 6, 6), (5, 4, 3, 4), (5, 0, 0, 0), (5, 3, 4, 2)])
def test_impossible_strata_are_refused(numbers: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="no stratum"):
        StratumCounts(*numbers)


def test_more_passes_than_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot have passed"):
        stratified_share([asked(10, 5)], [6])


def test_wilson_of_endless_cases_has_no_width() -> None:
    assert wilson_ends(0.3, inf, 0.95) == (0.3, 0.3)
