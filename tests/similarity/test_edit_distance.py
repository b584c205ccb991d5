"""Levenshtein similarity against the textbook's table."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.similarity.edit_distance import levenshtein_similarity, summed_levenshtein_similarity

TEXTS = st.text(alphabet="abcé🙂", max_size=12)


def by_table(first: str, second: str) -> float:
    """Wagner and Fischer's dynamic programme, row by row."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        above, row = row, [i]
        for j, b in enumerate(second, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))
    longest = max(len(first), len(second))
    return 1 - row[-1] / longest if longest else 1.0


@given(first=TEXTS, second=TEXTS)
@settings(max_examples=200, deadline=None)
def test_it_is_the_textbooks(first: str, second: str) -> None:
    assert levenshtein_similarity(first, second) == pytest.approx(by_table(first, second), abs=1e-15)


@given(first=st.lists(TEXTS, max_size=5), second=st.lists(TEXTS, max_size=5))
@settings(max_examples=50, deadline=None)
def test_the_sum_is_over_all_pairs(first: list[str], second: list[str]) -> None:
    each = sum(levenshtein_similarity(a, b) for a in first for b in second)
    assert summed_levenshtein_similarity(first, second) == pytest.approx(each)
