"""What the statements of a reply amount to, heard one after the other."""

from dataclasses import dataclass, field

from reviewer.protocols.evaluation import LabelRead
from reviewer.protocols.reading.firmness import (
    CUT_OFF,
    HOW,
    NO_DECISION,
    NO_SIDE,
    SEVERAL,
    TAKEN_BACK,
    Firmness,
)
from reviewer.protocols.reading.statement_result import StatementResult


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
    _shaken: bool = field(default=False)
    """Something took back what was announced without naming a choice, and nothing was named since."""
    _chosen: str | None = field(default=None)
    """What the speaker chose in prose, without a correction since."""
    _conditional: bool = field(default=False)
    """What counts was taken by a statement with a condition."""
    _torn: bool = field(default=False)
    """Two statements took different choices as firmly."""
    _undecided: bool = field(default=False)
    """A statement takes no side."""
    _only_compares: bool = field(default=False)
    """What counts was only called safer or the like."""
    _described: set[str] = field(default_factory=set)
    """What was named in statements without being turned down or left open."""
    _settled: bool = field(default=False)
    """What counts was taken by the correction right before."""
    _of_before: bool = field(default=False)
    """What counts was only told of an earlier answer."""
    clearly: bool = False
    """A verb or a word such as "best" takes what counts."""
    abstained: bool = field(default=False)
    """The speaker does not decide, and nothing was taken since."""

    def hear(self, said: StatementResult) -> None:
        """Go on with the next statement."""
        self._described |= said.named
        decides = said.label is not None and said.firm >= Firmness.CONCLUDED
        self.abstained = said.abstains or (self.abstained and not decides)
        if self._settled and said.corrects and said.explains:
            return
        self._choose_in_prose(said)
        self._settled = (self._settled or said.corrects or self._corrected) and said.label is not None
        self._corrected = self._corrected or said.corrects
        if self.label is not None and self._speaks_for_another(said):
            self._doubted = True
        if self._says_nothing_new(said):
            self._shaken = self._shaken or (said.corrects and not said.explains)
            return
        self._shaken = self._shaken and not said.named
        self._doubted = self._doubted or (said.corrects and self.label is not None)
        takes_no_side = said.why == NO_SIDE and said.firm is Firmness.FAVOURED
        self._undecided = takes_no_side or (self._undecided and not (said.label is not None and said.clearly))
        self._weigh(said)

    def _weigh(self, said: StatementResult) -> None:
        """Take what a statement takes, or doubt what counts."""
        if said.firm is Firmness.NONE:
            self._turn_down(said)
        elif self._replaces(said):
            self._take(said)
        elif self._contradicts(said):
            self._torn = self._torn or (said.label is not None and said.firm is self.firm)
            self.label, self.why = None, SEVERAL
        else:
            self._turn_down(said)

    def _choose_in_prose(self, said: StatementResult) -> None:
        """Remember what the speaker chose before an announcement, which must not take another choice."""
        if said.corrects:
            self._chosen = None
        if said.label and said.settles and not said.region:
            self._chosen = said.label

    def _speaks_for_another(self, said: StatementResult) -> bool:
        """Whether a statement praises a choice that does not count, or takes one in another case."""
        own = {self.label}
        praises = said.favours and said.only_praises and said.label != self.label
        elsewhere = said.otherwise | (said.supposes if self._conditional else frozenset())
        return praises or bool(elsewhere - own) or (self._corrected and bool(said.named - own))

    def read(self) -> LabelRead:
        """The label and how it was read, or why there is none."""
        if self.label is None:
            return LabelRead(None, self.why)
        if self.firm is Firmness.FAVOURED and self._only_compares and self._described - {self.label}:
            return LabelRead(None, NO_DECISION)
        if self.abstained:
            return LabelRead(None, NO_SIDE)
        if self._undecided and self.firm is Firmness.FAVOURED:
            return LabelRead(None, NO_SIDE)
        if self._doubted or self._shaken:
            return LabelRead(None, TAKEN_BACK)
        return LabelRead(self.label, HOW[self.firm])

    def _says_nothing_new(self, said: StatementResult) -> bool:
        """Whether an announcement speaks of no choice where one was announced: "Decision: see above"."""
        silent = said.is_silent and said.why == NO_SIDE and said.region > 0
        return silent and self.label is not None and self.firm is Firmness.ANNOUNCED

    def _take(self, said: StatementResult) -> None:
        self.firm = max(said.firm, self.firm) if self._corrected else said.firm
        takes_the_same = said.corrects and said.label == self.label and not said.clearly
        self.label, self.why, self.region = said.label, said.why, said.region
        if said.region and said.label and self._chosen not in (None, said.label):
            self.label, self.why = None, SEVERAL
        self.clearly = said.clearly and said.label is not None
        self._of_before = said.label is not None and said.of_before
        self._only_compares = said.favours and said.only_compares
        self._conditional = said.is_conditional
        self._corrected = self._corrected and said.label is None
        self._doubted = self._doubted and (said.label is None or takes_the_same)

    def _replaces(self, said: StatementResult) -> bool:
        announced = said.firm is Firmness.ANNOUNCED and said.region != self.region
        if said.firm > self.firm or announced or (self._corrected and self.firm):
            return True
        if self.label is None and said.label and self._goes_on(said):
            return True
        if (
            self._of_before
            and not said.of_before
            and said.label
            and said.firm >= min(self.firm, Firmness.CONCLUDED)
        ):
            return True
        return said.firm is self.firm and said.firm < Firmness.ANNOUNCED and said.concludes

    def _goes_on(self, said: StatementResult) -> bool:
        """Whether a statement decides what an earlier one left open."""
        left_open = self.why in (NO_SIDE, SEVERAL, CUT_OFF)
        if self.why == TAKEN_BACK and (said.clearly or (said.is_bare and said.is_last)) and not self._torn:
            return self.firm < Firmness.ANNOUNCED and said.firm >= Firmness.CONCLUDED
        if self._torn and not said.concludes and not said.region:
            return False
        same = said.region > 0 and said.region == self.region
        return left_open and (same or said.firm >= min(self.firm, Firmness.CONCLUDED))

    def _contradicts(self, said: StatementResult) -> bool:
        if said.label is None:
            wavers = said.why in (SEVERAL, TAKEN_BACK) and said.firm >= Firmness.CONCLUDED
            return wavers and self.label is not None and self.firm < Firmness.ANNOUNCED
        speaks = said.clearly and (said.is_own or said.concludes or said.corrects)
        if self.firm is Firmness.ANNOUNCED and not (said.region or speaks or said.is_bare):
            return False
        if said.is_last and said.clearly and said.concludes and said.label != self.label:
            return True
        return said.label != self.label and said.firm >= min(self.firm, Firmness.CONCLUDED)

    def _turn_down(self, said: StatementResult) -> None:
        if self.label in said.turned_down:
            self.label, self.why = None, TAKEN_BACK
