"""Suggestions for a word that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

from reviewer.core.sanitize import shown

_CLOSE = 0.6


def closest(word: str, known: Iterable[str], otherwise: str) -> str:
    """ "did you mean …" with up to three similar words; if none is similar, ``otherwise`` and all words.

    Words may come from outside, such as the columns of a file; each is shown on one line.
    """
    names = tuple(sorted(map(shown, known)))
    close = similar_names(word, names)
    return f"did you mean {' or '.join(close)}" if close else f"{otherwise} {', '.join(names)}"


@lru_cache(maxsize=64)
def similar_names(word: str, names: tuple[str, ...]) -> list[str]:
    """The most similar names, at most three. Each of thousands of rows may lack the same column."""
    return get_close_matches(word, names, 3, _CLOSE)
