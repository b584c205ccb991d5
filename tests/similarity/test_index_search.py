"""What an index finds collides, and what it misses is measured."""

import importlib.util
import sys

import numpy as np
import pytest

from reviewer.similarity.encoder import INSTALL_INDEX, IndexMissing, Vectors
from reviewer.similarity.index_search import Recall, indexed_collisions
from reviewer.similarity.near_texts import collisions_among


def twins(number: int, dimensions: int = 32) -> Vectors:
    """Random directions, one in ten of them with a near twin."""
    drawn = np.random.default_rng(number).normal(size=(number, dimensions)).astype(np.float32)
    drawn[-number // 10 :] = drawn[: number // 10] + 0.3 * drawn[-number // 10 :]
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@pytest.mark.slow
def test_an_index_finds_nearly_all_collisions_and_no_others() -> None:
    vectors = twins(3_000)
    every = collisions_among(vectors, 0.9)
    hits, recall = indexed_collisions(vectors, 0.9)
    assert set(hits) <= set(every)
    assert len(hits) >= 0.95 * len(every) > 200
    assert hits == sorted(hits, key=lambda hit: (hit.new, hit.approved))
    assert recall.texts == 1_000
    assert recall.found / recall.of == pytest.approx(len(hits) / len(every), abs=0.05)


def test_what_the_index_misses_lowers_the_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviewer.similarity.index_search._CELLS_SEARCHED", 1)
    vectors = twins(3_000)
    every = collisions_among(vectors, 0.9)
    hits, recall = indexed_collisions(vectors, 0.9)
    assert len(hits) < len(every)
    assert 0 < recall.found < recall.of


@pytest.mark.parametrize("number", [0, 1])
def test_one_text_collides_with_none(number: int) -> None:
    assert indexed_collisions(twins(20)[:number], 0.9) == ([], Recall(0, 0, number))


def test_equal_texts_are_found_among_few() -> None:
    (hit,), recall = indexed_collisions(np.repeat(twins(20)[:1], 2, axis=0), 0.9)
    assert (hit.new, hit.approved) == (1, 0)
    assert recall == Recall(1, 1, 2)


def test_the_recall_is_a_sentence() -> None:
    assert Recall(998, 1_000, 1_000).words == (
        "The index found 998 of 1,000 collisions (99.8%) of 1,000 texts that were compared with all others."
    )
    assert "unknown" in Recall(0, 0, 1).words


def test_without_the_package_one_sentence_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert importlib.util.find_spec("faiss")
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(IndexMissing, match="faiss-cpu") as missing:
        indexed_collisions(twins(20), 0.9)
    assert INSTALL_INDEX in str(missing.value)
