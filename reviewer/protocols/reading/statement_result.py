"""What one statement says, from the polarities of the choices that it names."""

from collections.abc import Sequence
from enum import Enum, auto
from functools import reduce
from operator import or_
from typing import Final

from reviewer.protocols.reading.decision import (
    CUT_OFF,
    NO_SIDE,
    NOT_THERE,
    SEVERAL,
    TAKEN_BACK,
    Firmness,
    StatementSays,
)
from reviewer.protocols.reading.mentions import MentionKind
from reviewer.protocols.reading.names import OUTSIDE
from reviewer.protocols.reading.polarity import Judged, Polarity
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement
from reviewer.protocols.reading.tokens import ReplyTokens

_BETTER: Final = frozenset(("better", "superior", "preferable", "right", "correct"))
_ANY: Final = frozenset(("a", "an", "any", "anything", "something", "anybody", "somebody", "people", "those"))
_TWO_WAYS: Final = 2
_EXCEPTIONS: Final = frozenset(("unless", "otherwise", "else"))
_IN_TURN: Final = frozenset(("later", "afterwards", "then", "subsequently", "next"))
_SHORT: Final = 8


class StatementPlace(Enum):
    """Where a statement stands in a reply."""

    OPENS = auto()
    WITHIN = auto()
    ENDS = auto()


