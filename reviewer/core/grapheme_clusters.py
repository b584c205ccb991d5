"""Where the letters of a text end, as people see them: grapheme clusters, and words.

Extended grapheme clusters of Unicode Standard Annex 29, without the rule for consonants that a virama joins
(GB9c, since Unicode 15.1): programs of before break there, and their spans must come in.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from unicodedata import category

_JOINER = "\u200d"
_EXTENDS = re.compile("[\u200c\u200d\uff9e\uff9f\u0e33\u0eb3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_PREPENDS = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
_LEADING = re.compile("[\u1100-\u115f\ua960-\ua97c]")
_VOWEL = re.compile("[\u1160-\u11a7\ud7b0-\ud7c6]")
_TRAILING = re.compile("[\u11a8-\u11ff\ud7cb-\ud7fb]")
_SYLLABLE = re.compile("[\uac00-\ud7a3]")
_SYLLABLES_WITHOUT_END = 28
"""Every 28th Hangul syllable has no trailing consonant."""
_CONTROLS = {"Cc", "Zl", "Zp"}


@lru_cache(maxsize=16)
def cluster_edges(text: str) -> Sequence[int]:
    """The offsets between clusters, in order, with 0 and the length of the text."""
    if text.isascii() and "\r\n" not in text:
        return range(len(text) + 1)
    return [at for at in range(len(text) + 1) if not at or at == len(text) or not _joined(text, at)]


def edge_after(edges: Sequence[int], offset: int) -> int:
    """The next edge behind an offset, or the last."""
    return edges[min(bisect_right(edges, offset), len(edges) - 1)]


def edge_before(edges: Sequence[int], offset: int) -> int:
    """The next edge before an offset, or the first."""
    return edges[max(bisect_left(edges, offset) - 1, 0)]


def is_edge(edges: Sequence[int], offset: int) -> bool:
    """Whether a cluster begins or ends at an offset."""
    at = bisect_left(edges, offset)
    return at < len(edges) and edges[at] == offset


def word_at(text: str, offset: int) -> tuple[int, int]:
    """The word at an offset, or the single cluster there if it is in none."""
    edges = cluster_edges(text)
    if not _in_word(text[offset : offset + 1]):
        return offset, edge_after(edges, offset)
    start = offset
    while start and _in_word(text[edge_before(edges, start)]):
        start = edge_before(edges, start)
    return start, word_after(text, offset)


def word_after(text: str, offset: int) -> int:
    """Where the word at an offset ends, or the next one if there is none."""
    edges, is_in = cluster_edges(text), False
    while offset < len(text) and (_in_word(text[offset]) or not is_in):
        is_in = _in_word(text[offset])
        offset = edge_after(edges, offset)
    return offset


def word_before(text: str, offset: int) -> int:
    """Where the word before an offset begins."""
    edges, is_in = cluster_edges(text), False
    while offset and (_in_word(text[edge_before(edges, offset)]) or not is_in):
        offset = edge_before(edges, offset)
        is_in = _in_word(text[offset])
    return offset


def _in_word(character: str) -> bool:
    """Letters, marks and digits, with signs that join them."""
    return bool(character) and (category(character)[0] in "LMN" or character in "'’_-\u200c\u200d")


def _joined(text: str, at: int) -> bool:
    """Whether the characters on both sides of an offset belong to one cluster."""
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return True
    if category(before) in _CONTROLS or category(after) in _CONTROLS:
        return False
    if category(after)[0] == "M" or _EXTENDS.match(after) or _PREPENDS.match(before):
        return True
    if before == _JOINER:
        return _is_sign(after) and _joins_signs(text, at - 1)
    if _FLAG.match(before) and _FLAG.match(after):
        return _flags_before(text, at) % 2 == 1
    return _joined_in_hangul(before, after)


def _joins_signs(text: str, joiner: int) -> bool:
    """Whether the text before a joiner ends in a sign, such as an emoji, maybe with marks."""
    at = joiner - 1
    while at > 0 and (category(text[at])[0] == "M" or _EXTENDS.match(text[at])) and text[at] != _JOINER:
        at -= 1
    return at >= 0 and _is_sign(text[at])


def _is_sign(character: str) -> bool:
    """Whether it is an emoji or the like; two of them are one where a joiner stands between."""
    return category(character) == "So" and not _FLAG.match(character)


def _flags_before(text: str, at: int) -> int:
    """How many regional indicators stand directly before an offset; two of them are a flag."""
    start = at
    while start and _FLAG.match(text[start - 1]):
        start -= 1
    return at - start


def _joined_in_hangul(before: str, after: str) -> bool:
    if _LEADING.match(before):
        return bool(_LEADING.match(after) or _VOWEL.match(after) or _SYLLABLE.match(after))
    open_syllable = _SYLLABLE.match(before) and not (ord(before) - ord("\uac00")) % _SYLLABLES_WITHOUT_END
    if _VOWEL.match(before) or open_syllable:
        return bool(_VOWEL.match(after) or _TRAILING.match(after))
    return bool((_SYLLABLE.match(before) or _TRAILING.match(before)) and _TRAILING.match(after))
