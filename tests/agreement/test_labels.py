"""What goes in: label types, missing places, and what is refused."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from reviewer.agreement.coefficient import COEFFICIENTS
from reviewer.agreement.cohen import cohen_kappa
from reviewer.agreement.rating_patterns import distinct_rows
from reviewer.agreement.ratings import Ratings

ROWS = [
    [True, True, False],
    [True, True, True],
    [False, True, False],
    [False, False, False],
    [True, True, True],
]

SAME_LABELS: dict[str, tuple[Any, Sequence[Any]]] = {
    "boolean array": (np.array(ROWS), [False, True]),
    "object array": (np.array(ROWS, dtype=object), [False, True]),
    "integer array": (np.array(ROWS).astype(int), [0, 1]),
    "unsigned array": (np.array(ROWS).astype(np.uint8), [0, 1]),
    "integers under boolean categories": (np.array(ROWS).astype(int), [False, True]),
    "string array": (np.array(ROWS).astype(str), ["False", "True"]),
    "floating array": (np.array(ROWS).astype(float), [0, 1]),
    "lists of strings": ([[str(label) for label in row] for row in ROWS], ["False", "True"]),
    "lists of tuples": (
        [tuple(("label", label) for label in row) for row in ROWS],
        [("label", 0), ("label", 1)],
    ),
}


@pytest.mark.parametrize("name", SAME_LABELS)
def test_types_of_labels_make_no_difference(name: str) -> None:
    rows, categories = SAME_LABELS[name]
    ratings, plain = Ratings.from_labels(rows, categories), Ratings.from_labels(ROWS, [False, True])
    assert ratings.codes.tolist() == plain.codes.tolist()
    for coefficient in COEFFICIENTS.values():
        assert coefficient(ratings) == coefficient(plain)


def test_missing_places() -> None:
    ratings = Ratings.from_labels([["a", None], [float("nan"), "b"], [None, None]], ["a", "b"])
    assert ratings.codes.tolist() == [[0, -1], [-1, 1], [-1, -1]]
    assert ratings.counts.tolist() == [[1, 0], [0, 1], [0, 0]]
    with_gap = np.array([[0.0, 1.0], [np.nan, 1.0]])
    assert Ratings.from_labels(with_gap, [0, 1]).codes.tolist() == [[0, 1], [-1, 1]]


def test_no_items_keep_their_raters() -> None:
    assert Ratings.from_labels([], ["a"], ["Ada", "Bob"]).codes.shape == (0, 2)
    assert Ratings.from_labels(np.zeros((0, 3), dtype=bool), [False, True]).n_raters == 3


@pytest.mark.parametrize("rows", [[["a", "c"]], np.array([["a", "c"]])])
def test_undeclared_label(rows: Any) -> None:
    with pytest.raises(ValueError, match="item 0: 'c' is not one of the categories"):
        Ratings.from_labels(rows, ["a", "b"])


def test_undeclared_number() -> None:
    with pytest.raises(ValueError, match="item 1: 2 is not one of the categories"):
        Ratings.from_labels(np.array([[0, 1], [1, 2]]), [0, 1])


def test_label_that_cannot_be_a_category() -> None:
    with pytest.raises(ValueError, match=r"item 0: \[\] is not one of the categories"):
        Ratings.from_labels([[[]]], ["a"])  # type: ignore[list-item]


@pytest.mark.parametrize("categories", [[], ["a", "a"], [1, True]])
def test_categories_differ(categories: list[Any]) -> None:
    with pytest.raises(ValueError, match="categories must be different"):
        Ratings.from_labels([], categories)


def test_uneven_rows() -> None:
    with pytest.raises(ValueError, match="rows have \\[1, 2\\] places"):
        Ratings.from_labels([["a", "a"], ["a"]], ["a"])


@pytest.mark.parametrize("raters", [["Ada"], ["Ada", "Ada"]])
def test_raters_are_as_many_and_different(raters: list[str]) -> None:
    with pytest.raises(ValueError, match="2 columns of labels"):
        Ratings.from_labels([["a", "a"]], ["a"], raters)


def test_vector_of_labels_is_refused() -> None:
    with pytest.raises(ValueError, match="items × raters"):
        Ratings.from_labels(np.array([1, 0]), [0, 1])


def test_counts_do_not_say_who() -> None:
    ratings = Ratings.from_counts([[2, 1], [0, 3]], ["a", "b"])
    assert ratings.counts.tolist() == [[2, 1], [0, 3]]
    with pytest.raises(ValueError, match="who gave which label"):
        COEFFICIENTS["conger_kappa"](ratings)
    with pytest.raises(ValueError, match="who gave which label"):
        cohen_kappa(ratings, "1", "2")


@pytest.mark.parametrize("counts", [[[1, 2, 0]], [[1, -1]]])
def test_impossible_counts(counts: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="2 counts of 0 or more"):
        Ratings.from_counts(counts, ["a", "b"])


def test_unknown_rater() -> None:
    with pytest.raises(ValueError, match="no rater 'Eve'"):
        Ratings.from_labels([["a", "a"]], ["a"], ["Ada", "Bob"]).without("Eve")


@pytest.mark.parametrize("raters", [4, 60])
def test_distinct_rows_of_narrow_and_wide_tables(raters: int) -> None:
    codes = np.random.default_rng(1).integers(-1, 3, (50, raters))[np.arange(200) % 50]
    rows, which = distinct_rows(codes, 3)
    assert (rows[which] == codes).all()
    assert len(rows) == len({tuple(row) for row in codes.tolist()})
