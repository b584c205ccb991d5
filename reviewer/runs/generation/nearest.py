"""The approved texts of a run as vectors, to find the one that is most like another."""

import numpy as np

from reviewer.protocols.generation import Neighbour
from reviewer.similarity.encoder import Vectors

_ROWS_AT_FIRST = 256


class ApprovedTexts:
    """Grows as candidates are approved; rows are of length 1, so that products are cosines."""

    def __init__(self) -> None:
        self._keys: list[str] = []
        self._rows: Vectors = np.zeros((0, 0), dtype=np.float32)

    def add(self, keys: list[str], vectors: Vectors) -> None:
        """Take the vectors (one row a key) of texts that are approved now."""
        if not keys:
            return
        used, wanted = len(self._keys), len(self._keys) + len(keys)
        if wanted > len(self._rows):
            grown = np.zeros((max(_ROWS_AT_FIRST, 2 * wanted), vectors.shape[1]), dtype=np.float32)
            if used:
                grown[:used] = self._rows[:used]
            self._rows = grown
        self._rows[used:wanted] = vectors
        self._keys += keys

    def nearest(self, vector: Vectors) -> Neighbour | None:
        """The most similar one, the first of several; None while there is none."""
        if not self._keys:
            return None
        similarities = self._rows[: len(self._keys)] @ vector
        found = int(np.argmax(similarities))
        return Neighbour(self._keys[found], float(similarities[found]))
