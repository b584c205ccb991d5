"""Coefficients of a dataset from a draw by strata."""

from math import sqrt

import numpy as np
import pytest

from reviewer.agreement.bootstrap import bootstrap
from reviewer.agreement.coefficient import COEFFICIENTS, ORDERED_COEFFICIENTS
from reviewer.agreement.pass_rates import PassRule
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.stratified import StratumCounts, stratified_share
from reviewer.agreement.weighted_agreement import weighted_estimates
from reviewer.core.estimate import Estimate

ALL = {**COEFFICIENTS, **ORDERED_COEFFICIENTS}
FIRST = [[2, 2, 1]] * 4 + [[0, 0, 0]] * 6 + [[0, 1, None]] * 2
SECOND = [[2, 2, 2]] * 10 + [[2, 1, 2]] * 5
ROWS = Ratings.from_labels(FIRST + SECOND, [0, 1, 2])
STRATUM_OF = [0] * 12 + [1] * 15
STRATA = (StratumCounts(12, 12, 12, 12), StratumCounts(45, 15, 15, 15))


def weighted(key: str, strata: tuple[StratumCounts, ...] = STRATA, resamples: int = 200) -> Estimate:
    return weighted_estimates(ROWS, [ALL[key]], strata, STRATUM_OF, seed=1, resamples=resamples)[0]


@pytest.mark.parametrize("key", [key for key in ALL if "alpha" not in key])
def test_a_weight_of_three_is_a_case_three_times(key: str) -> None:
    repeated = Ratings.from_labels(FIRST + SECOND * 3, [0, 1, 2])
    assert weighted(key).value == pytest.approx(ALL[key](repeated).value)


def test_alpha_by_hand() -> None:
    counts, weights = ROWS.counts, np.array([1.0] * 12 + [3.0] * 15) * 27 / 57
    totals, per_item = weights @ counts, counts.sum(axis=1)
    labels = totals.sum()
    apart = weights @ ((per_item**2 - (counts**2).sum(axis=1)) / (per_item - 1))
    expected = 1 - (labels - 1) * apart / (labels**2 - (totals**2).sum())
    assert weighted("krippendorff_alpha").value == pytest.approx(expected)


@pytest.mark.parametrize("key", ALL)
def test_one_stratum_has_the_value_of_the_sample(key: str) -> None:
    (got,) = weighted_estimates(
        ROWS, [ALL[key]], [StratumCounts(270, 27, 27, 27)], [0] * 27, seed=1, resamples=50
    )
    plain = ALL[key](ROWS)
    assert (got.value, got.n, got.left_out) == (pytest.approx(plain.value), plain.n, plain.left_out)


def test_error_of_a_stratum_is_that_of_the_sample_with_the_finite_size() -> None:
    key = "fleiss_kappa"
    sizes = [StratumCounts(108, 27, 27, 27)]
    (got,) = weighted_estimates(ROWS, [ALL[key]], sizes, [0] * 27, seed=1, resamples=4000)
    plain = bootstrap(ROWS, ALL[key], seed=1, resamples=4000)
    assert got.se == pytest.approx((plain.se or 0) * sqrt(1 - 27 / 108), rel=0.06)


def test_error_of_a_share_is_that_of_the_formula() -> None:
    strata, stratum_of = [StratumCounts(40, 20, 20, 20), StratumCounts(200, 30, 30, 30)], [0] * 20 + [1] * 30
    labels = Ratings.from_labels([[i % 3 > 0] for i in range(50)], [False, True])
    (got,) = weighted_estimates(labels, [PassRule((True,))], strata, stratum_of, seed=2, resamples=8000)
    passed = [sum(i % 3 > 0 for i in range(20)), sum(i % 3 > 0 for i in range(20, 50))]
    expected = stratified_share(strata, passed)
    assert got.value == pytest.approx(expected.value)
    assert got.se == pytest.approx(expected.se, rel=0.03)


def test_error_of_a_part_that_cuts_through_strata() -> None:
    strata, stratum_of = [StratumCounts(80, 40, 20, 20), StratumCounts(400, 60, 30, 30)], [0] * 20 + [1] * 30
    labels = Ratings.from_labels(
        [[i % 10 > 6] for i in range(20)] + [[i > 2] for i in range(30)], [False, True]
    )
    (got,) = weighted_estimates(labels, [PassRule((True,))], strata, stratum_of, seed=2, resamples=8000)
    expected = stratified_share(strata, [6, 27])
    assert got.value == pytest.approx(expected.value)
    assert got.se == pytest.approx(expected.se, rel=0.03)


def test_cases_that_are_all_drawn_leave_nothing_to_chance() -> None:
    strata = (StratumCounts(12, 12, 12, 12), StratumCounts(15, 15, 15, 15))
    got = weighted("fleiss_kappa", strata)
    assert got.interval is not None
    assert got.value == pytest.approx(ALL["fleiss_kappa"](ROWS).value)
    assert got.interval.half_width == pytest.approx(0)


def test_cases_are_resampled_whole() -> None:
    doubled = Ratings.from_labels([row for row in FIRST + SECOND for _ in range(2)], [0, 1, 2])
    cases, of = [i // 2 for i in range(54)], [stratum for stratum in STRATUM_OF for _ in range(2)]
    (got,) = weighted_estimates(
        doubled, [ALL["po_pairwise"]], STRATA, of, seed=1, resamples=2000, cases=cases
    )
    once = weighted("po_pairwise", resamples=2000)
    assert got.value == pytest.approx(once.value)
    assert got.se == pytest.approx(once.se, rel=0.05)


def test_unrated_cases_are_missing() -> None:
    rows = Ratings.from_labels([*FIRST, *SECOND, [None] * 3], [0, 1, 2])
    strata = (STRATA[0], StratumCounts(48, 16, 16, 16))
    (got,) = weighted_estimates(rows, [ALL["gwet_ac1"]], strata, [*STRATUM_OF, 1], seed=1, resamples=50)
    (expected,) = weighted_estimates(
        ROWS, [ALL["gwet_ac1"]], (STRATA[0], StratumCounts(48, 15, 15, 15)), STRATUM_OF, seed=1, resamples=50
    )
    assert got == expected


def test_without_a_value_there_is_the_reason() -> None:
    alike = Ratings.from_labels([[True, True]] * 4, [False, True])
    strata, kappa = [StratumCounts(10, 2, 2, 2), StratumCounts(10, 2, 2, 2)], COEFFICIENTS["fleiss_kappa"]
    (got,) = weighted_estimates(alike, [kappa], strata, [0, 0, 1, 1], seed=1)
    assert got.reason == "one category"
    (got,) = weighted_estimates(ROWS, [kappa], (*STRATA, StratumCounts(9, 3, 3, 3)), STRATUM_OF, seed=1)
    assert got.reason == "a stratum without answers"
    single = Ratings.from_labels([*FIRST, [2, 2, 1]], [0, 1, 2])
    (got,) = weighted_estimates(
        single, [kappa], (STRATA[0], StratumCounts(9, 1, 1, 1)), [0] * 12 + [1], seed=1
    )
    assert (got.se, got.se_reason) == (None, "one case of a stratum")


def test_same_seed_same_interval() -> None:
    assert weighted("gwet_ac1") == weighted("gwet_ac1")
