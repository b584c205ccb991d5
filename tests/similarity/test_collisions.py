"""The blocked search finds what a double loop finds, whatever the blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.similarity.encoder import Vectors
from reviewer.similarity.near_texts import Collision, collisions_among, cosine


def some_vectors(seed: int, number: int) -> Vectors:
    """In few dimensions, so that many are near each other."""
    drawn = np.random.default_rng(seed).normal(size=(number, 4))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def looped(vectors: Vectors, threshold: float) -> list[Collision]:
    pairs = [(n, a, cosine(vectors[n], vectors[a])) for n in range(len(vectors)) for a in range(n)]
    return [Collision(*pair) for pair in pairs if pair[2] >= threshold]


@given(
    seed=st.integers(0, 1000),
    size=st.integers(0, 30),
    threshold=st.floats(-0.5, 1.0),
    rows=st.integers(1, 9),
)
@settings(max_examples=60, deadline=None)
def test_blocks_find_what_loops_find(seed: int, size: int, threshold: float, rows: int) -> None:
    vectors = some_vectors(seed, size)
    assert collisions_among(vectors, threshold, rows) == looped(vectors, threshold)


def test_the_threshold_itself_collides() -> None:
    one = some_vectors(3, 2)
    value = cosine(one[0], one[1])
    assert collisions_among(one, value) == [Collision(1, 0, value)]
    assert collisions_among(one, np.nextafter(value, 2)) == []


def test_equal_texts_collide_at_one() -> None:
    (hit,) = collisions_among(np.repeat(some_vectors(1, 1), 2, axis=0), 0.9)
    assert hit.cosine == pytest.approx(1, abs=1e-6)
