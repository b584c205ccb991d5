"""What a statement says about the statements around it: that it takes one back, or tells another case."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from reviewer.protocols.reading.mentions import MentionKind
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.polarity import Judged, Polarity
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement
from reviewer.protocols.reading.tokens import ReplyTokens

BETTER: Final = words_of(
    """
    better worse weaker superior preferable right correct besser bessere meilleure meilleur mejor melhor
    migliore beter lepsza lepszy лучше bättre bedre convincing persuasive sensible appropriate suitable
    reasonable helpful useful
    """
)
"""Words that call a choice better or worse, and not only safer or dearer."""
_NO: Final = frozenset(("no", "nein", "non", "não", "nee", "нет", "nej", "nie"))
_POINTS_BACK: Final = (
    ["that's", "what"],
    *([first, verb] for first in ("that", "this") for verb in ("is", "was")),
)
_OWN: Final = frozenset(("i", "we", "i'd", "i'll", "we'd"))
_CHOOSING: Final = words_of("choose pick select recommend decide take")
_NOT_NOW: Final = WordRole.HAS | WordRole.CORRECTS | WordRole.IF | WordRole.PONDERS | WordRole.OTHERS
_DENIALS: Final = (["it", "isn't"], ["it's", "not"], ["it", "is", "not"], ["it", "doesn't"], ["it", "wasn't"])
_ASKING: Final = words_of("is was were does did isn't wasn't")
_REVERSE: Final = frozenset(("reverse", "opposite", "versa"))
_ANOTHER: Final = frozenset(("another",))
"""Stands for whatever choice was not taken."""
_MISTAKES: Final = words_of(
    "misread mistyped misspoke mixed swapped overlooked typo mistake confused slip error forgot misjudged"
)
_AGAINST: Final = frozenset(("otherwise", "if", "should"))
_CONDITIONS: Final = (["if"], ["should"])
_LEADS: Final = frozenset(("but", "and"))
_WAS: Final = frozenset(("was", "were", "war", "était", "era", "fue"))
_IS: Final = frozenset(("is", "now", "ist", "est", "es"))
_LONG_AGO: Final = (["last", "time"], ["last", "year"], ["last", "month"], ["last", "week"], ["back", "then"])
_AGO: Final = frozenset(("last", "back", "yesterday", "ago"))
_FEW: Final = 4


class StatementAsides:
    """Looks at a statement whose choices are judged; ``outside`` are its tokens that name none."""

    def __init__(
        self,
        tokens: ReplyTokens,
        statement: Statement,
        judged: Sequence[Judged],
        outside: Sequence[int],
        roles: int,
    ) -> None:
        self._tokens, self._judged, self._outside, self._roles = tokens, judged, outside, roles
        self._asked, self._start = statement.asked, statement.start
        self._words = tokens.words[statement.start : statement.end]
        self.denies = self._words[:1] != [] and self._words[0] in _NO and self._words[1:2] == [","]
        """Whether it begins with "No, …"."""

    @property
    def corrects(self) -> bool:
        """Whether it takes back what was said before, without a word such as "correction"."""
        if self._judged:
            return self._asks_for_another()
        if self._asked and self._asks_whether_it_holds():
            return True
        if self._would_decide_otherwise():
            return True
        goes_on = self._words[:1] == ["was"]  # behind a quote: "was the verdict of the last round"
        return goes_on or self.denies or self._names_its_source() or self._denies_what_was_said()

    @property
    def explains(self) -> bool:
        """Whether it only tells of the mistake that was corrected: "I misread which option was which."."""
        return not self._judged and not _MISTAKES.isdisjoint(self._words)

    @property
    def only_compares(self) -> bool:
        """Whether it only calls a choice safer or stronger, and not better."""
        words = self._said_for_it()
        return bool(words) and all(word.endswith("er") and word not in BETTER for word in words)

    @property
    def only_praises(self) -> bool:
        """Whether it says nothing but that a choice is better or right: "B is better.", "… because …"."""
        roles = self._tokens.roles
        reasons = [number for number, at in enumerate(self._outside) if roles[at] & WordRole.SINCE]
        claim = self._outside[: reasons[0]] if reasons else self._outside
        said = [word for at in claim if (word := self._tokens.words[at])[0].isalnum()]
        return len(said) <= _FEW and self._said_for_it()[-1:] == said[-1:] != []

    @property
    def settles(self) -> bool:
        """Whether the speaker chooses now, or it concludes which choice is right."""
        if self._roles & _NOT_NOW or all(each.mention.loose for each in self._judged):
            return False
        chooses = any(
            self._tokens.words[at] in _CHOOSING
            and {*self._tokens.words[max(0, at - 2) : at]} & _OWN
            and self._tokens.word(at + 1) != "back"
            for at in self._outside
        )
        role = self._tokens.role
        right = any(role(at) & WordRole.GOOD and role(at + 1) & WordRole.PICK for at in self._outside)
        if self.only_praises:
            return True
        return chooses or (right and bool(self._roles & WordRole.IS) and not self._roles & WordRole.THAN)

    @property
    def is_bare(self) -> bool:
        """Whether it says nothing but the name of a choice."""
        words, roles = self._tokens.words, self._tokens.roles
        return all((roles[at] or not words[at][0].isalnum()) and words[at] != ":" for at in self._outside)

    @property
    def otherwise(self) -> frozenset[str]:
        """What it names where it tells the case against the one before: "If not, B"."""
        if _AGAINST.isdisjoint(self._words[:2]):
            return frozenset()
        words = self._words[self._words[0] in _LEADS :]
        against = words[:1] == ["otherwise"] or (
            words[:1] in _CONDITIONS and any(word == "not" or word.endswith("n't") for word in words[1:4])
        )
        return frozenset(each.mention.label for each in self._judged if against)

    @property
    def supposes(self) -> frozenset[str]:
        """What it names behind the condition that it begins with, or another choice where that is turned."""
        of_case = self._words[:1] == ["for"] or self._tokens.role(self._start) & WordRole.IF
        if not self._judged or not of_case:
            return _ANOTHER if not _REVERSE.isdisjoint(self._words) else frozenset()
        return frozenset(each.mention.label for each in self._judged)

    @property
    def of_before(self) -> bool:
        """Whether it tells what the answer was: "My answer was C."."""
        if not _AGO.isdisjoint(self._words):
            pairs = any([one, two] in _LONG_AGO for one, two in pairwise(self._words))
            return pairs or not {"yesterday", "ago"}.isdisjoint(self._words)
        was = not _WAS.isdisjoint(self._words) and _IS.isdisjoint(self._words)
        return was and bool(self._roles & (WordRole.PICK | WordRole.GOOD))

    def _alphanumeric(self) -> list[str]:
        return [word for at in self._outside if (word := self._tokens.words[at])[0].isalnum()]

    def _said_for_it(self) -> list[str]:
        """The words that speak for the only choice that it names."""
        if len({each.mention.label for each in self._judged}) > 1:
            return []
        return [self._tokens.words[at] for at in self._outside if self._tokens.roles[at] & WordRole.GOOD]

    def _names_its_source(self) -> bool:
        """Whether it says that others wrote what stands before it: "That's what my colleague submitted."."""
        points = self._words[:2] in _POINTS_BACK and "what" in self._words[1:3]
        return points and _OWN.isdisjoint(self._words) and bool(self._roles & WordRole.OTHERS)

    def _would_decide_otherwise(self) -> bool:
        """Whether its speaker does not stand by the answer: "I would decide differently today"."""
        now, then = WordRole.FIRST | WordRole.WOULD, WordRole.NEGATES | WordRole.HAS
        return "differently" in self._words and self._roles & now == now and not self._roles & then

    def _asks_whether_it_holds(self) -> bool:
        """Whether it doubts what was said: "Option A. Or is it?"."""
        said = [word for word in self._words[:4] if word[0].isalnum()]
        return said[:1] == ["or"] and said[1:2] != [] and said[1] in _ASKING

    def _asks_for_another(self) -> bool:
        """Whether it goes on with a doubt: "Verdict: second… or first?"."""
        return self._asked and self._alphanumeric()[:1] == ["or"]

    def _denies_what_was_said(self) -> bool:
        """Whether it only denies the statement before: "It isn't."."""
        return self._words[:1] in (["it"], ["it's"]) and self._alphanumeric() in _DENIALS


def is_clear(judged: Sequence[Judged]) -> bool:
    """Whether a verb takes the only choice that stands, or it is favoured by its name."""
    standing = [each for each in judged if each.polarity > Polarity.OPEN]
    if len({each.mention.label for each in standing}) != 1:
        return False
    best = max(each.polarity for each in standing)
    by_name = any(
        each.polarity is Polarity.FAVOURED and each.mention.kind >= MentionKind.WORD for each in standing
    )
    return best is Polarity.TAKEN or by_name
