"""What holds for any labels."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.agreement.coefficient import COEFFICIENTS
from reviewer.agreement.krippendorff_alpha import alpha_of, krippendorff_alpha
from reviewer.agreement.pass_rates import PassRule
from reviewer.agreement.raters import agreement_with_others
from reviewer.agreement.ratings import Ratings
from reviewer.agreement.shares import only_lone_dissents
from reviewer.core.estimate import Estimate
from tests.agreement.missing_values import REASONS

CATEGORIES = ["a", "b", "c"]
Rows = list[list[Any]]


def tables(missing: bool = True, raters: int = 4, labels: int = 3) -> st.SearchStrategy[Rows]:
    label = st.sampled_from([*CATEGORIES[:labels], None] if missing else CATEGORIES[:labels])
    widths = st.integers(2, raters)
    return widths.flatmap(
        lambda width: st.lists(st.lists(label, min_size=width, max_size=width), min_size=1, max_size=12)
    )


def close(one: Estimate, other: Estimate) -> bool:
    numbers = [(one.value, other.value), (one.se, other.se), (one.expected, other.expected)]
    if one.interval and other.interval:
        numbers += [(one.interval.low, other.interval.low), (one.interval.high, other.interval.high)]
    same_rest = (one.n, one.reason, one.se_reason) == (other.n, other.reason, other.se_reason)
    # A rounded sum of squares near 0 has a root near 1e-8.
    return same_rest and all(
        a == b or (a is not None and a == pytest.approx(b, abs=1e-7)) for a, b in numbers
    )


@given(tables(), st.randoms(use_true_random=False))
def test_permutations_and_new_names_change_nothing(rows: Rows, random: Any) -> None:
    ratings = Ratings.from_labels(rows, CATEGORIES)
    items = random.sample(rows, len(rows))
    order = random.sample(range(len(rows[0])), len(rows[0]))
    raters = [[row[place] for place in order] for row in rows]
    names = dict(zip(CATEGORIES, random.sample([10, 20, 30], 3), strict=True))
    renamed = [[None if label is None else names[label] for label in row] for row in rows]
    others = [
        Ratings.from_labels(items, CATEGORIES),
        Ratings.from_labels(raters, CATEGORIES),
        Ratings.from_labels(renamed, [30, 10, 20]),
    ]
    for coefficient in COEFFICIENTS.values():
        expected = coefficient(ratings)
        # The strict mean names the first undefined pair's reason, and which pair is first follows the raters.
        for other in others:
            got = coefficient(other)
            if coefficient.key.startswith("light") and got.reason:
                got = replace(got, reason=expected.reason)
            assert close(got, expected), coefficient.key


@given(tables())
def test_value_or_reason(rows: Rows) -> None:
    ratings = Ratings.from_labels(rows, CATEGORIES)
    for coefficient in COEFFICIENTS.values():
        estimate = coefficient(ratings)
        if estimate.value is None:
            assert estimate.reason in REASONS
        else:
            assert estimate.value <= 1 + 1e-12
            assert estimate.interval is None or estimate.interval.low <= estimate.value + 1e-12


@given(tables(), st.sampled_from(CATEGORIES))
def test_unanimous_item_never_lowers_po(rows: Rows, label: str) -> None:
    before = COEFFICIENTS["po_all_agree"](Ratings.from_labels(rows, CATEGORIES)).value
    after = COEFFICIENTS["po_all_agree"](
        Ratings.from_labels([*rows, [label] * len(rows[0])], CATEGORIES)
    ).value
    assert after is not None
    assert before is None or after >= before


@given(tables(missing=False))
def test_alpha_against_fleiss_on_complete_data(rows: Rows) -> None:
    """Nn labels in all: 1 - alpha = (1 - kappa) (1 - 1 / labels)."""
    ratings = Ratings.from_labels(rows, CATEGORIES)
    kappa, alpha = COEFFICIENTS["fleiss_kappa"](ratings), krippendorff_alpha(ratings)
    assert kappa.reason == alpha.reason
    if kappa.value is not None and alpha.value is not None:
        labels = len(rows) * len(rows[0])
        assert 1 - alpha.value == pytest.approx((1 - kappa.value) * (1 - 1 / labels), abs=1e-12)
        assert alpha.se == pytest.approx(kappa.se, abs=1e-7)


@given(tables())
def test_alpha_of_the_package_is_the_formula(rows: Rows) -> None:
    ratings = Ratings.from_labels(rows, CATEGORIES)
    package, formula = krippendorff_alpha(ratings), alpha_of(ratings.patterns, 0.95)
    assert close(package, formula)
    assert package.value is None or package.value == pytest.approx(formula.value, abs=1e-12)


@given(tables(raters=5))
def test_values_under_the_weights_at_hand_are_the_estimates(rows: Rows) -> None:
    ratings = Ratings.from_labels(rows, CATEGORIES)
    weights = ratings.patterns.weights[None, :].astype(np.float64)
    for coefficient in COEFFICIENTS.values():
        value = coefficient.values(ratings.patterns, weights)[0]
        estimate = coefficient(ratings)
        assert np.isnan(value) == (estimate.value is None), coefficient.key
        assert estimate.value is None or value == pytest.approx(estimate.value, abs=1e-12)


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=15))
def test_three_raters_and_two_labels(rows: Rows) -> None:
    ratings = Ratings.from_labels(rows, [False, True])
    po, pa, kappa = (
        COEFFICIENTS["po_all_agree"](ratings),
        COEFFICIENTS["po_pairwise"](ratings),
        COEFFICIENTS["fleiss_kappa"](ratings),
    )
    assert po.value is not None
    assert pa.value == pytest.approx((1 + 2 * po.value) / 3)
    true = float(np.mean(rows))
    if kappa.value is not None:
        assert kappa.value == pytest.approx(1 - (1 - po.value) / (3 * true * (1 - true)), abs=1e-12)
        if only_lone_dissents(ratings, True):
            assert kappa.value == pytest.approx(-(1 - true) / true, abs=1e-12)
            assert kappa.value < 0


@given(tables(labels=2))
def test_unanimity_is_no_more_than_majority(rows: Rows) -> None:
    ratings = Ratings.from_labels(rows, ["a", "b"])
    majority, unanimity = PassRule(("a",)).rate(ratings), PassRule(("a",), unanimous=True).rate(ratings)
    other = PassRule(("b",)).rate(ratings)
    assert unanimity.passed <= majority.passed
    assert majority.passed + other.passed + majority.undecided == majority.estimate.n


@given(tables(missing=False))
def test_raters_agree_with_others_as_pairs_do(rows: Rows) -> None:
    ratings = Ratings.from_labels(rows, CATEGORIES)
    shares = [each.value for each in agreement_with_others(ratings).values()]
    assert np.mean([share for share in shares if share is not None]) == pytest.approx(
        COEFFICIENTS["po_pairwise"](ratings).value
    )
