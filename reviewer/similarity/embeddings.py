"""Vectors of texts, each computed once and stored by the digest of the text and the name of the model."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from reviewer.core.progress import Progress
from reviewer.similarity.encoder import Encoder, Vectors

# Small enough to lose little when interrupted, large enough to keep the processor busy.
_TEXTS_A_BATCH = 128
_STORED_AS = np.dtype("<f4")


class VectorCache(Protocol):
    """Stores vectors as bytes (float32, little endian) by model and SHA-256 of the text."""

    def get(self, model: str, digests: Sequence[str]) -> Mapping[str, bytes]:
        """The stored vectors among these, by digest."""

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Store these vectors; those already stored do not change."""


class Embeddings:
    """The vectors of texts under one model, with a cache."""

    def __init__(self, encoder: Encoder, cache: VectorCache) -> None:
        self._encoder = encoder
        self._cache = cache

    @property
    def model(self) -> str:
        """The encoder's name."""
        return self._encoder.name

    def of(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """One row of length 1 for each text, in order: shape (n, d), or (0, 0) for no texts.

        ``progress`` counts the texts that have to be encoded. Texts encoded before an interruption are kept.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        digests = [text_digest(text) for text in texts]
        by_digest = dict(zip(digests, texts, strict=True))
        kept = dict(self._cache.get(self.model, list(by_digest)))
        missing = [digest for digest in by_digest if digest not in kept]
        # Texts of similar length go together, because the model pads each batch to its longest text.
        missing.sort(key=lambda digest: len(by_digest[digest]))
        for start in range(0, len(missing), _TEXTS_A_BATCH):
            kept |= self._encode({d: by_digest[d] for d in missing[start : start + _TEXTS_A_BATCH]})
            if progress:
                progress(min(start + _TEXTS_A_BATCH, len(missing)), len(missing))
        return np.stack([np.frombuffer(kept[digest], dtype=_STORED_AS) for digest in digests])

    def _encode(self, texts: Mapping[str, str]) -> dict[str, bytes]:
        rows = self._encoder.encode(list(texts.values())).astype(_STORED_AS)
        vectors = {digest: row.tobytes() for digest, row in zip(texts, rows, strict=True)}
        self._cache.put(self.model, vectors)
        return vectors


def text_digest(text: str) -> str:
    """SHA-256 of the text in UTF-8, as 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()
