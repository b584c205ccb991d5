"""Every worked example through the public functions: values, standard errors, intervals, undefined cases."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from reviewer.agreement.coefficient import COEFFICIENTS
from reviewer.agreement.cohen import cohen_kappa
from reviewer.agreement.pass_rates import PassRule
from reviewer.agreement.ratings import Ratings
from reviewer.core.estimate import Estimate
from tests.agreement.missing_values import REASONS
from tests.agreement.vectors import by_name, ratings_of

VECTORS = by_name("vectors.json")

UNDEFINED_BECAUSE = {
    ("edge_one_rater", "fleiss_kappa"): "one rater",
    ("edge_only_single_ratings", "po_all_agree"): "no item with two ratings",
    ("edge_all_missing", "gwet_ac1"): "no data",
    ("edge_empty", "krippendorff_alpha"): "no data",
    ("edge_all_identical_declared_2cats", "krippendorff_alpha"): "one category",
    ("edge_all_identical_1cat", "gwet_ac1"): "one category",
    ("edge_single_item_unanimous", "conger_kappa"): "one category",
    ("edge_rater_column_all_missing", "conger_kappa"): "no data",
}


def estimate(key: str, ratings: Ratings) -> Estimate:
    return cohen_kappa(ratings, "1", "2") if key == "cohen_kappa" else COEFFICIENTS[key](ratings)


def test_all_examples_are_there() -> None:
    assert len(VECTORS) == 37


@pytest.mark.parametrize("vector", VECTORS)
def test_counts_follow_from_labels(vector: dict[str, Any]) -> None:
    ratings = ratings_of(vector)
    assert ratings.counts.tolist() == vector["counts"]
    assert (ratings.n_items, ratings.n_raters) == (vector["n_items"], vector["n_raters"])


@pytest.mark.parametrize("vector", [each for each in VECTORS if each.values[0]["ratings"]])
def test_kind_of_label_makes_no_difference(vector: dict[str, Any]) -> None:
    rows, categories = vector["ratings"], vector["categories"]
    complete = all(label is not None for row in rows for label in row)
    codes = ratings_of(vector).codes
    kinds: list[list[Any]] = [list(range(len(categories))), [f"label {each}" for each in categories]]
    if len(categories) == 2:
        kinds.append([False, True])
    for names in kinds:
        named = dict(zip(categories, names, strict=True))
        table = [[None if label is None else named[label] for label in row] for row in rows]
        forms: list[Any] = [table, np.array(table, dtype=object)] + [np.array(table)] * complete
        for form in forms:
            assert (Ratings.from_labels(form, names).codes == codes).all()


@pytest.mark.parametrize("vector", VECTORS)
def test_values(vector: dict[str, Any]) -> None:
    ratings = ratings_of(vector)
    for key, expected in vector["expected"].items():
        got = estimate(key, ratings)
        if expected is None:
            assert got.value is None, key
            assert got.reason in REASONS
            continue
        assert got.value == pytest.approx(expected, abs=vector["tolerance"]["expected"]), key
        assert got.value == pytest.approx(float(Fraction(vector["expected_exact"][key])), abs=1e-13), key


@pytest.mark.parametrize("vector", VECTORS)
def test_undefined_exactly_where_listed(vector: dict[str, Any]) -> None:
    ratings = ratings_of(vector)
    undefined = {key for key in vector["expected"] if estimate(key, ratings).value is None}
    assert undefined == set(vector["undefined"])


@pytest.mark.parametrize(("name", "key"), UNDEFINED_BECAUSE)
def test_reason(name: str, key: str) -> None:
    vector = next(each.values[0] for each in VECTORS if each.id == name)
    assert COEFFICIENTS[key](ratings_of(vector)).reason == UNDEFINED_BECAUSE[name, key]


@pytest.mark.parametrize("vector", VECTORS)
def test_standard_errors(vector: dict[str, Any]) -> None:
    ratings = ratings_of(vector)
    for key in vector["expected_se"].keys() & COEFFICIENTS.keys():
        tolerance = vector["tolerance"]["expected_se"]
        assert COEFFICIENTS[key](ratings).se == pytest.approx(vector["expected_se"][key], abs=tolerance), key


@pytest.mark.parametrize("vector", VECTORS)
def test_intervals(vector: dict[str, Any]) -> None:
    ratings = ratings_of(vector)
    for key in vector["expected_ci"].keys() & COEFFICIENTS.keys():
        interval = COEFFICIENTS[key](ratings).interval
        assert interval is not None
        expected = vector["expected_ci"][key]["ci95"]
        tolerance = vector["tolerance"]["expected_ci"]
        assert [interval.low, interval.high] == pytest.approx(expected, abs=tolerance), key
        assert (interval.level, interval.method) == (0.95, "analytic")


@pytest.mark.parametrize("vector", VECTORS)
def test_chance_agreement(vector: dict[str, Any]) -> None:
    ratings = ratings_of(vector)
    for key, expected in vector["expected_pe"].items():
        got = COEFFICIENTS[key](ratings)
        if got.value is not None:
            assert got.expected == pytest.approx(expected, abs=1e-12), key


@pytest.mark.parametrize("vector", [each for each in VECTORS if "expected_cohen_pairs" in each.values[0]])
def test_cohen_of_every_pair(vector: dict[str, Any]) -> None:
    ratings = ratings_of(vector)
    pairs = {pair: cohen_kappa(ratings, *pair) for pair in combinations(ratings.names(), 2)}
    got = {"-".join(pair): each.value for pair, each in pairs.items()}
    assert got.keys() == vector["expected_cohen_pairs"].keys()
    for pair, expected in vector["expected_cohen_pairs"].items():
        assert got[pair] == (None if expected is None else pytest.approx(expected, abs=1e-9)), pair


@pytest.mark.parametrize("vector", [each for each in VECTORS if "expected_pass" in each.values[0]])
def test_pass_rates(vector: dict[str, Any]) -> None:
    ratings, expected = ratings_of(vector), vector["expected_pass"]
    passing = (vector["categories"][-1],)
    for name, rate in (
        ("majority", PassRule(passing).rate(ratings)),
        ("unanimity", PassRule(passing, unanimous=True).rate(ratings)),
    ):
        assert (rate.estimate.n, rate.undecided) == (expected["n"], expected["ties"])
        assert rate.passed == expected[f"{name}_count"]
        assert rate.estimate.value == expected[f"{name}_rate"]
        ends = rate.estimate.interval and [rate.estimate.interval.low, rate.estimate.interval.high]
        wanted = expected[f"{name}_wilson95"]
        assert ends == (wanted and pytest.approx(wanted, abs=1e-9))
