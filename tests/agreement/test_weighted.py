"""Coefficients of labels that stand in an order, and alpha of other metrics, against other calculations."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.agreement.bootstrap import bootstrap_all
from reviewer.agreement.coefficient import COEFFICIENTS, ORDERED_COEFFICIENTS, ORDERED_COHEN
from reviewer.agreement.conger import conger_of
from reviewer.agreement.pairwise import pairwise_of
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.share_chance import BRENNAN_PREDIGER, FLEISS, GWET
from reviewer.agreement.weighting import IDENTITY, LINEAR, QUADRATIC, Weighting
from reviewer.core.estimate import NO_FORMULA
from tests.agreement.vectors import by_name

Q = 5
POSITIONS = range(1, Q + 1)
WORKED = by_name("weighted.json")
SHORT = {
    "pa": "po_pairwise",
    "ac2": "gwet_ac2",
    "fleiss": "fleiss_kappa",
    "bp": "brennan_prediger",
    "conger": "conger_kappa",
    "alpha": "krippendorff_alpha",
}
Rows = list[list[int | None]]
Weight = Callable[[int, int], Fraction]


def coefficient_of(name: str) -> Any:
    """The coefficient that the worked tables call ``name``, such as ac2_linear."""
    base, _, kind = name.partition("_")
    if kind == "nominal" or kind == "identity":
        return COEFFICIENTS["gwet_ac1" if base == "ac2" else SHORT[base]]
    return ORDERED_COEFFICIENTS[f"{SHORT[base]}_{kind}"]


@pytest.mark.parametrize("table", WORKED)
def test_worked_tables(table: dict[str, Any]) -> None:
    ratings = Ratings.from_labels(table["rows"], POSITIONS)
    for name, exact in table["expected_exact"].items():
        estimate = coefficient_of(name)(ratings)
        assert estimate.value == pytest.approx(float(Fraction(exact)), abs=1e-12), name
    for name, se in table["expected_se"].items():
        assert coefficient_of(name)(ratings).se == pytest.approx(se, abs=1e-9), name
    for name in table["undefined"]:
        assert coefficient_of(name)(ratings).reason == "one category", name
    assert len(table["expected_exact"]) + len(table["undefined"]) == 18


def test_all_worked_tables_are_there() -> None:
    assert len(WORKED) == 6


def test_twelve_subjects_of_gwet() -> None:
    (table,) = (each.values[0] for each in WORKED if each.values[0]["name"].startswith("raw4raters"))
    ratings = Ratings.from_labels(table["rows"], POSITIONS)
    published = {
        "ac2_quadratic": 0.914001,
        "ac2_linear": 0.858739,
        "alpha_interval": 0.849107,
        "alpha_ordinal": 0.815388,
    }
    for name, value in published.items():
        assert coefficient_of(name)(ratings).value == pytest.approx(value, abs=5e-7)


def test_where_only_the_bootstrap_gives_an_interval_the_analytic_one_says_so() -> None:
    table = Ratings.from_labels([[1, 1, 2], [3, 3, 3], [2, 1, 2], [5, 4, 5], [1, 2, 1]], POSITIONS)
    bare = {key for key, each in ORDERED_COEFFICIENTS.items() if each(table).interval is None}
    assert {key for key in bare if ORDERED_COEFFICIENTS[key](table).se_reason != NO_FORMULA} == set()
    kinds = ("quadratic", "linear")
    assert bare == {
        "krippendorff_alpha_ordinal",
        "krippendorff_alpha_interval",
        *(f"conger_kappa_{kind}" for kind in kinds),
        *(f"light_kappa_defined_pairs_{kind}" for kind in kinds),
    }
    statistics = list(ORDERED_COEFFICIENTS.values())
    drawn = bootstrap_all(table, statistics, seed=1, resamples=200)
    assert all(estimate.interval and estimate.interval.method == "bootstrap" for estimate in drawn)


# -- by definition, in fractions -------------------------------------------------------------------


def weight_of(weighting: Weighting, q: int) -> Weight:
    return {
        "identity": lambda k, m: Fraction(int(k == m)),
        "linear": lambda k, m: 1 - Fraction(abs(k - m), q - 1),
        "quadratic": lambda k, m: 1 - Fraction((k - m) ** 2, (q - 1) ** 2),
        "any": lambda k, m: Fraction(int(k == m)) or Fraction((k + m) % 3, 4),
    }[weighting.key]


def any_matrix(q: int) -> Any:
    return np.array([[1.0 if k == m else (k + m) % 3 / 4 for m in range(q)] for k in range(q)])


ANY = Weighting("any", "any weights", any_matrix)


def given_in(row: Sequence[int | None]) -> list[int]:
    return [label for label in row if label is not None]


def mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def observed(rows: Rows, weight: Weight) -> Fraction:
    pairs = [list(permutations(given_in(row), 2)) for row in rows]
    return mean([mean([weight(*pair) for pair in of_item]) for of_item in pairs if of_item])


def shares(rows: Rows, q: int) -> list[Fraction]:
    rated = [labels for row in rows if (labels := given_in(row))]
    return [mean([Fraction(labels.count(k), len(labels)) for labels in rated]) for k in range(q)]


def expected(name: str, rows: Rows, weight: Weight, q: int) -> Fraction:
    everywhere = [(k, m) for k in range(q) for m in range(q)]
    total = sum(weight(k, m) for k, m in everywhere)
    if name == "conger":
        columns = [given_in(column) for column in zip(*rows, strict=True)]
        pairs = list(combinations(columns, 2))
        return mean([mean([weight(k, m) for k in one for m in other]) for one, other in pairs])
    pi = shares(rows, q)
    if name == "fleiss":
        return sum((weight(k, m) * pi[k] * pi[m] for k, m in everywhere), Fraction(0))
    if name == "ac2":
        return total * sum((p * (1 - p) for p in pi), Fraction(0)) / (q * (q - 1))
    return total / Fraction(q * q)


def corrected(name: str, rows: Rows, weight: Weight, q: int) -> Fraction:
    chance = expected(name, rows, weight, q)
    return (observed(rows, weight) - chance) / (1 - chance)


@st.composite
def tables(draw: st.DrawFn, missing: bool = True) -> tuple[Rows, int]:
    """Rows of two to four raters over q labels, two of which at least are used; each rater gave a label."""
    q, raters = draw(st.integers(2, 6)), draw(st.integers(2, 4))
    label = st.integers(0, q - 1)
    cell = st.one_of(st.none(), label) if missing else label
    rows = draw(st.lists(st.lists(cell, min_size=raters, max_size=raters), max_size=9))
    return [[0] * raters, [0, *[1] * (raters - 1)], *rows], q


FUNCTIONS: dict[str, Any] = {
    "fleiss": FLEISS.estimate,
    "ac2": GWET.estimate,
    "bp": BRENNAN_PREDIGER.estimate,
    "conger": conger_of,
}


@settings(max_examples=20, deadline=None)
@given(tables(), st.sampled_from([IDENTITY, LINEAR, QUADRATIC, ANY]))
def test_any_weights_by_definition(table: tuple[Rows, int], weighting: Weighting) -> None:
    rows, q = table
    ratings, weight = Ratings.from_labels(rows, range(q)), weight_of(weighting, q)
    agreement = pairwise_of(ratings.patterns, 0.95, weighting).value
    assert agreement == pytest.approx(float(observed(rows, weight)), abs=1e-12)
    for name, function in FUNCTIONS.items():
        value = function(ratings.patterns, 0.95, weighting).value
        assert value == pytest.approx(float(corrected(name, rows, weight, q)), abs=1e-10), name


@settings(max_examples=20, deadline=None)
@given(tables(missing=False), st.sampled_from([LINEAR, QUADRATIC]))
def test_cohen_and_light_by_definition(table: tuple[Rows, int], weighting: Weighting) -> None:
    rows, q = table
    weight, kappas = weight_of(weighting, q), []
    for columns in combinations(range(len(rows[0])), 2):
        pair: Rows = [[row[column] for column in columns] for row in rows]
        if len({label for row in pair for label in row}) < 2:
            continue
        kappas.append(corrected("conger", pair, weight, q))
        cohen = ORDERED_COHEN[f"cohen_kappa_{weighting.key}"](Ratings.from_labels(pair, range(q)))
        assert cohen.value == pytest.approx(float(kappas[-1]), abs=1e-10)
    light = ORDERED_COEFFICIENTS[f"light_kappa_defined_pairs_{weighting.key}"]
    assert light(Ratings.from_labels(rows, range(q))).value == pytest.approx(float(mean(kappas)), abs=1e-10)


def distance(metric: str, totals: Sequence[int], k: int, m: int) -> Fraction:
    low, high = sorted((k, m))
    if metric == "interval":
        return Fraction((k - m) ** 2)
    return (sum(totals[low : high + 1]) - Fraction(totals[k] + totals[m], 2)) ** 2


def alpha(rows: Rows, q: int, metric: str) -> Fraction:
    """Over all pairable values: 1 - observed / expected, pair by pair."""
    paired = [labels for row in rows if len(labels := given_in(row)) > 1]
    values = [label for labels in paired for label in labels]
    totals = [values.count(k) for k in range(q)]
    apart = sum(
        sum(distance(metric, totals, k, m) for k, m in permutations(labels, 2)) / (len(labels) - 1)
        for labels in paired
    )
    by_chance = sum(
        totals[k] * totals[m] * distance(metric, totals, k, m) for k in range(q) for m in range(q) if k != m
    )
    return 1 - (len(values) - 1) * apart / by_chance


@settings(max_examples=20, deadline=None)
@given(tables(), st.sampled_from(["ordinal", "interval"]))
def test_alpha_by_definition_and_by_the_package(table: tuple[Rows, int], metric: str) -> None:
    import krippendorff

    rows, q = table
    ratings = Ratings.from_labels(rows, range(q))
    value = ORDERED_COEFFICIENTS[f"krippendorff_alpha_{metric}"](ratings).value
    assert value == pytest.approx(float(alpha(rows, q, metric)), abs=1e-10)
    package = krippendorff.alpha(
        value_counts=ratings.counts, value_domain=list(range(q)), level_of_measurement=metric
    )
    assert value == pytest.approx(float(package), abs=1e-10)


@settings(max_examples=20, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_a_resample_has_the_value_of_the_rows_that_it_drew(table: tuple[Rows, int], random: Any) -> None:
    rows, q = table
    ratings = Ratings.from_labels(rows, range(q))
    weights = [random.randrange(3) for _ in ratings.patterns.codes]
    drawn = [
        [None if code < 0 else code for code in codes]
        for codes, times in zip(ratings.patterns.codes.tolist(), weights, strict=True)
        for _ in range(times)
    ]
    again = Ratings.from_labels(drawn, range(q), ratings.raters)
    for coefficient in ORDERED_COEFFICIENTS.values():
        resampled = coefficient.values(ratings.patterns, np.array([weights], dtype=np.float64))[0]
        value = coefficient(again).value
        assert np.isnan(resampled) == (value is None), coefficient.key
        assert value is None or resampled == pytest.approx(value, abs=1e-10)


def test_labels_count_by_their_position_whatever_numbers_they_are() -> None:
    rows = [[1, 1], [2, 5], [5, 5], [1, 2], [2, 2]]
    places = {1: "low", 2: "middle", 5: "high"}
    by_number = Ratings.from_labels(rows, (1, 2, 5))
    by_word = Ratings.from_labels([[places[a], places[b]] for a, b in rows], tuple(places.values()))
    for coefficient in (*ORDERED_COEFFICIENTS.values(), *ORDERED_COHEN.values()):
        assert coefficient(by_number) == coefficient(by_word)
    # Steps of 0, 1, 0, 1 and 0: on average four fifths of the way between the ends and the middle.
    assert ORDERED_COEFFICIENTS["po_pairwise_linear"](by_number).value == pytest.approx(0.8)


@settings(max_examples=20, deadline=None)
@given(tables())
def test_a_matrix_with_ones_on_the_diagonal_alone_changes_no_digit(table: tuple[Rows, int]) -> None:
    rows, q = table
    ratings, diagonal = Ratings.from_labels(rows, range(q)), Weighting("diagonal", "diagonal weights", np.eye)
    patterns = ratings.patterns
    for function in (pairwise_of, FLEISS.estimate, GWET.estimate, BRENNAN_PREDIGER.estimate):
        assert function(patterns, 0.95, diagonal) == function(patterns, 0.95)
    assert conger_of(patterns, 0.95, diagonal).value == conger_of(patterns, 0.95).value
