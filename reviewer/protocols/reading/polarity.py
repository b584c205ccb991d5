"""From a choice that is turned down to one that is taken."""

from dataclasses import dataclass
from enum import IntEnum

from reviewer.protocols.reading.mentions import Mention


class Polarity(IntEnum):
    """What a statement does to a choice that it names."""

    TURNED_DOWN = 0
    OPEN = 1
    """considered, asked, quoted, compared, or under a condition"""
    NAMED = 2
    """named with no word that decides"""
    HEADING = 3
    """named at the head of a line about it"""
    FRAGMENT = 4
    """named as good as alone"""
    FAVOURED = 5
    """called better, or right"""
    TAKEN = 6


@dataclass(frozen=True, slots=True)
class Judged:
    """A mention with its polarity; ``joined`` to the one before it in one breath."""

    mention: Mention
    polarity: Polarity
    joined: bool = False
