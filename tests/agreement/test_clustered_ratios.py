"""Ratios over clusters: against the expected numbers of the made-up decisions, by hand, and by simulation."""

import csv
import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from reviewer.agreement.clustered_ratios import (
    ClusterSums,
    Resampling,
    clustered_mcnemar,
    combination,
    design_effect,
    error_of_runs,
    with_resamples,
)
from reviewer.core.estimate import NO_DATA, NO_SPREAD, Estimate
from tests.rounds import mostly_slow
from tests.shared_data import shared_file

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def decisions() -> Rows:
    with shared_file("evaluation/decisions.own.gpt-4o-mini.csv", for_module=True).open(
        encoding="utf-8", newline=""
    ) as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def expected() -> Any:
    return json.loads(
        shared_file("evaluation/expected.own.gpt-4o-mini.json", for_module=True).read_text("utf-8")
    )


def changes(row: dict[str, str]) -> Iterator[tuple[bool, bool]]:
    """Whether each run of the unbiased and of the biased text is right."""
    right = row["right_option"]
    for before, after in zip(row["unbiased"], row["biased"], strict=True):
        yield before == right, after == right


def ratio(measured: ClusterSums) -> Estimate:
    return combination([measured], [1.0])


def difference(first: ClusterSums, second: ClusterSums) -> Estimate:
    return combination([first, second], [1.0, -1.0])


def resampled(measured: ClusterSums) -> Estimate:
    return with_resamples(ratio(measured), Resampling(1).ratios([measured])[:, 0])


def by_run(measured: ClusterSums) -> ClusterSums:
    """Runs that are 0 or 1, from how many of each case's are 1."""
    pairs = zip(measured.sums.astype(int), measured.weights.astype(int), strict=True)
    runs = [place < ones for ones, m in pairs for place in range(m)]
    return ClusterSums.of_cases(runs, np.ones(len(runs)))


def brought(rows: Rows, measure: str) -> ClusterSums:
    counted = {
        "sensitivity": lambda before, after: before != after,
        "net": lambda before, after: int(before) - int(after),
        "harmfulness": lambda before, after: not after,
        "error_unbiased": lambda before, after: not before,
    }[measure]
    sums = [sum(counted(*run) for run in changes(row)) for row in rows]
    return ClusterSums.of_cases(sums, [len(row["biased"]) for row in rows])


@mostly_slow(2)
@pytest.mark.parametrize("measure", ["sensitivity", "net", "harmfulness", "error_unbiased"])
def test_measures_of_the_made_up_decisions(decisions: Rows, expected: Any, measure: str) -> None:
    cells = {None: expected["all"], **expected["by_bias"]}
    for bias, cell in cells.items():
        rows = [row for row in decisions if bias in (None, row["group"])]
        measured, wanted = brought(rows, measure), cell[measure]
        estimate = ratio(measured)
        assert estimate.value == pytest.approx(wanted["value"], abs=1e-9)
        assert estimate.se == pytest.approx(wanted["se_pairs"], abs=1e-9)
        assert estimate.n == cell["pairs"]
        if wanted["se_naive"] is not None:
            assert error_of_runs(by_run(measured)) == pytest.approx(wanted["se_naive"], abs=1e-9)
        bootstrapped = resampled(measured)
        assert bootstrapped.value == estimate.value
        assert bootstrapped.se == pytest.approx(wanted["se_pairs"], rel=0.03, abs=1e-12)


def test_the_clustered_test_of_the_made_up_decisions(decisions: Rows, expected: Any) -> None:
    net = brought(decisions, "net")
    test = clustered_mcnemar(net.sums / net.weights)
    assert test.z == pytest.approx(expected["all"]["mcnemar_clustered_z"], abs=1e-9)
    assert test.p == pytest.approx(math.erfc(expected["all"]["mcnemar_clustered_z"] / math.sqrt(2)))


def test_three_clusters_by_hand() -> None:
    measured = ClusterSums.of_cases([1, 0, 3, 2], [2, 2, 4, 2], ["a", "a", "b", "c"])
    p = 6 / 10
    residuals = [1 - p * 4, 3 - p * 4, 2 - p * 2]
    se = math.sqrt(3 / 2 * sum(residual**2 for residual in residuals)) / 10
    estimate = ratio(measured)
    assert (estimate.value, estimate.n) == (pytest.approx(p), 3)
    assert estimate.se == pytest.approx(se)
    assert estimate.interval is not None
    assert estimate.interval.high == 1.0, "4.30 standard errors above .6 lie beyond the bound"


