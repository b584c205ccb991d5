"""Words found in lines as they are laid out."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from textual.content import Content

from reviewer.tui.rendering.line import Line

WordSpans = Mapping[int, Sequence[tuple[int, int]]]
"""Character spans (start, end) by line number."""
_LEFT_ONLY = "(?:‹[^›]*› ?|[‹›])?"


def find_words(lines: Sequence[Line], words: str) -> WordSpans:
    """Where the words are, ignoring case; any white space may be between them, also line ends.

    In a diff, what only the left text has may be between the characters, as in "Reply ‹4› 5".
    """
    if not words.split():
        return {}
    texts = [line.content.plain for line in lines]
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    between = _LEFT_ONLY if any("‹" in text for text in texts) else ""
    letters = (between.join(map(re.escape, word)) for word in words.split())
    pattern = re.compile(rf"{between}\s+{between}".join(letters), re.IGNORECASE)
    spans: dict[int, list[tuple[int, int]]] = {}
    for match in pattern.finditer("\n".join(texts)):
        for number, start, end in _by_line(texts, starts, *match.span()):
            spans.setdefault(number, []).append((start, end))
    return spans


def with_words_marked(content: Content, words: str, style: str) -> Content:
    """The content with the beginnings of words marked that a search for cases compares."""
    for word in words.split():
        for match in re.finditer(rf"(?<!\w){re.escape(word)}", content.plain, re.IGNORECASE):
            content = content.stylize(style, *match.span())
    return content


def _by_line(
    texts: Sequence[str], starts: Sequence[int], begin: int, end: int
) -> Iterator[tuple[int, int, int]]:
    """The part of a match on each line, without the indent of continuation lines."""
    first, last = bisect_right(starts, begin) - 1, bisect_right(starts, end - 1) - 1
    for number in range(first, last + 1):
        text = texts[number]
        start = begin - starts[number] if number == first else len(text) - len(text.lstrip())
        stop = min(len(text), end - starts[number])
        if start < stop:
            yield number, start, stop