class StatementResult:
    """Sums up one statement."""

    def __init__(
        self,
        tokens: ReplyTokens,
        statement: Statement,
        judged: Sequence[Judged],
        place: StatementPlace,
        choices: int,
        is_sole: bool,
    ) -> None:
        """``choices``: how many there are; ``is_sole``: the reply names one of them only."""
        self._tokens, self._statement, self._judged, self._place = tokens, statement, judged, place
        self._choices, self._is_sole = choices, is_sole
        self._best = max((each.polarity for each in judged), default=Polarity.OPEN)
        inside = {at for each in judged for at in range(each.mention.start, each.mention.end)}
        self._outside = [at for at in range(statement.start, statement.end) if at not in inside]
        self._roles = reduce(or_, map(tokens.roles.__getitem__, self._outside), 0)

    def says(self) -> StatementSays:
        """The label that the statement takes, or why none."""
        taken, firm = self._taken()
        if not taken:
            return self._without_label()
        if firm < Firmness.ANNOUNCED and self._is_for_some_cases():
            firm = min(firm, Firmness.FAVOURED)
        if self._compares_both_ways():
            return self._result(None, NO_SIDE, firm)
        if self._comes_in_turn(taken):
            return self._result(None, SEVERAL, firm)
        label = next(iter(taken)) if len(taken) == 1 else self._last_word(taken)
        if label is None or self._makes_an_exception(label):
            return self._result(None, SEVERAL, firm)
        if firm < Firmness.ANNOUNCED and self._best < Polarity.TAKEN and self._cannot_decide():
            return self._result(None, NO_SIDE, firm)
        if label == OUTSIDE or label in self._turned_down(MentionKind.PART):
            return self._result(None, NOT_THERE if label == OUTSIDE else TAKEN_BACK, firm)
        return self._result(label, "", firm)

    def _result(self, label: str | None, why: str, firm: Firmness, silent: bool = False) -> StatementSays:
        concludes = bool(self._roles & (WordRole.SO | WordRole.BUT))
        statement, corrects = self._statement, self._statement.corrects or self._calls_answer_wrong()
        named = frozenset(each.mention.label for each in self._judged if each.polarity > Polarity.OPEN)
        return StatementSays(
            label, why, firm, self._turned_down(), concludes, statement.region, corrects, silent, named
        )

    def _calls_answer_wrong(self) -> bool:
        """Whether it says of an answer that it is wrong without naming one."""
        wrong = WordRole.PICK | WordRole.IS | WordRole.BAD
        says = self._roles & wrong == wrong and not self._roles & WordRole.NEGATES
        return not self._judged and says and len(self._outside) <= _SHORT

    def _turned_down(self, least: MentionKind = MentionKind.TEXT) -> frozenset[str]:
        return frozenset(
            each.mention.label
            for each in self._judged
            if each.polarity is Polarity.TURNED_DOWN and each.mention.kind >= least
        )

    def _without_label(self) -> StatementSays:
        statement = self._statement
        if statement.region:
            named = {each.mention.label for each in self._judged if each.polarity >= Polarity.NAMED}
            why = CUT_OFF if statement.start == statement.end else SEVERAL if len(named) > 1 else NO_SIDE
            silent = not self._judged and not self._roles & (WordRole.UNDECIDED | WordRole.NEGATES)
            return self._result(None, why, Firmness.ANNOUNCED if statement.opens else Firmness.NONE, silent)
        if self._roles & WordRole.UNDECIDED:
            return self._result(None, NO_SIDE, Firmness.FAVOURED)
        return self._result(None, "", Firmness.NONE)

    def _taken(self) -> tuple[set[str], Firmness]:
        """The labels that the statement takes, and how firmly."""
        taken = [each for each in self._judged if each.polarity >= self._least()]
        labels = {each.mention.label for each in taken}
        if self._best is Polarity.TAKEN:
            clear = [each for each in self._judged if each.mention.kind >= MentionKind.TEXT]
            labels |= {each.mention.label for each in clear if each.polarity is Polarity.FRAGMENT}
        if self._best < Polarity.NAMED:
            return set(), Firmness.NONE
        if self._statement.region and self._statement.opens:
            return labels, Firmness.ANNOUNCED
        only_parts = all(each.mention.kind <= MentionKind.PART for each in taken)
        if self._statement.corrects:
            return (set(), Firmness.NONE) if only_parts and len(labels) > 1 else (labels, Firmness.CONCLUDED)
        if self._best in (Polarity.HEADING, Polarity.FRAGMENT):
            clear = [each for each in self._judged if each.mention.kind >= MentionKind.TEXT]
            labels |= {each.mention.label for each in clear if each.polarity is Polarity.NAMED}
        firm = self._firmness()
        if firm is Firmness.OPENED:
            labels |= {each.mention.label for each in self._judged if each.polarity is Polarity.NAMED}
        if only_parts:
            firm = min(firm, Firmness.FAVOURED)
        return (labels, firm) if firm else (set(), firm)

    def _least(self) -> Polarity:
        """From which polarity on a choice counts as taken."""
        if self._best is Polarity.TAKEN:
            return Polarity.TAKEN
        if self._best >= Polarity.HEADING or not self._statement.corrects:
            return Polarity.HEADING
        return Polarity.DESCRIBED

    def _firmness(self) -> Firmness:
        """How firm a statement is that nothing announces."""
        if self._best is Polarity.TAKEN:
            return Firmness.CONCLUDED
        if self._best is Polarity.FAVOURED:
            return Firmness.NONE if self._only_compares() or self._concedes() else Firmness.FAVOURED
        heads_one_of_several = self._best is Polarity.HEADING and not self._is_sole
        if self._best < Polarity.HEADING or (heads_one_of_several and self._place is not StatementPlace.ENDS):
            return Firmness.NONE
        by_place = {StatementPlace.OPENS: Firmness.OPENED, StatementPlace.ENDS: Firmness.CONCLUDED}
        return by_place.get(self._place, Firmness.FAVOURED)

    def _only_compares(self) -> bool:
        """Whether a choice is only called safer than another, or better than one of several."""
        if not self._roles & WordRole.THAN:
            return False
        better = _BETTER.intersection(self._tokens.words[at] for at in self._outside)
        return not better or self._choices > 2

    def _is_for_some_cases(self) -> bool:
        """Whether a statement is about one kind of case: "For a prototype, I would take A"."""
        first, second = (self._tokens.word(self._statement.start + at) for at in (0, 1))
        return first == "for" and second in _ANY

    def _compares_both_ways(self) -> bool:
        """Whether a choice is better than another in one way, and worse in another."""
        if not self._roles & WordRole.THAN or self._best is Polarity.TAKEN:
            return False
        if sum(bool(self._tokens.roles[at] & WordRole.THAN) for at in self._outside) < _TWO_WAYS:
            return False
        labels = [each.mention.label for each in self._judged]
        pairs = [*zip(labels[::2], labels[1::2], strict=False)]
        return any((other, one) in pairs for one, other in pairs if one != other)

    def _concedes(self) -> bool:
        """Whether a "but" without another choice follows what is said for one."""
        last = max(each.mention.end for each in self._judged)
        words, roles = self._tokens.words, self._tokens.roles
        return any(
            roles[at] & WordRole.BUT and not words[at - 1][0].isalnum()
            for at in range(last, self._statement.end)
        )

    def _makes_an_exception(self, label: str) -> bool:
        """Whether another choice is named behind "unless": "Option A, unless …, in which case Option B"."""
        tokens = self._tokens
        behind = [at for at in self._outside if tokens.words[at] in _EXCEPTIONS]
        taken = [each.mention.start for each in self._judged if each.mention.label == label]
        others = [each.mention.start for each in self._judged if each.mention.label != label]
        return any(min(taken) < at < other for at in behind for other in others)

    def _last_word(self, taken: set[str]) -> str | None:
        """The label that a statement ends with after a word such as "but" or "so"."""
        last = [
            each
            for each in self._judged
            if each.mention.label in taken and each.polarity >= Polarity.FRAGMENT
        ]
        if len(last) < 2 or last[-1].joined or last[-1].mention.label == last[-2].mention.label:
            return None
        between = range(last[-2].mention.end, last[-1].mention.start)
        alike = last[-2].mention.kind is last[-1].mention.kind
        turns = WordRole.BUT | WordRole.SO if alike else WordRole.BUT
        return last[-1].mention.label if self._tokens.roles_in(between) & turns else None

    def _comes_in_turn(self, taken: set[str]) -> bool:
        """Whether another choice comes later: "first A, later B"."""
        if _IN_TURN.isdisjoint(self._tokens.words[at] for at in self._outside):
            return False
        others = (each for each in self._judged if each.mention.label not in taken)
        return any(each.polarity > Polarity.OPEN for each in others)

    def _cannot_decide(self) -> bool:
        """Whether the statement says that its speaker cannot or will not decide."""
        both, tokens = WordRole.UNDECIDED | WordRole.NEGATES, self._tokens
        return any(
            (tokens.absorbed[at] and tokens.roles[at] & both == both) or tokens.words[at] == "undecided"
            for at in self._outside
        )
