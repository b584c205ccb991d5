"""English words: their stems, and the words that carry no content."""

from functools import lru_cache

_ENDING_LIST = """
abilities ibilities ability ibility ations ation ments ment ness ings ing ions ion ities ity able ible ical
ally ive ies ied ers er ed es al ly s e y
"""
_ENDINGS = tuple(_ENDING_LIST.split())
_LEAST_STEM = 4
_FUNCTION_WORD_LIST = """
the and for with that this from has have had are was were not but you your our which what will would can could
should may might than then them they their its also into onto any all each one two
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORD_LIST.split())
"""Frequent words of three letters and more that say nothing about the subject of a text."""


@lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """The word in small letters without its ending, if at least four letters are left."""
    word = word.lower()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            shorter = word.removesuffix(ending)
            return shorter[:-1] if shorter[-1] == shorter[-2] and len(shorter) > _LEAST_STEM else shorter
    return word
