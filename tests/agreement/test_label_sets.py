"""Answers that are sets of labels: alpha with distances between sets, and label by label."""

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.agreement.bootstrap import bootstrap
from reviewer.agreement.coefficient import COEFFICIENTS, SET_COEFFICIENTS
from reviewer.agreement.label_sets import ratings_by_label, set_ratings
from reviewer.agreement.ratings import Ratings

LABELS = ("a", "b", "c", "d")
Answer = frozenset[str]
Rows = list[list[Answer | None]]


def jaccard(one: Answer, other: Answer) -> Fraction:
    return 1 - Fraction(len(one & other), len(one | other)) if one | other else Fraction(0)


def masi(one: Answer, other: Answer) -> Fraction:
    if one == other:
        return Fraction(0)
    monotony = (
        Fraction(2, 3) if one < other or other < one else Fraction(1, 3) if one & other else Fraction(0)
    )
    return 1 - monotony * (1 - jaccard(one, other))


def alpha(rows: Rows, distance: Callable[[Answer, Answer], Fraction]) -> Fraction | None:
    """Pair by pair of the answers themselves; None where all are the same."""
    paired = [given for row in rows if len(given := [one for one in row if one is not None]) > 1]
    values = [one for given in paired for one in given]
    by_chance = sum((distance(*pair) for pair in permutations(values, 2)), Fraction(0))
    apart = sum(
        (
            sum((distance(*pair) for pair in permutations(given, 2)), Fraction(0)) / (len(given) - 1)
            for given in paired
        ),
        Fraction(0),
    )
    return 1 - (len(values) - 1) * apart / by_chance if by_chance else None


ANSWERS = st.one_of(st.none(), st.frozensets(st.sampled_from(LABELS)))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(ANSWERS, min_size=3, max_size=3), min_size=1, max_size=8))
def test_alpha_of_sets_by_definition(rows: Rows) -> None:
    ratings = set_ratings(rows, LABELS)
    for key, distance in {"jaccard": jaccard, "masi": masi}.items():
        value, expected = SET_COEFFICIENTS[f"krippendorff_alpha_{key}"](ratings).value, alpha(rows, distance)
        assert (value is None) == (expected is None)
        assert value is None or value == pytest.approx(float(expected or 0), abs=1e-10)


def test_a_known_table() -> None:
    """Two raters: the same set once, one set within the other once, sets that overlap once."""
    rows: Rows = [
        [frozenset("ab"), frozenset("ba")],
        [frozenset("a"), frozenset("ab")],
        [frozenset("ab"), frozenset("bc")],
    ]
    ratings = set_ratings(rows, LABELS, ["ada", "bo"])
    assert ratings.categories == (frozenset("ab"), frozenset("a"), frozenset("bc"))
    # Disagreement: Jaccard 0, 1/2 and 2/3 within cases; MASI 0, 1 - 2/6 and 1 - 1/9.
    for key, apart in {"jaccard": Fraction(7, 6), "masi": Fraction(14, 9)}.items():
        distance = {"jaccard": jaccard, "masi": masi}[key]
        values = [one for row in rows for one in row if one is not None]
        by_chance = sum((distance(*pair) for pair in permutations(values, 2)), Fraction(0))
        expected = 1 - 5 * 2 * apart / by_chance
        coefficient = SET_COEFFICIENTS[f"krippendorff_alpha_{key}"]
        assert coefficient(ratings).value == pytest.approx(float(expected), abs=1e-12)
        drawn = bootstrap(ratings, coefficient, seed=3, resamples=500)
        assert drawn.interval is not None
        assert drawn.interval.low <= float(expected) <= drawn.interval.high
    assert coefficient(ratings).se_reason == "no analytic formula"


def test_every_label_is_a_question_answered_yes_or_no() -> None:
    rows: Rows = [
        [frozenset("ab"), frozenset("a"), None],
        [frozenset(), frozenset("c"), frozenset("c")],
        [frozenset("b"), frozenset("b"), frozenset("b")],
    ]
    by_label = ratings_by_label(set_ratings(rows, LABELS), LABELS)
    assert list(by_label) == list(LABELS)
    for label, ratings in by_label.items():
        table = [[None if one is None else label in one for one in row] for row in rows]
        expected = Ratings.from_labels(table, (False, True))
        assert ratings.codes.tolist() == expected.codes.tolist()
        assert COEFFICIENTS["gwet_ac1"](ratings) == COEFFICIENTS["gwet_ac1"](expected)
    assert COEFFICIENTS["fleiss_kappa"](by_label["d"]).reason == "one category"


def test_nothing_answered_and_strange_labels() -> None:
    assert (
        SET_COEFFICIENTS["krippendorff_alpha_masi"](set_ratings([[None, None]], LABELS)).reason == "no data"
    )
    same = set_ratings([[frozenset(), frozenset()]], LABELS)
    assert SET_COEFFICIENTS["krippendorff_alpha_jaccard"](same).reason == "one category"
    with pytest.raises(ValueError, match="item 1: 'e' is not one of the labels"):
        set_ratings([[frozenset("a"), None], [frozenset("ae"), None]], LABELS)
