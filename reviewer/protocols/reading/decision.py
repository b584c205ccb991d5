"""What the statements of a reply amount to, heard one after the other."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from reviewer.protocols.evaluation import LabelRead

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


@dataclass(frozen=True, slots=True)
class StatementSays:
    """What one statement says: the label that it takes or why none, how firmly, and what it turns down.

    ``region`` counts announcements, from 1; 0 if nothing announces it. ``concludes``: it has a word such as
    "so" or "but". ``corrects``: it takes back what was said before. ``is_silent``: it speaks of no choice.
    """

    label: str | None
    why: str
    firm: Firmness
    turned_down: frozenset[str]
    concludes: bool
    region: int
    corrects: bool
    is_silent: bool = False
    named: frozenset[str] = frozenset()
    """What is named without being turned down or left open."""


@dataclass(slots=True)
class ReplyDecision:
    """The label that counts so far, or why there is none."""

    label: str | None = None
    why: str = NO_DECISION
    firm: Firmness = Firmness.NONE
    region: int = 0
    _corrected: bool = field(default=False)
    """Something was taken back, and nothing was taken since."""
    _doubted: bool = field(default=False)
    """What counted was taken back."""
    _undecided: bool = field(default=False)
    """A statement takes no side."""

    def hear(self, said: StatementSays) -> None:
        """Go on with the next statement."""
        self._corrected = self._corrected or said.corrects
        if self._corrected and self.label is not None and said.named - {self.label}:
            self._doubted = True
        if self._says_nothing_new(said):
            return
        self._doubted = self._doubted or (said.corrects and self.label is not None)
        self._undecided = self._undecided or (said.why == NO_SIDE and said.firm is Firmness.FAVOURED)
        if said.firm is Firmness.NONE:
            self._turn_down(said)
        elif self._replaces(said):
            self._take(said)
        elif self._contradicts(said):
            self.label, self.why = None, SEVERAL
        else:
            self._turn_down(said)

    def read(self) -> LabelRead:
        """The label and how it was read, or why there is none."""
        if self.label is None:
            return LabelRead(None, self.why)
        if self._undecided and self.firm is Firmness.FAVOURED:
            return LabelRead(None, NO_SIDE)
        if self._doubted:
            return LabelRead(None, TAKEN_BACK)
        return LabelRead(self.label, HOW[self.firm])

    def _says_nothing_new(self, said: StatementSays) -> bool:
        """Whether an announcement speaks of no choice where one was announced: "Decision: see above"."""
        silent = said.is_silent and said.why == NO_SIDE and said.region > 0
        return silent and self.label is not None and self.firm is Firmness.ANNOUNCED

    def _take(self, said: StatementSays) -> None:
        self.firm = max(said.firm, self.firm) if self._corrected else said.firm
        takes_the_same = said.corrects and said.label == self.label
        self.label, self.why, self.region = said.label, said.why, said.region
        self._corrected = self._corrected and said.label is None
        self._doubted = self._doubted and (said.label is None or takes_the_same)

    def _replaces(self, said: StatementSays) -> bool:
        announced = said.firm is Firmness.ANNOUNCED and said.region != self.region
        if said.firm > self.firm or announced or (self._corrected and self.firm):
            return True
        if self.label is None and said.label and self._goes_on(said):
            return True
        return said.firm is self.firm and said.firm < Firmness.ANNOUNCED and said.concludes

    def _goes_on(self, said: StatementSays) -> bool:
        """Whether a statement decides what an earlier one left open."""
        left_open = self.why in (NO_SIDE, SEVERAL, CUT_OFF)
        same = said.region > 0 and said.region == self.region
        return left_open and (same or said.firm >= min(self.firm, Firmness.CONCLUDED))

    def _contradicts(self, said: StatementSays) -> bool:
        if said.label is None:
            wavers = said.why in (SEVERAL, TAKEN_BACK) and said.firm >= Firmness.CONCLUDED
            return wavers and self.label is not None and self.firm < Firmness.ANNOUNCED
        return said.label != self.label and said.firm >= min(self.firm, Firmness.CONCLUDED)

    def _turn_down(self, said: StatementSays) -> None:
        if self.label in said.turned_down:
            self.label, self.why = None, TAKEN_BACK
