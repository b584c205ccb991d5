"""What a statement says about the statements around it: that it takes one back, or tells another case."""

from functools import cached_property, reduce
from itertools import pairwise
from operator import or_
from typing import Final

from reviewer.protocols.reading.mentions import MentionKind, Polarity, labels_of, places_of_all
from reviewer.protocols.reading.naming_words import phrases_of, words_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement

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
_DENIALS: Final = phrases_of("it isn't; it's not; it is not; it doesn't; it wasn't")
_ASKING: Final = words_of("is was were does did isn't wasn't")
_REVERSE: Final = frozenset(("reverse", "opposite", "versa"))
_ANOTHER: Final = frozenset(("another",))
"""Stands for whatever choice was not taken."""
_MISTAKES: Final = words_of(
    "misread mistyped misspoke mixed swapped overlooked typo mistake confused slip error forgot misjudged"
)
_AGAINST: Final = frozenset(("otherwise", "if", "should"))
_CONDITIONS: Final = phrases_of("if; should")
_LEADS: Final = frozenset(("but", "and"))
_WAS: Final = frozenset(("was", "were", "war", "était", "era", "fue"))
_IS: Final = frozenset(("is", "now", "ist", "est", "es"))
_LONG_AGO: Final = phrases_of("last time; last year; last month; last week; back then")
_AGO: Final = frozenset(("last", "back", "yesterday", "ago"))
_FEW: Final = 4


