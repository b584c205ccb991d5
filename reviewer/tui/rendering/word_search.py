"""Where words stand in lines as they are laid out."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from reviewer.tui.rendering.line import Line

WordSpans = Mapping[int, Sequence[tuple[int, int]]]
"""Character spans (start, end) by line number."""


def find_words(lines: Sequence[Line], words: str) -> WordSpans:
    """Where the words stand, in any case; blanks between them may be any blanks, line ends too."""
    if not words.split():
        return {}
    texts = [line.content.plain for line in lines]
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    pattern = re.compile(r"\s+".join(map(re.escape, words.split())), re.IGNORECASE)
    found: dict[int, list[tuple[int, int]]] = {}
    for match in pattern.finditer("\n".join(texts)):
        for number, start, end in _by_line(texts, starts, *match.span()):
            found.setdefault(number, []).append((start, end))
    return found


def _by_line(
    texts: Sequence[str], starts: Sequence[int], begin: int, end: int
) -> Iterator[tuple[int, int, int]]:
    """The parts of a match on each line that it reaches into, without the blanks that hang."""
    first, last = bisect_right(starts, begin) - 1, bisect_right(starts, end - 1) - 1
    for number in range(first, last + 1):
        text = texts[number]
        start = begin - starts[number] if number == first else len(text) - len(text.lstrip())
        stop = min(len(text), end - starts[number])
        if start < stop:
            yield number, start, stop
