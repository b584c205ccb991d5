"""Suggestions for a word that is not known."""

from collections.abc import Iterable
from difflib import get_close_matches

_CLOSE = 0.6


def closest(word: str, known: Iterable[str], otherwise: str) -> str:
    """ "did you mean …" with up to three similar words; if none is similar, ``otherwise`` and all words."""
    names = sorted(known)
    close = get_close_matches(word, names, 3, _CLOSE)
    return f"did you mean {' or '.join(close)}" if close else f"{otherwise} {', '.join(names)}"
