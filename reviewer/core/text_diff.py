"""The differences between two texts, word by word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
# SequenceMatcher is quadratic: past this many words, lines are compared instead of words.
_MOST_TOKENS = 4_000


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` up to, not including, ``end`` of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Change:
    """One section of both texts: equal, or the left text with the right text in its place.

    ``alike``: both mean the same but are not spelt the same, or the section is elsewhere in the other text.
    """

    left: str
    right: str
    alike: bool = False

    @property
    def equal(self) -> bool:
        """Whether nothing differs here."""
        return self.alike or self.left == self.right


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The sections of two texts in order; joined, they give each text back.

    ``words`` are the spans of the left and of the right text that differ, if not whole sections do.
    """

    changes: tuple[Change, ...]
    words: tuple[tuple[Span, ...], tuple[Span, ...]] | None = None

    @property
    def left_marks(self) -> tuple[Span, ...]:
        """The spans of the left text that differ."""
        return (
            self.words[0] if self.words else _marks([(change.left, change.equal) for change in self.changes])
        )

    @property
    def right_marks(self) -> tuple[Span, ...]:
        """The spans of the right text that differ."""
        return (
            self.words[1] if self.words else _marks([(change.right, change.equal) for change in self.changes])
        )


@lru_cache(maxsize=64)
def diff_texts(left: str, right: str) -> TextDiff:
    """Compare two texts by words, or by lines if they are very long."""
    left_tokens, right_tokens = text_tokens(left), text_tokens(right)
    if too_many(left_tokens, right_tokens):
        left_tokens, right_tokens = text_lines(left), text_lines(right)
    if too_many(left_tokens, right_tokens):
        return TextDiff((Change(left, right),) if left or right else ())
    matcher = SequenceMatcher(None, left_tokens, right_tokens, autojunk=False)
    return TextDiff(
        _joined(
            [
                Change("".join(left_tokens[i1:i2]), "".join(right_tokens[j1:j2]))
                for _, i1, i2, j1, j2 in matcher.get_opcodes()
            ]
        )
    )


def text_tokens(text: str) -> list[str]:
    """The words, blanks and other characters of a text, in order."""
    return _WORDS.findall(text)


def text_lines(text: str) -> list[str]:
    """The lines of a text with their line ends."""
    return _LINES.findall(text)


def too_many(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two sequences are too long to be compared in the time of a key press."""
    return max(len(left), len(right)) > _MOST_TOKENS


def _joined(changes: list[Change]) -> tuple[Change, ...]:
    """The changes, with those separated only by blanks joined, so that a changed phrase is marked as one."""
    joined: list[Change] = []
    for change in changes:
        if len(joined) >= 2 and not change.equal and not joined[-1].left.strip() and not joined[-2].equal:
            gap, first = joined.pop(), joined.pop()
            change = Change(first.left + gap.left + change.left, first.right + gap.right + change.right)
        joined.append(change)
    return tuple(joined)


def _marks(stretches: list[tuple[str, bool]]) -> tuple[Span, ...]:
    spans, position = [], 0
    for text, equal in stretches:
        if text and not equal:
            spans.append(Span(position, position + len(text)))
        position += len(text)
    return tuple(spans)
