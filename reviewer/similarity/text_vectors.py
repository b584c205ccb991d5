"""Vectors of texts, each computed once and stored by the digest of the text and the name of the model."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from reviewer.core.work_progress import Progress
from reviewer.similarity.encoder import Encoder, Vectors

# Small enough to lose little when interrupted, large enough to keep the processor busy.
_TEXTS_A_BATCH = 128
_VECTORS_AT_ONCE = 5_000
_STORED_AS = np.dtype("<f4")


class VectorCache(Protocol):
    """Stores vectors as bytes (float32, little endian) by model and SHA-256 of the text."""

    def get(self, model: str, digests: Sequence[str]) -> Mapping[str, bytes]:
        """The stored vectors among these, by digest."""

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Store these vectors; those already stored do not change."""


@runtime_checkable
class BatchEncoder(Encoder, Protocol):
    """An encoder that encodes several batches at the same time."""

    def encode_all(self, batches: Iterable[Sequence[str]]) -> Iterator[tuple[Sequence[str], Vectors]]:
        """Each batch with its rows, in any order."""


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
        unique = list(by_digest)
        rows = _Rows(unique)
        self._read(rows, unique)
        if missing := list(rows.missing):
            self.prepare([[by_digest[digest] for digest in missing]], progress)
            self._read(rows, missing)
        return rows.of(digests)

    def _read(self, rows: "_Rows", digests: Sequence[str]) -> None:
        for start in range(0, len(digests), _VECTORS_AT_ONCE):
            rows.fill(self._cache.get(self.model, digests[start : start + _VECTORS_AT_ONCE]))

    def prepare(self, pages: Iterable[Sequence[str]], progress: Progress | None = None) -> None:
        """Encode and store what is missing among the texts of some pages, read as they are needed.

        ``progress`` counts the texts that have to be encoded, as far as the pages were read.
        """
        done = total = 0

        def batches() -> Iterator[Sequence[str]]:
            nonlocal total
            for texts in pages:
                missing = self._missing(texts)
                total += len(missing)
                for start in range(0, len(missing), _TEXTS_A_BATCH):
                    yield missing[start : start + _TEXTS_A_BATCH]

        for batch, rows in self._encode_all(batches()):
            stored = (row.tobytes() for row in rows.astype(_STORED_AS))
            self._cache.put(self.model, dict(zip(map(text_digest, batch), stored, strict=True)))
            done += len(batch)
            if progress:
                progress(done, total)

    def _missing(self, texts: Sequence[str]) -> list[str]:
        """The texts without a stored vector, each once."""
        by_digest = {text_digest(text): text for text in texts}
        kept = self._cache.get(self.model, list(by_digest))
        missing = [text for digest, text in by_digest.items() if digest not in kept]
        # Texts of similar length go together, because the model pads each batch to its longest text.
        return sorted(missing, key=len)

    def _encode_all(self, batches: Iterable[Sequence[str]]) -> Iterator[tuple[Sequence[str], Vectors]]:
        if isinstance(self._encoder, BatchEncoder):
            return self._encoder.encode_all(batches)
        return ((batch, self._encoder.encode(batch)) for batch in batches)


class _Rows:
    """The vectors of different texts, each in memory once."""

    def __init__(self, digests: Sequence[str]) -> None:
        self._places = {digest: place for place, digest in enumerate(digests)}
        self.missing = dict.fromkeys(digests)
        self._vectors: Vectors = np.zeros((0, 0), dtype=np.float32)

    def fill(self, vectors: Mapping[str, bytes]) -> None:
        for digest, stored in vectors.items():
            row = np.frombuffer(stored, dtype=_STORED_AS)
            if not self._vectors.size:
                self._vectors = np.empty((len(self._places), len(row)), dtype=np.float32)
            self._vectors[self._places[digest]] = row
            del self.missing[digest]

    def of(self, digests: Sequence[str]) -> Vectors:
        if len(digests) == len(self._places):
            return self._vectors
        return self._vectors[[self._places[digest] for digest in digests]]


def text_digest(text: str) -> str:
    """SHA-256 of the text in UTF-8, as 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()
