"""A choice that a reply names, how it is named, and the effect of a statement on it."""

from collections.abc import Iterable
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


class Polarity(IntEnum):
    """What a statement does to a choice that it names."""

    TURNED_DOWN = 0
    OPEN = 1
    """considered, asked, quoted, compared, or under a condition"""
    DESCRIBED = 2
    """named, and something said of it that does not decide: "Option A costs two weeks\""""
    NAMED = 3
    """named behind words that do not decide"""
    HEADING = 4
    """named at the head of a line about it"""
    FRAGMENT = 5
    """named as good as alone"""
    FAVOURED = 6
    """called better, or right"""
    TAKEN = 7


@dataclass(frozen=True, slots=True)
class Mention:
    """A choice that is named from one token to before another, and the effect of its statement on it.

    ``loose``: by a bare letter or number. ``joined``: to the mention before it in one breath.
    """

    start: int
    end: int
    label: str
    kind: MentionKind
    loose: bool = False
    polarity: Polarity = Polarity.OPEN
    joined: bool = False

    @property
    def places(self) -> range:
        """Its tokens."""
        return range(self.start, self.end)

    def judged(self, polarity: Polarity, joined: bool = False) -> "Mention":
        """The same mention with the effect of its statement on it."""
        return Mention(self.start, self.end, self.label, self.kind, self.loose, polarity, joined)


def places_of_all(mentions: Iterable[Mention]) -> set[int]:
    """The tokens of all these mentions."""
    return {at for mention in mentions for at in mention.places}


def labels_of(mentions: Iterable[Mention]) -> set[str]:
    """The choices that these mentions name."""
    return {mention.label for mention in mentions}
