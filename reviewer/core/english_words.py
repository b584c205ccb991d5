"""English words: their stems, and the words that carry no content."""

from functools import cache, lru_cache
from typing import Any

_FUNCTION_WORD_LIST = """
the and for with that this from has have had are was were not but you your our which what will would can could
should may might than then them they their its also into onto any all each one two
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
"""Frequent words of three letters and more that say nothing about the subject of a text."""


@lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """The stem of the word in small letters, by Snowball's English rules."""
    return str(_stemmer().stemWord(word.lower()))


@cache
def _stemmer() -> Any:
    import snowballstemmer  # loads where the first text is compared, not at the start of the app

    return snowballstemmer.stemmer("english")
