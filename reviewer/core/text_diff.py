"""The differences between two texts, word by word.

Where an insertion begins is often ambiguous ("a. [b. ]c" or "a[. b]. c"): the more readable one is taken.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import takewhile

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


_MOST_CHARACTERS = 400
_SENTENCE_ENDS = ".?!:;)"
_CLAUSE_STARTS = ",;:"


def at_boundaries(diff: TextDiff) -> TextDiff:
    """The difference, with insertions and deletions moved to whole lines or sentences where possible."""
    changes = list(diff.changes)
    for here in range(1, len(changes) - 1):
        before, moved, after = changes[here - 1 : here + 2]
        if before.equal and after.equal and not (moved.left and moved.right):
            changes[here - 1 : here + 2] = _moved_to_boundary(before.left, moved, after.left)
    return TextDiff(tuple(change for change in changes if change.left or change.right))


def _moved_to_boundary(before: str, moved: Change, after: str) -> list[Change]:
    text = moved.left or moved.right
    whole, length = before + text + after, len(text)

    def quality(at: int) -> tuple[int, int]:
        return _boundary_quality(whole, at, at + length), -abs(at - len(before))

    start = max(_possible_starts(before, text, after), key=quality)
    body = whole[start : start + length]
    change = Change(body, "") if moved.left else Change("", body)
    return [_same(whole[:start]), change, _same(whole[start + length :])]


def _same(text: str) -> Change:
    return Change(text, text)


def _possible_starts(before: str, text: str, after: str) -> Iterable[int]:
    """Where the inserted text may begin so that the text around it stays the same."""
    backward = _common(before[::-1], (before + text)[::-1])
    forward = _common(after, text + after)
    return range(len(before) - backward, len(before) + forward + 1)


def _common(one: str, other: str) -> int:
    """How many characters both texts begin with, up to a limit."""
    pairs = zip(one[:_MOST_CHARACTERS], other[:_MOST_CHARACTERS], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _boundary_quality(whole: str, start: int, end: int) -> int:
    """How readable a passage is as a change: whole lines are best, then sentences, clauses, and words."""
    ahead, behind = whole[:start], whole[end:]
    body = whole[start:end]
    if (not ahead or ahead.endswith("\n")) and (body.endswith("\n") or not behind):
        return 5
    if body.startswith("\n") and (not behind or behind.startswith("\n")):
        return 4
    if ahead.endswith(tuple(_SENTENCE_ENDS)) and body[0].isspace() and behind[:1].isspace():
        return 3
    if ahead[-1:].isalnum() and body[0] in _CLAUSE_STARTS and body[-1].isalnum() and not behind[:1].isalnum():
        return 2
    if (not ahead or ahead[-1].isspace()) and (body[-1].isspace() or not behind):
        return 1
    return 0
