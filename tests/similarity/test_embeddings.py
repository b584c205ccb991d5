"""Vectors come from the cache where they are kept, and are the same then."""

import builtins
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewer.similarity.edit_distance import levenshtein_similarity
from reviewer.similarity.encoder import INSTALL, ModelMissing, SimilarityMissing, open_encoder
from reviewer.similarity.text_vectors import Embeddings
from store.database import Database
from store.embeddings import StoredVectors
from tests.encoders import WordCounts


@pytest.fixture
def stored(tmp_path: Path) -> StoredVectors:
    return StoredVectors(Database.open(str(tmp_path / "reviewer.db")))


def test_a_text_is_encoded_once(stored: StoredVectors) -> None:
    encoder = WordCounts()
    texts = [f"text number {n}" for n in range(600)]
    embeddings = Embeddings(encoder, stored)
    first = embeddings.of([*texts, texts[0]])
    assert sorted(encoder.encoded) == sorted(texts)
    again = Embeddings(encoder, stored).of([*texts, texts[0]])
    assert len(encoder.encoded) == 600
    assert np.array_equal(first, again)
    assert np.array_equal(first[0], first[-1])
    assert first.shape == (601, 64)
    assert embeddings.of([]).shape == (0, 0)


def test_another_model_has_its_own(stored: StoredVectors) -> None:
    Embeddings(WordCounts("one"), stored).of(["a"])
    other = WordCounts("two")
    Embeddings(other, stored).of(["a"])
    assert other.encoded == ["a"]


def test_what_was_encoded_before_an_interruption_stays(stored: StoredVectors) -> None:
    encoder = WordCounts()
    texts = [f"text number {n}" for n in range(600)]

    def interrupt(done: int, _total: int) -> None:
        if done > 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Embeddings(encoder, stored).of(texts, interrupt)
    before = len(encoder.encoded)
    calls: list[tuple[int, int]] = []
    Embeddings(encoder, stored).of(texts, lambda done, total: calls.append((done, total)))
    assert 200 < before < 600
    assert len(encoder.encoded) == 600
    assert calls[-1] == (600 - before, 600 - before)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("nobody/nothing", "'nobody/nothing' is not a folder, and no model of this name was downloaded"),
        ("not a/model/name", "'not a/model/name' is not a folder"),
        ("a" * 5000, "is not a folder"),
    ],
)
def test_nothing_is_fetched(model: str, sentence: str) -> None:
    if importlib.util.find_spec("sentence_transformers") is None:  # importing it takes seconds
        pytest.skip("sentence-transformers is not installed")
    with pytest.raises(ModelMissing, match=sentence):
        open_encoder(model)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SimilarityMissing, match="not installed") as missing:
        open_encoder()
    assert INSTALL in str(missing.value)
    monkeypatch.setattr(builtins, "__import__", _without("rapidfuzz", builtins.__import__))
    with pytest.raises(SimilarityMissing, match="needs rapidfuzz"):
        levenshtein_similarity("a", "b")


def _without(package: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def importing(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return real(name, *rest, **named)

    return importing
