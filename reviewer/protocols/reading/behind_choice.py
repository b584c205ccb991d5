"""What is said of a choice behind it: "Option A is risky", "B is what I would choose"."""

from typing import Final

from reviewer.protocols.reading.polarity import Polarity
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.tokens import ReplyTokens

_PASSIVE: Final = ("ed", "en", "ado", "ada", "gewählt", "vorzuziehen")
_BEGIN_WORDS: Final = frozenset(
    (
        "does",
        "did",
        "has",
        "can",
        "which",
        "gets",
        "makes",
        "that",
        "ends",
        "ended",
        "arrives",
        "lands",
        "reaches",
    )
)
_BEGIN: Final = (
    WordRole.IS
    | WordRole.SHOULD
    | WordRole.WOULD
    | WordRole.COULD
    | WordRole.WINS
    | WordRole.LOSES
    | WordRole.HAS
    | WordRole.NEGATES
) | (WordRole.REFUSES | WordRole.GOOD | WordRole.BAD)
_OTHER_CLAUSE: Final = WordRole.SINCE | WordRole.BUT | WordRole.SO | WordRole.JOINS
_BARE: Final = (
    WordRole.IS | WordRole.NEGATES | WordRole.GLUE | WordRole.SHOULD | WordRole.WOULD | WordRole.COULD
)
_PHRASE_WORDS: Final = frozenset(
    (
        *(
            "with",
            "of",
            "for",
            "as",
            "in",
            "on",
            "by",
            "at",
            "here",
            "definitely",
            "please",
            "all",
            "it",
            "that",
            "this",
        ),
        *("to", "until", "before", "after", "i", "we", "now", "then", "hands", "without"),
    )
)


class BehindChoice:
    """The words behind a choice, up to the next choice or the end of its clause."""

    def __init__(self, tokens: ReplyTokens, right: range) -> None:
        self._tokens, self._right = tokens, right

    def _words(self) -> list[int]:
        return [at for at in self._right if self._tokens.words[at][0].isalnum()]

    def ends(self) -> bool:
        """Whether nothing follows that says something of the choice: it stands as good as alone."""
        tokens = self._tokens
        first = next(
            (at for at in self._right if tokens.words[at][0].isalnum() or tokens.words[at] in ":."), -1
        )
        if first < 0 or tokens.words[first] in ":.":
            return True
        leads = tokens.roles[first] & (_OTHER_CLAUSE | WordRole.EVEN | WordRole.EXCEPTS)
        if leads or tokens.words[first] in _PHRASE_WORDS:
            return True
        return all(tokens.roles[at] & WordRole.GLUE for at in self._words())

    def polarity(self) -> Polarity | None:
        """How the choice is judged; named if something else is said of it, and None if nothing is."""
        begun = self._begin()
        if begun is None or isinstance(begun, Polarity):
            return begun
        negations, first, soft, told = 0, False, False, False
        for at in range(begun, self._right.stop):
            role = self._tokens.roles[at]
            if not self._tokens.words[at][0].isalnum():
                continue
            if role & WordRole.EXCEPTS and not role & WordRole.WINS:
                break
            first = first or bool(role & WordRole.FIRST)
            soft = soft or bool(role & WordRole.COULD and not role & WordRole.NEGATES)
            if (role & WordRole.OTHERS and not first) or role & (WordRole.EARLIER | WordRole.PONDERS):
                return Polarity.OPEN
            negated = bool(role & WordRole.NEGATES)
            negations, told = negations + negated, told or negated
            if (judged := self._value(at, first)) != 0:
                return self._judged(judged, at, negations, soft, first)
            if role & WordRole.THAN:
                break
        return self._unjudged(told)

    def _begin(self) -> int | Polarity | None:
        """Where a verb begins to say something; else what the words amount to without one."""
        tokens = self._tokens
        for number, at in enumerate(self._right):
            role, word = tokens.roles[at], tokens.words[at]
            if not word[0].isalnum():
                if word == ":":
                    return None
                continue
            if word == "it" and at + 1 in self._right and tokens.roles[at + 1] & WordRole.IS:
                return Polarity.TAKEN
            leads_on = role & (_OTHER_CLAUSE | WordRole.EXCEPTS)
            if word == "of" or (leads_on and not role & (WordRole.NEGATES | WordRole.WINS)):
                return None
            verb_at_the_end = role & WordRole.TAKES and word.endswith(_PASSIVE)
            if role & _BEGIN or word in _BEGIN_WORDS or verb_at_the_end:
                return at
            if not (role & WordRole.GLUE and number < 3):
                return None if role & WordRole.GLUE else Polarity.NAMED
        return None

    def _value(self, at: int, first: bool) -> int:
        """1 for a word that speaks for the choice, -1 for one that speaks against it."""
        role = self._tokens.roles[at]
        passive = self._tokens.words[at].endswith(_PASSIVE) or first or self._tokens.absorbed[at]
        good = (
            role & (WordRole.GOOD | WordRole.WINS)
            or (role & WordRole.TAKES and passive)
            or (role & WordRole.PICK and first)
        )
        bad = role & (WordRole.BAD | WordRole.REFUSES | WordRole.LOSES)
        return bool(good) - bool(bad)

    def _judged(self, value: int, at: int, negations: int, soft: bool, first: bool) -> Polarity:
        if value < 0:
            return Polarity.OPEN if negations % 2 or soft else Polarity.TURNED_DOWN
        if negations % 2:
            return Polarity.TURNED_DOWN
        later = range(at + 1, self._right.stop)
        by_others = (
            self._tokens.roles_in(later) & WordRole.OTHERS
            and "by" in self._tokens.words[at : self._right.stop]
        )
        if by_others or soft:
            return Polarity.OPEN
        return Polarity.TAKEN if first else Polarity.FAVOURED

    def _unjudged(self, told: bool) -> Polarity:
        """A bare "is not" turns down; other negations leave it open."""
        if not told:
            return Polarity.NAMED
        return (
            Polarity.TURNED_DOWN
            if all(self._tokens.roles[at] & _BARE for at in self._words())
            else Polarity.OPEN
        )
