"""Collisions by an index: minutes instead of hours among a million texts, but a few are missed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reviewer.core.number_text import percent
from reviewer.core.sanitize import agreeing, counted
from reviewer.core.work_progress import Progress
from reviewer.similarity.encoder import IndexMissing, Vectors
from reviewer.similarity.near_texts import MARGIN, Collision, exact_collisions

_CELLS_A_ROOT = 4
_TEXTS_A_CELL = 40
_CELLS_SEARCHED = 16
_ROWS_AT_ONCE = 2048
_SAMPLE = 1_000


@dataclass(frozen=True, slots=True)
class Recall:
    """How many of the collisions of ``texts`` sampled texts the index found.

    The sampled texts are compared with all others without the index; ``of`` is the number of these pairs.
    """

    found: int
    of: int
    texts: int

    @property
    def words(self) -> str:
        """A sentence for people."""
        compared = (
            f"{counted(self.texts, 'text')} that {agreeing(self.texts, 'was', 'were')} compared with all"
        )
        if not self.of:
            return (
                f"The index was tried on {compared} others: none of them collides, so its recall is unknown."
            )
        share = self.found / self.of
        return (
            f"The index found {self.found:,} of {self.of:,} collisions ({percent(share, 1)}) of "
            f"{compared} others."
        )


def indexed_collisions(
    vectors: Vectors, threshold: float, progress: Progress | None = None
) -> tuple[list[Collision], Recall]:
    """Nearly every pair with a cosine of at least ``threshold``, as ``collisions_among`` gives them.

    An inverted file of faiss searches the cells that are nearest to each text (IVF, Jégou, Douze and Schmid
    2011). What it finds is computed again in 64 bits, so no pair is listed that does not collide. Raises
    IndexMissing if faiss is not installed.
    """
    if len(vectors) < 2:
        return [], Recall(0, 0, len(vectors))
    index = _index(vectors)
    blocks: list[NDArray[np.int64]] = []
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        blocks.append(_near(index, vectors, start, threshold))
        if progress:
            progress(min(start + _ROWS_AT_ONCE, len(vectors)), len(vectors))
    # A pair may be missed from one of its texts and found from the other.
    near = np.unique(np.concatenate(blocks), axis=0)
    hits = list(exact_collisions(vectors, near, threshold))
    return hits, _recall(vectors, threshold, hits)


def _index(vectors: Vectors) -> Any:
    try:
        import faiss
    except ImportError as error:
        raise IndexMissing() from error
    cells = max(1, min(int(_CELLS_A_ROOT * len(vectors) ** 0.5), len(vectors) // _TEXTS_A_CELL))
    nearest_cell = faiss.IndexFlatIP(vectors.shape[1])
    index = faiss.IndexIVFFlat(nearest_cell, vectors.shape[1], cells, faiss.METRIC_INNER_PRODUCT)
    index.nprobe = min(_CELLS_SEARCHED, cells)
    index.train(vectors[_evenly(len(vectors), cells * _TEXTS_A_CELL)])
    index.add(vectors)
    return index


def _near(index: Any, vectors: Vectors, start: int, threshold: float) -> NDArray[np.int64]:
    """Pairs (later row, earlier row) of the texts from ``start`` on and what the index finds near them."""
    asked = vectors[start : start + _ROWS_AT_ONCE]
    limits, _, rows = index.range_search(asked, threshold - MARGIN)
    texts = np.repeat(np.arange(start, start + len(asked)), np.diff(limits.astype(np.int64)))
    return _ordered(texts, rows)


def _ordered(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs of different rows, the later row first."""
    pairs: NDArray[np.int64] = np.stack([np.maximum(one, other), np.minimum(one, other)], axis=1)
    different: NDArray[np.int64] = pairs[one != other]
    return different


def _recall(vectors: Vectors, threshold: float, hits: list[Collision]) -> Recall:
    sample = _evenly(len(vectors), _SAMPLE)
    found_pairs = {(hit.new, hit.approved) for hit in hits}
    known = set[tuple[int, int]]()
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        products = vectors[sample] @ vectors[start : start + _ROWS_AT_ONCE].T
        row, column = np.nonzero(products >= threshold - MARGIN)
        pairs = _ordered(sample[row], column + start)
        known |= {(hit.new, hit.approved) for hit in exact_collisions(vectors, pairs, threshold)}
    return Recall(len(known & found_pairs), len(known), len(sample))


def _evenly(number: int, wanted: int) -> NDArray[np.int64]:
    """At most ``wanted`` of ``number`` rows, at equal distances, so that the same texts are taken each
    time."""
    return np.linspace(0, number - 1, min(wanted, number), dtype=np.int64)
