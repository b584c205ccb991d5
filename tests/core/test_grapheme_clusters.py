"""Letters as people see them, against the tables of the package regex."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.core.grapheme_clusters import (
    cluster_edges,
    edge_after,
    edge_before,
    is_edge,
    word_after,
    word_at,
    word_before,
)

regex = pytest.importorskip("regex")
FAMILY = "👩\u200d👩\u200d👧"
LETTERS = [
    *"ab é-\r\n\t'",
    *"e\u0301\u0308नमसतेिी्ुং",
    *"กำิ่",
    *"가각ᄀ\u1161\u11a8",
    *FAMILY,
    *"🇩🇪👍\U0001f3fd❤\ufe0f",
    *"שלםشكر\u064b",
]
VIRAMA = 9


@settings(max_examples=400, deadline=None)
@given(st.text(st.sampled_from(LETTERS), max_size=20))
def test_edges_are_those_of_unicode(text: str) -> None:
    theirs = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    ours = {*cluster_edges(text)}
    assert theirs <= ours
    for edge in ours - theirs:  # consonants that a virama joins
        assert any(unicodedata.combining(letter) == VIRAMA for letter in text[:edge])
        assert unicodedata.category(text[edge]) == "Lo"


@pytest.mark.parametrize("cluster", ["e\u0301", "ते", "कि", FAMILY, "🇩🇪", "👍\U0001f3fd", "각", "กำ", "\r\n"])
def test_a_cluster_has_no_edge_inside(cluster: str) -> None:
    assert [*cluster_edges(f"a{cluster}b")] == [0, 1, 1 + len(cluster), 2 + len(cluster)]


def test_edges_beside_an_offset() -> None:
    edges = cluster_edges("कि ab")
    assert [edge_after(edges, 0), edge_after(edges, 1), edge_after(edges, 5)] == [2, 2, 5]
    assert [edge_before(edges, 0), edge_before(edges, 1), edge_before(edges, 3)] == [0, 0, 2]
    assert [is_edge(edges, at) for at in (0, 1, 2, 5, 6)] == [True, False, True, True, False]


def test_words_with_marks_and_apostrophes_are_whole() -> None:
    text = "You don't, नमस्ते! end"
    assert word_after(text, 0) == 3
    assert word_after(text, 3) == 9
    hindi = text.index("न")
    assert word_after(text, hindi) == text.index("!")
    assert word_before(text, text.index("!")) == hindi
    assert word_at(text, 6) == (4, 9)
    assert word_at(text, 9) == (9, 10)
    assert word_before(text, 0) == 0
    assert word_after(text, len(text)) == len(text)
