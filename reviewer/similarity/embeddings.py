"""Vectors of texts, each computed once and kept by the text's digest and the model's name."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from reviewer.core.progress import Progress
from reviewer.similarity.encoder import Encoder, Vectors

# Little enough to lose when interrupted, and enough to keep the processor busy.
_TEXTS_A_BATCH = 128
_STORED_AS = np.dtype("<f4")


class VectorCache(Protocol):
    """Keeps vectors as bytes (float32, little endian) by model and SHA-256 of the text."""

    def get(self, model: str, digests: Sequence[str]) -> Mapping[str, bytes]:
        """Those that are kept, by digest."""

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Keep these; what is kept already stays."""


class Embeddings:
    """The vectors of any texts under one model, through a cache."""

    def __init__(self, encoder: Encoder, cache: VectorCache) -> None:
        self._encoder = encoder
        self._cache = cache

    @property
    def model(self) -> str:
        """The encoder's name."""
        return self._encoder.name

    def of(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """One row of length 1 a text, (n, d), in their order; (0, 0) for none.

        ``progress`` counts the texts that have to be encoded. What is encoded when this is interrupted stays.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        digests = [text_digest(text) for text in texts]
        by_digest = dict(zip(digests, texts, strict=True))
        kept = dict(self._cache.get(self.model, list(by_digest)))
        missing = [digest for digest in by_digest if digest not in kept]
        # Texts of like length together: the model pads each batch to its longest.
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
