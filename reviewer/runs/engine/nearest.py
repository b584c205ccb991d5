"""The approved texts of a run as vectors, to find the one most similar to a given text."""

import numpy as np

from reviewer.protocols.work import Neighbour
from reviewer.similarity.encoder import Vectors

_ROWS_AT_FIRST = 256


class ApprovedTexts:
    """The vectors of approved texts. Rows have length 1, so that their products are cosines."""

    def __init__(self) -> None:
        self._keys: list[str] = []
        self._rows: Vectors = np.zeros((0, 0), dtype=np.float32)

    def add(self, keys: list[str], vectors: Vectors) -> None:
        """Add the vectors of newly approved texts, one row for each key."""
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
        """The most similar approved text, the first of equal ones; None while there is none."""
        if not self._keys:
            return None
        similarities = self._rows[: len(self._keys)] @ vector
        row = int(np.argmax(similarities))
        return Neighbour(self._keys[row], float(similarities[row]))
