"""The differences of two texts that say the same in different words: their content words."""

import re
from collections.abc import Iterator
from functools import lru_cache

from reviewer.core.english_words import FUNCTION_WORDS, stem
from reviewer.core.prose_diff import sections
from reviewer.core.text_diff import Change, Span, TextDiff, diff_texts, text_lines, too_many

_QUESTION = re.compile(r"[^\n]+\?[ \t]*$", re.MULTILINE)
"""A line that ends with a question."""
_WORD = re.compile(r"\w+(?:['’]\w+)*")
_MORE_FUNCTION_WORD_LIST = """
a an i im ive me my we us he she his her him it is am be been being do does did of in on at to by as if so or
about after before how who whom when where while why there here these those such some any let now very just
between under over both either whether because since
"""
_NO_CONTENT = (FUNCTION_WORDS - {"not"}) | frozenset(_MORE_FUNCTION_WORD_LIST.split())
"""Words without content. A negation has content."""
_REQUESTS = frozenset(
    map(stem, ("suggest", "recommend", "advise", "choose", "select", "pick", "take", "opt"))
)
"""Words in which a question asks for a choice, without content there."""


@lru_cache(maxsize=64)
def diff_reworded(left: str, right: str) -> TextDiff:
    """Compare two texts section by section: lines with the same label, and the lines between them.

    The differences are content words whose stem does not occur in the same section of the other side.
    """
    if too_many(text_lines(left), text_lines(right)):
        return diff_texts(left, right)
    changes = tuple(Change(*both) for both in sections(left, right))
    ours, theirs = list[Span](), list[Span]()
    at_left = at_right = 0
    for change in changes:
        ours += _unmatched(change.left, change.right, at_left)
        theirs += _unmatched(change.right, change.left, at_right)
        at_left, at_right = at_left + len(change.left), at_right + len(change.right)
    return TextDiff(changes, (tuple(ours), tuple(theirs)))


def _unmatched(text: str, other: str, offset: int) -> Iterator[Span]:
    """The content words that the other text lacks, moved by the offset; neighbours are one span."""
    stems = {_stem_of(word) for word in _WORD.findall(other)}
    asked = {at for line in _QUESTION.finditer(text) for at in range(*line.span())}
    last: Span | None = None
    for word in _WORD.finditer(text):
        same = _stem_of(word[0])
        if same in stems or _bare(word[0]) in _NO_CONTENT or (same in _REQUESTS and word.start() in asked):
            continue
        start = word.start()
        if last and not text[last.end - offset : start].strip():
            start = last.start - offset
        elif last:
            yield last
        last = Span(offset + start, offset + word.end())
    if last:
        yield last


@lru_cache(maxsize=10_000)
def _stem_of(word: str) -> str:
    return stem(_bare(word))


def _bare(word: str) -> str:
    """The word in small letters without what is contracted with it, unless that is a negation."""
    word = word.lower().replace("’", "'")
    return word if word.endswith("n't") else word.partition("'")[0]
