"""A choice that a reply names, and how."""

from dataclasses import dataclass
from enum import IntEnum


class MentionKind(IntEnum):
    """How a choice is named, the surest way last."""

    HINT = 0
    """by a single word that only its text has"""
    PART = 1
    """by several such words"""
    TEXT = 2
    """by its text, or nearly"""
    WORD = 3
    """by a word that the question defines"""
    NAME = 4
    """by letter, number or place"""


@dataclass(frozen=True, slots=True)
class Mention:
    """A choice that is named from one token to before another; ``loose``: by a bare letter or number."""

    start: int
    end: int
    label: str
    kind: MentionKind
    loose: bool = False
