"""Cosine similarity, and the search for texts that are too similar."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reviewer.core.work_progress import Progress
from reviewer.similarity.encoder import Vectors

# A block of products takes 16 MB, for any number of vectors.
_ROWS_AT_ONCE = 2048
# More than the error of a sum of 32-bit products. Values this close to the threshold are computed again.
MARGIN = 1e-5


@dataclass(frozen=True, slots=True)
class Collision:
    """Two rows (indices into the searched vectors) whose similarity reaches the threshold."""

    new: int
    approved: int
    cosine: float


def cosine(first: NDArray[Any], second: NDArray[Any]) -> float:
    """The inner product of two vectors of length 1, summed in 64 bits."""
    return float(first.astype(np.float64) @ second.astype(np.float64))


def collisions_among(
    vectors: Vectors, threshold: float, rows: int = _ROWS_AT_ONCE, progress: Progress | None = None
) -> list[Collision]:
    """Every pair with a cosine of at least ``threshold``, once and in order, with the later row as ``new``.

    Uses a blocked matrix product with memory for ``rows`` x ``rows`` products, for any number of vectors.
    ``progress`` counts pairs of rows.
    """
    hits: list[Collision] = []
    for top in range(0, len(vectors), rows):
        for left in range(0, top + 1, rows):
            hits += exact_collisions(vectors, _near(vectors, top, left, rows, threshold), threshold)
        if progress:
            end = min(top + rows, len(vectors))
            progress(end * (end - 1) // 2, len(vectors) * (len(vectors) - 1) // 2)
    return sorted(hits, key=lambda hit: (hit.new, hit.approved))


def _near(vectors: Vectors, top: int, left: int, rows: int, threshold: float) -> NDArray[np.intp]:
    products = vectors[top : top + rows] @ vectors[left : left + rows].T
    near: NDArray[np.intp] = np.argwhere(products >= threshold - MARGIN) + np.array([top, left])
    later: NDArray[np.intp] = near[near[:, 0] > near[:, 1]]
    return later


def exact_collisions(
    vectors: Vectors, near: NDArray[np.integer[Any]], threshold: float
) -> Iterator[Collision]:
    """Those of the pairs (n × 2: later row, earlier row) that reach the threshold, computed in 64 bits."""
    for row, column in near.tolist():
        value = cosine(vectors[row], vectors[column])
        if value >= threshold:
            yield Collision(row, column, value)
