"""From a choice that is turned down to one that is taken."""

from dataclasses import dataclass
from enum import IntEnum

from reviewer.protocols.reading.mentions import Mention


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
class Judged:
    """A mention with its polarity; ``joined`` to the one before it in one breath."""

    mention: Mention
    polarity: Polarity
    joined: bool = False
