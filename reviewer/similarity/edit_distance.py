"""Levenshtein similarity: the share of the longer text that need not be edited."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reviewer.similarity.encoder import SimilarityMissing

_ROWS_AT_ONCE = 512


def levenshtein_similarity(first: str, second: str) -> float:
    """1 - distance / length of the longer text, in [0, 1]; 1 for two empty texts.

    The distance counts insertions, deletions and replacements of code points (Levenshtein 1966).
    """
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError as error:
        raise SimilarityMissing("rapidfuzz") from error
    return float(Levenshtein.normalized_similarity(first, second))


def similarities(part: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """The Levenshtein similarity of a part to each text, in their order."""
    try:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist
    except ImportError as error:
        raise SimilarityMissing("rapidfuzz") from error
    scores = cdist([part], texts, scorer=Levenshtein.normalized_similarity, dtype=np.float64)[0]
    return np.asarray(scores, dtype=np.float64)


def summed_levenshtein_similarity(first: Sequence[str], second: Sequence[str]) -> float:
    """The sum over all pairs of one text of ``first`` and one of ``second``, computed on all cores."""
    if not first or not second:
        return 0.0
    blocks = range(0, len(first), _ROWS_AT_ONCE)
    return sum(float(_block(first[start : start + _ROWS_AT_ONCE], second).sum()) for start in blocks)


def _block(first: Sequence[str], second: Sequence[str]) -> NDArray[np.float64]:
    try:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist
    except ImportError as error:
        raise SimilarityMissing("rapidfuzz") from error
    similarities = cdist(
        first, second, scorer=Levenshtein.normalized_similarity, dtype=np.float64, workers=-1
    )
    return np.asarray(similarities, dtype=np.float64)