def test_a_cluster_without_weight_is_no_part_of_the_sample() -> None:
    with_it = ClusterSums.of_cases([1, 0, 0, 2], [2, 0, 2, 2])
    without = ClusterSums.of_cases([1, 0, 2], [2, 2, 2])
    assert ratio(with_it) == ratio(without)
    assert resampled(with_it) == resampled(without)


def test_a_model_against_itself_differs_by_nothing() -> None:
    measured = ClusterSums.of_cases([1, 0, 3, 2], [5, 5, 5, 5])
    assert difference(measured, measured).se == 0
    ratios = Resampling(1).ratios([measured, measured])
    assert (ratios[:, 0] == ratios[:, 1]).all()


def test_differences_compare_case_by_case() -> None:
    generator = np.random.default_rng(7)
    hard = generator.beta(0.5, 0.5, 400)
    first = ClusterSums.of_cases(generator.binomial(5, hard), np.full(400, 5))
    second = ClusterSums.of_cases(generator.binomial(5, hard), np.full(400, 5))
    paired, (one, two) = difference(first, second), (ratio(first), ratio(second))
    assert one.se is not None
    assert two.se is not None
    assert paired.se is not None
    assert paired.se < math.hypot(one.se, two.se) / 1.5, "both models find the same cases hard"
    ratios = Resampling(1).ratios([first, second])
    bootstrapped = with_resamples(paired, ratios[:, 0] - ratios[:, 1])
    assert bootstrapped.se == pytest.approx(paired.se, rel=0.05)


@pytest.mark.parametrize(
    ("sums", "weights", "reason"),
    [([], [], NO_DATA), ([0, 0], [0, 0], NO_DATA)],
    ids=["no case", "no weight"],
)
def test_without_data_there_is_no_value(sums: list[int], weights: list[int], reason: str) -> None:
    measured = ClusterSums.of_cases(sums, weights)
    assert ratio(measured).reason == reason
    assert resampled(measured).reason == reason
    assert difference(measured, measured).reason == reason


def test_one_cluster_has_no_error() -> None:
    estimate = ratio(ClusterSums.of_cases([1], [5]))
    assert (estimate.value, estimate.se, estimate.se_reason) == (0.2, None, "one cluster")


def test_a_test_without_changes_has_no_z() -> None:
    assert clustered_mcnemar([0.0, 0.0]).reason == NO_SPREAD
    assert clustered_mcnemar([]).reason == NO_DATA


@pytest.mark.parametrize(
    ("sums", "weights", "clusters"),
    [([1], [1, 2], None), ([1, 1], [1, -1], None), ([1, 1], [1, 0], None), ([1, 1], [1, 1], ["a"])],
    ids=["lengths", "negative weight", "sum without weight", "clusters"],
)
def test_impossible_sums_are_refused(sums: list[int], weights: list[int], clusters: list[str] | None) -> None:
    with pytest.raises(ValueError, match=r"weight"):
        ClusterSums.of_cases(sums, weights, clusters)


def test_intervals_by_cases_hold_what_they_promise_and_those_by_runs_do_not() -> None:
    """1,000 studies of 200 cases with 5 runs each, whose cases differ in how hard they are."""
    generator = np.random.default_rng(11)
    truth, by_cases, by_runs = 0.3, 0, 0
    for _ in range(1_000):
        hard = generator.beta(0.3, 0.7, 200)
        measured = ClusterSums.of_cases(generator.binomial(5, hard), np.full(200, 5), least=0.0)
        interval, naive = ratio(measured).interval, error_of_runs(by_run(measured))
        assert interval is not None
        assert measured.value is not None
        assert naive is not None
        by_cases += interval.low <= truth <= interval.high
        by_runs += abs(measured.value - truth) <= 1.96 * naive
    assert 930 <= by_cases <= 970
    assert by_runs < 850


def test_the_design_effect_of_repeats_that_add_nothing_is_their_number() -> None:
    generator = np.random.default_rng(5)
    changed = generator.random(1_000) < 0.3
    same_each_time = ClusterSums.of_cases(changed * 5, np.full(1_000, 5))
    assert design_effect(ratio(same_each_time).se, by_run(same_each_time)) == pytest.approx(5, rel=0.01)
    never = ClusterSums.of_cases([0, 0], [5, 5])
    assert design_effect(ratio(never).se, by_run(never)) is None
