"""Rankings as people and tools write them, and as the ledger keeps them."""

import re

import pytest

from reviewer.core.ranked_outputs import ranking_in_words, ranking_of_ranks, ranking_text, written_ranking

OUTPUTS = ("A", "B", "C")
B_FIRST = (("B",), ("A", "C"))


@pytest.mark.parametrize(
    "text",
    [
        "B > A = C",
        "b>c=a",
        "B ≻ A ~ C",
        '["B",["A","C"]]',
        '[["B"],["C","A"]]',
        '{"A": 2, "B": 1, "C": 2}',
        '{"A": "2", "B": "1", "C": "2"}',
        "A: 2, B: 1, C: 2",
        "A: 2.5; B: 1; C: 2.5",
    ],
)
def test_every_way_to_write_a_ranking_is_read(text: str) -> None:
    ranking = written_ranking(text, OUTPUTS)
    assert ranking_text(ranking, OUTPUTS) == '[["B"],["A","C"]]'
    assert ranking_in_words(B_FIRST) == "B > A = C"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("B > A", "C has no rank"),
        ("B", "A and C have no rank"),
        ("B > A > B > C", "B is ranked twice"),
        ("B > D > A = C", "'D' is not one of the outputs A, B, C"),
        ("B > > A = C", "'' is not one of the outputs A, B, C"),
        ("A: 1, B: 3, C: 4", "the ranks A 1, B 3, C 4 skip or repeat rank 2; ties share a rank"),
        ("A: 1, B: 1, C: 4", "the ranks A 1, B 1, C 4 skip or repeat rank 3; ties share a rank"),
        ("A: 0, B: 1, C: 2", "the ranks A 0, B 1, C 2 begin with 0 in place of 1"),
        ("A: 1, A: 2, C: 3", "A has two ranks"),
        ('{"A": "first", "B": 2, "C": 3}', "the rank of A is 'first', which is not a number"),
        ('{"A": true, "B": 2, "C": 3}', "the rank of A is 'True', which is not a number"),
    ],
)
def test_what_is_no_ranking_is_one_clear_sentence(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(why)}"):
        written_ranking(text, OUTPUTS)


@pytest.mark.parametrize(
    "ranks", [{"A": 1, "B": 1, "C": 2}, {"A": 1, "B": 1, "C": 3}, {"A": 1.5, "B": 1.5, "C": 3}]
)
def test_three_ways_to_count_ties_mean_the_same(ranks: dict[str, float]) -> None:
    assert ranking_of_ranks(ranks) == (("A", "B"), ("C",))
