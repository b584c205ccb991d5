"""How firmly a statement or a reply decides, and the kinds of doubt where none does."""

from enum import IntEnum
from typing import Final

EMPTY, TOO_LONG, CUT_OFF = "empty", "too long", "ends before the decision"
NO_DECISION, NO_SIDE, SEVERAL = "no decision", "takes no side", "takes several choices"
TAKEN_BACK, NOT_THERE = "turns down what it takes", "names a choice that was not given"
"""The kinds of doubt."""


class Firmness(IntEnum):
    """How firmly a statement decides. A firmer statement comes before a less firm one."""

    NONE = 0
    FAVOURED = 1
    """"… is better\""""
    CONCLUDED = 2
    """"I would go with …\""""
    OPENED = 3
    """a choice that the reply begins with, as good as alone"""
    ANNOUNCED = 4
    """"Decision: …\""""


HOW: Final = {firmness: firmness.name.casefold() for firmness in Firmness}
"""How a label was read, as the remark on it says."""
