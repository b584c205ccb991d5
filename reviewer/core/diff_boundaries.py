"""Where an insertion begins is often ambiguous ("a. [b. ]c" or "a[. b]. c"): the more readable boundary."""

from collections.abc import Iterable
from itertools import takewhile

from reviewer.core.text_diff import Change, TextDiff

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
