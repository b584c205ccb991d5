"""Suggestions for a word that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

_CLOSE = 0.6


def closest(word: str, known: Iterable[str], otherwise: str) -> str:
    """ "did you mean …" with up to three similar words; if none is similar, ``otherwise`` and all words."""
    names = tuple(sorted(known))
    close = similar_names(word, names)
    return f"did you mean {' or '.join(close)}" if close else f"{otherwise} {', '.join(names)}"


@lru_cache(maxsize=64)
def similar_names(word: str, names: tuple[str, ...]) -> list[str]:
    """The most similar names, at most three. Each of thousands of rows may lack the same column."""
    return get_close_matches(word, names, 3, _CLOSE)
