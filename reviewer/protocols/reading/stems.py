"""Words without their endings, so that forms of one word are equal."""

import re
from functools import lru_cache
from typing import Final

from reviewer.protocols.reading.naming_words import words_of

_EMPTY_WORDS: Final = words_of(
    """
    a an the to of for in on at by with from into as is are was were be been being am it its it's
    this that these those i we you he she they me us him her them my our your his their would will
    shall should could can may might must do does did have has had and or but so if then than there
    here i'd i'll we'd we'll you'd one ones let lets let's who which what where when while about up
    out own some any i'm i've he's she's
    """
)
_NEGATIONS: Final = words_of(
    "not no never none neither nor without cannot don't doesn't isn't won't wouldn't can't shouldn't"
)
_UNITS: Final = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
"""
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS: Final = {
    **{word: str(number) for number, word in enumerate(_UNITS.split())},
    **{word: str(10 * number) for number, word in enumerate(_TENS.split(), 2)},
    "hundred": "100",
    "thousand": "1000",
}
_ENDING: Final = re.compile(r"(?:ingly|edly|ings|ing|ies|ied|ed|es|ly|s|e|y)$")
_SHORTEST: Final = 3


@lru_cache(maxsize=50_000)
def stem_of(word: str) -> str:
    """A word without its ending; "" for a word that carries no meaning."""
    if word in _EMPTY_WORDS or not word[0].isalnum():
        return ""
    if word in _NEGATIONS:
        return "not"
    if word in _NUMBERS:
        return _NUMBERS[word]
    if word[0].isdigit():
        return word.replace(",", "").rstrip(".")
    return _without_ending(word.removesuffix("'s"))


def _without_ending(word: str) -> str:
    short = _ENDING.sub("", word) if len(word) > _SHORTEST else word
    if len(short) < _SHORTEST:
        return word
    doubled = len(short) > _SHORTEST and short[-1] == short[-2]
    return short[:-1] if doubled else short
