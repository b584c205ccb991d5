"""The bootstrap against ideal values, and resampling of cases."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from reviewer.agreement.bootstrap import Statistic, bootstrap, bootstrap_all
from reviewer.agreement.coefficient import COEFFICIENTS
from reviewer.agreement.pass_rates import PassRule
from reviewer.agreement.ratings import Ratings
from tests.agreement.vectors import load, ratings_of
from tests.rounds import mostly_slow

VECTORS = load("vectors.json")
IDEAL = [
    pytest.param(vector, key, metrics[key], id=f"{vector['name']}-{key}")
    for vector in VECTORS
    for metrics in [
        vector.get("expected_bootstrap_exact") or vector.get("expected_bootstrap_mc", {}).get("metrics", {})
    ]
    for key in metrics
    # The example itself lists these two as undefined where one category is declared.
    if key not in vector["undefined"] or vector["name"] != "edge_all_identical_1cat"
]
ROWS = [[True, True, True]] * 30 + [[True, False, True]] * 6 + [[False, False, False]] * 4


def statistic(key: str, vector: dict[str, Any]) -> Statistic:
    if key in COEFFICIENTS:
        return COEFFICIENTS[key]
    return PassRule((vector["categories"][-1],), unanimous=key == "unanimity_pass")


@mostly_slow(4)
@pytest.mark.parametrize(("vector", "key", "ideal"), IDEAL)
def test_ideal_values(vector: dict[str, Any], key: str, ideal: dict[str, Any]) -> None:
    ratings, resampled = ratings_of(vector), statistic(key, vector)
    got = bootstrap(ratings, resampled, seed=7)
    undefined = ideal.get("undefined_prob", ideal.get("undefined_share"))
    assert got.undefined_share == pytest.approx(undefined, abs=0.015)
    if ideal["ci95_percentile"] is None:
        assert (got.interval, got.se) == (None, None)
        return
    assert got.interval is not None
    # Few items make few values: what is close is the percentile, not always the value at it.
    narrow = bootstrap(ratings, resampled, seed=7, level=0.94).interval
    wide = bootstrap(ratings, resampled, seed=7, level=0.96).interval
    assert narrow is not None
    assert wide is not None
    low, high = ideal["ci95_percentile"]
    assert wide.low - 1e-5 <= low <= narrow.low + 1e-5
    assert narrow.high - 1e-5 <= high <= wide.high + 1e-5
    assert wide.low <= got.interval.low <= narrow.low
    assert got.se == pytest.approx(ideal["se"], rel=0.04, abs=1e-12)
    assert got.interval.method == "bootstrap"


def test_point_stays_as_it_is() -> None:
    ratings = Ratings.from_labels(ROWS, [False, True])
    for coefficient in COEFFICIENTS.values():
        got, point = bootstrap(ratings, coefficient, seed=1, resamples=50), coefficient(ratings)
        assert (got.value, got.n, got.expected) == (point.value, point.n, point.expected)


def test_same_seed_same_interval() -> None:
    ratings = Ratings.from_labels(ROWS, [False, True])
    fleiss = COEFFICIENTS["fleiss_kappa"]
    assert bootstrap(ratings, fleiss, seed=5) == bootstrap(ratings, fleiss, seed=5)
    assert bootstrap(ratings, fleiss, seed=5) != bootstrap(ratings, fleiss, seed=6)


def test_all_at_once_are_each_alone() -> None:
    ratings = Ratings.from_labels(ROWS, [False, True])
    several: list[Statistic] = [*COEFFICIENTS.values(), PassRule((True,))]
    together = bootstrap_all(ratings, several, seed=9, resamples=300)
    assert together == [bootstrap(ratings, each, seed=9, resamples=300) for each in several]


def test_pieces_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = Ratings.from_labels(ROWS, [False, True])
    whole = bootstrap(ratings, COEFFICIENTS["conger_kappa"], seed=2, resamples=100)
    monkeypatch.setattr(import_module("reviewer.agreement.bootstrap"), "_CELLS_AT_ONCE", 7)
    assert bootstrap(ratings, COEFFICIENTS["conger_kappa"], seed=2, resamples=100) == whole


def test_level() -> None:
    ratings = Ratings.from_labels(ROWS, [False, True])
    narrow, wide = (
        bootstrap(ratings, COEFFICIENTS["gwet_ac1"], seed=2, level=level).interval for level in (0.5, 0.99)
    )
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def test_cases_that_repeat_themselves_widen_the_interval() -> None:
    """Four copies of each item are no more information than one: SE doubles against naive resampling."""
    ratings = Ratings.from_labels([row for row in ROWS for _ in range(4)], [False, True])
    cases = [case for case in range(len(ROWS)) for _ in range(4)]
    agreement = COEFFICIENTS["po_pairwise"]
    by_case = bootstrap(ratings, agreement, seed=3, cases=cases).se
    by_row = bootstrap(ratings, agreement, seed=3).se
    once = bootstrap(Ratings.from_labels(ROWS, [False, True]), agreement, seed=3).se
    assert by_case is not None
    assert by_row is not None
    assert by_case == pytest.approx(once, rel=0.05)
    assert by_case / by_row == pytest.approx(2, rel=0.05)


def test_a_case_brings_all_of_its_items() -> None:
    """Cases of four items pass three of them or none: the case means are .75 and 0, with SD .375."""
    rows = ([[True]] * 3 + [[False]] + [[False]] * 4) * 20
    cases = [place // 4 for place in range(len(rows))]
    got = bootstrap(Ratings.from_labels(rows, [False, True]), PassRule((True,)), seed=3, cases=cases)
    assert got.value == 0.375
    assert got.se == pytest.approx(0.375 / 40**0.5, rel=0.03)


def test_cases_of_one_item_each_are_items() -> None:
    ratings = Ratings.from_labels(ROWS, [False, True])
    for key in ("fleiss_kappa", "conger_kappa"):
        by_case = bootstrap(ratings, COEFFICIENTS[key], seed=3, cases=range(40))
        by_row = bootstrap(ratings, COEFFICIENTS[key], seed=3)
        assert by_case.se == pytest.approx(by_row.se, rel=0.05)


def test_items_without_ratings_are_not_drawn() -> None:
    unrated: list[list[bool | None]] = [[None, None, None]] * 500
    with_them = bootstrap(Ratings.from_labels([*ROWS, *unrated], [False, True]), PassRule((True,)), seed=4)
    assert with_them == bootstrap(Ratings.from_labels(ROWS, [False, True]), PassRule((True,)), seed=4)


def test_one_item_cannot_be_resampled() -> None:
    got = bootstrap(Ratings.from_labels([[True, True]], [False, True]), COEFFICIENTS["gwet_ac1"], seed=1)
    assert (got.value, got.interval, got.se, got.se_reason) == (1.0, None, None, "one item")


def test_nothing_to_draw() -> None:
    empty = Ratings.from_labels([], [False, True], ["Ada", "Bob"])
    for coefficient in COEFFICIENTS.values():
        assert bootstrap(empty, coefficient, seed=1, resamples=10).reason == "no data"


def test_every_item_needs_a_case() -> None:
    ratings = Ratings.from_labels(ROWS, [False, True])
    with pytest.raises(ValueError, match="40 items need a case each, not 2"):
        bootstrap(ratings, COEFFICIENTS["fleiss_kappa"], seed=1, cases=[1, 2])


def test_no_resample_is_no_bootstrap() -> None:
    ratings = Ratings.from_labels(ROWS, [False, True])
    with pytest.raises(ValueError, match="a resample at least"):
        bootstrap(ratings, COEFFICIENTS["fleiss_kappa"], seed=1, resamples=0)


def test_against_resampling_one_by_one() -> None:
    """The multinomial draw is the plain bootstrap: same distribution of Conger's kappa, drawn row by row."""
    rows = np.random.default_rng(0).random((25, 3)) < 0.7
    conger = COEFFICIENTS["conger_kappa"]
    generator = np.random.default_rng(11)
    plain = [
        conger(Ratings.from_labels(rows[generator.integers(0, 25, 25)], [False, True])).value
        for _ in range(600)
    ]
    got = bootstrap(Ratings.from_labels(rows, [False, True]), conger, seed=1)
    assert got.se == pytest.approx(np.std([value for value in plain if value is not None]), rel=0.12)