class StatementAsides:
    """A statement whose choices are judged; ``outside`` are its tokens that name none, ``roles`` theirs."""

    def __init__(self, tokens: ReplyTokens, statement: Statement) -> None:
        self.tokens, self.statement, self.judged = tokens, statement, statement.judged
        self.words = tokens.words[statement.start : statement.end]
        inside = places_of_all(self.judged)
        self.outside = [at for at in statement.places if at not in inside]
        self.roles = reduce(or_, map(tokens.roles.__getitem__, self.outside), 0)

    @cached_property
    def said(self) -> list[int]:
        """The places of its words that name no choice."""
        return [at for at in self.outside if self.tokens.words[at][0].isalnum()]

    @property
    def denies(self) -> bool:
        """Whether it begins with "No, …"."""
        return self.words[:1] != [] and self.words[0] in _NO and self.words[1:2] == [","]

    @property
    def takes_back(self) -> bool:
        """Whether it takes back what was said before, without a word such as "correction"."""
        if self.judged:
            return self._asks_for_another()
        if self.statement.asked and self._asks_whether_it_holds():
            return True
        if self._would_decide_otherwise():
            return True
        goes_on = self.words[:1] == ["was"]  # behind a quote: "was the verdict of the last round"
        return goes_on or self.denies or self._names_its_source() or self._denies_what_was_said()

    @property
    def explains(self) -> bool:
        """Whether it only tells of the mistake that was corrected: "I misread which option was which."."""
        return not self.judged and not _MISTAKES.isdisjoint(self.words)

    @property
    def only_compares(self) -> bool:
        """Whether it only calls a choice safer or stronger, and not better."""
        words = self._said_for_it()
        return bool(words) and all(word.endswith("er") and word not in BETTER for word in words)

    @property
    def only_praises(self) -> bool:
        """Whether it says nothing but that a choice is better or right: "B is better.", "… because …"."""
        roles = self.tokens.roles
        reasons = [number for number, at in enumerate(self.outside) if roles[at] & WordRole.SINCE]
        claim = self.outside[: reasons[0]] if reasons else self.outside
        said = [word for at in claim if (word := self.tokens.words[at])[0].isalnum()]
        return len(said) <= _FEW and self._said_for_it()[-1:] == said[-1:] != []

    @property
    def clearly(self) -> bool:
        """Whether a verb takes the only choice that stands, or it is favoured by its name."""
        standing = [each for each in self.judged if each.polarity > Polarity.OPEN]
        if len(labels_of(standing)) != 1:
            return False
        by_name = (each for each in standing if each.kind >= MentionKind.WORD)
        taken = max(each.polarity for each in standing) is Polarity.TAKEN
        return taken or any(each.polarity is Polarity.FAVOURED for each in by_name)

    @property
    def settles(self) -> bool:
        """Whether the speaker chooses now, or it concludes which choice is right."""
        if self.roles & _NOT_NOW or all(each.loose for each in self.judged):
            return False
        chooses = any(
            self.tokens.words[at] in _CHOOSING
            and {*self.tokens.words[max(0, at - 2) : at]} & _OWN
            and self.tokens.word(at + 1) != "back"
            for at in self.outside
        )
        role = self.tokens.role
        right = any(role(at) & WordRole.GOOD and role(at + 1) & WordRole.PICK for at in self.outside)
        if self.only_praises:
            return True
        return chooses or (right and bool(self.roles & WordRole.IS) and not self.roles & WordRole.THAN)

    @property
    def is_bare(self) -> bool:
        """Whether it says nothing but the name of a choice."""
        words, roles = self.tokens.words, self.tokens.roles
        return all((roles[at] or not words[at][0].isalnum()) and words[at] != ":" for at in self.outside)

    @property
    def otherwise(self) -> frozenset[str]:
        """What it names where it tells the case against the one before: "If not, B"."""
        if _AGAINST.isdisjoint(self.words[:2]):
            return frozenset()
        words = self.words[self.words[0] in _LEADS :]
        against = words[:1] == ["otherwise"] or (
            words[:1] in _CONDITIONS and any(word == "not" or word.endswith("n't") for word in words[1:4])
        )
        return frozenset(each.label for each in self.judged if against)

    @property
    def supposes(self) -> frozenset[str]:
        """What it names behind the condition that it begins with, or another choice where that is turned."""
        of_case = self.words[:1] == ["for"] or self.tokens.role(self.statement.start) & WordRole.IF
        if not self.judged or not of_case:
            return _ANOTHER if not _REVERSE.isdisjoint(self.words) else frozenset()
        return frozenset(each.label for each in self.judged)

    @property
    def of_before(self) -> bool:
        """Whether it tells what the answer was: "My answer was C."."""
        if not _AGO.isdisjoint(self.words):
            pairs = any([one, two] in _LONG_AGO for one, two in pairwise(self.words))
            return pairs or not {"yesterday", "ago"}.isdisjoint(self.words)
        was = not _WAS.isdisjoint(self.words) and _IS.isdisjoint(self.words)
        return was and bool(self.roles & (WordRole.PICK | WordRole.GOOD))

    def _words_said(self) -> list[str]:
        return [self.tokens.words[at] for at in self.said]

    def _said_for_it(self) -> list[str]:
        """The words that speak for the only choice that it names."""
        if len(labels_of(self.judged)) > 1:
            return []
        return [self.tokens.words[at] for at in self.outside if self.tokens.roles[at] & WordRole.GOOD]

    def _names_its_source(self) -> bool:
        """Whether it says that others wrote what stands before it: "That's what my colleague submitted."."""
        points = self.words[:2] in _POINTS_BACK and "what" in self.words[1:3]
        return points and _OWN.isdisjoint(self.words) and bool(self.roles & WordRole.OTHERS)

    def _would_decide_otherwise(self) -> bool:
        """Whether its speaker does not stand by the answer: "I would decide differently today"."""
        now, then = WordRole.FIRST | WordRole.WOULD, WordRole.NEGATES | WordRole.HAS
        return "differently" in self.words and self.roles & now == now and not self.roles & then

    def _asks_whether_it_holds(self) -> bool:
        """Whether it doubts what was said: "Option A. Or is it?"."""
        said = [word for word in self.words[:4] if word[0].isalnum()]
        return said[:1] == ["or"] and said[1:2] != [] and said[1] in _ASKING

    def _asks_for_another(self) -> bool:
        """Whether it goes on with a doubt: "Verdict: second… or first?"."""
        return self.statement.asked and self._words_said()[:1] == ["or"]

    def _denies_what_was_said(self) -> bool:
        """Whether it only denies the statement before: "It isn't."."""
        return self.words[:1] in (["it"], ["it's"]) and self._words_said() in _DENIALS
