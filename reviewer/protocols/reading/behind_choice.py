"""What is said of a choice behind it: "Option A is risky", "B is what I would choose"."""

from collections.abc import Iterator
from typing import Final

from reviewer.protocols.reading.mentions import Polarity
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens, is_eastern
from reviewer.protocols.reading.roles import WordRole, roles_of

_COPULAS: Final = frozenset(("です", "である", "だ", "입니다", "이다"))
"""Words of languages whose sentences end in "is", which say nothing of a choice."""
_PASSIVE: Final = ("ed", "en", "ado", "ada", "gewählt", "vorzuziehen")
_BEGIN_WORDS: Final = words_of("does did has can which gets makes that ends ended arrives lands reaches")
_BEGIN: Final = roles_of("is should would could wins loses has negates refuses good bad")
_OTHER_CLAUSE: Final = WordRole.SINCE | WordRole.BUT | WordRole.SO | WordRole.JOINS
_NOT_MADE: Final = roles_of("negates refuses bad ponders could has")
_GETS: Final = frozenset(("gets", "deserves", "earns"))
_ELSEWHERE: Final = words_of("question problem task case time world team situation year project")
_NOT_PRAISE: Final = words_of(
    """
    expensive costly complex complicated difficult invasive aggressive drastic extreme tempting obvious
    ambitious comfortable convenient exciting attractive traditional recent radical harmful painful
    """
)
_FIGHTING: Final = words_of("prevent stop fight fear hate fire sue cut remove delete question miss")
_QUOTES: Final = frozenset("\"“‘'")
_RELATIVE: Final = frozenset(("that", "which", "who", "whose"))
_BARE: Final = roles_of("is negates glue should would could")
_PHRASE_WORDS: Final = words_of(
    """
    with of between for as in on by at here definitely please all it that this to until before after i we
    now then hands without
    """
)


class BehindChoice:
    """The words behind a choice, up to the next choice or the end of its clause."""

    def __init__(self, tokens: ReplyTokens, right: range) -> None:
        self._tokens, self._right = tokens, right
        self._words, self._roles = tokens.words, tokens.roles

    def _said(self) -> Iterator[int]:
        return (at for at in self._right if self._words[at][0].isalnum())

    @property
    def first(self) -> str:
        """The first word behind the choice; "" if there is none."""
        return next((self._words[at] for at in self._said()), "")

    def ends(self) -> bool:
        """Whether nothing follows that says something of the choice: it stands as good as alone."""
        tokens = self._tokens
        first = next(
            (at for at in self._right if tokens.words[at][0].isalnum() or tokens.words[at] in ":."), -1
        )
        opens = self._right and self._opens_text(self._right.start)
        if first < 0 or opens or tokens.words[first] in ":.":
            return True
        leads = tokens.roles[first] & (_OTHER_CLAUSE | WordRole.CONCEDES | WordRole.EXCEPTS | WordRole.THAN)
        if leads or tokens.words[first] in _PHRASE_WORDS:
            return True
        return all(tokens.roles[at] & WordRole.GLUE for at in self._said())

    def polarity(self) -> Polarity | None:
        """How the choice is judged; described if something else is said of it, and None if nothing is."""
        if (eastern := self._eastern()) is not None:
            return eastern
        if all(self._words[at] in _COPULAS for at in self._said()):
            return None
        begun = self._begin()
        if begun is None or isinstance(begun, Polarity):
            return begun
        negations, first, soft, told = 0, False, False, False
        for at in range(begun, self._right.stop):
            role = self._roles[at]
            if not self._words[at][0].isalnum():
                continue
            if role & WordRole.EXCEPTS and not role & WordRole.WINS:
                break
            first = first or bool(role & WordRole.FIRST) or self._is_own(at)
            soft = soft or bool(role & WordRole.COULD and not role & WordRole.NEGATES)
            people = role & WordRole.OTHERS and self._words[at - 1] != "the"
            if (people and not first) or role & (WordRole.EARLIER | WordRole.PONDERS):
                return Polarity.OPEN
            negated = bool(role & WordRole.NEGATES)
            negations, told = negations + negated, told or negated
            if (judged := self._value(at, first)) != 0:
                return self._judged(judged, at, negations, soft, first)
            if role & WordRole.THAN:
                break
        return self._unjudged(told)

    def _is_own(self, at: int) -> bool:
        """Whether a phrase calls the choice the speaker's: "my answer", "what I would do"."""
        own = self._words[at] == "my" or self._tokens.word(at + 1) in ("i", "i'd")
        return own and self._tokens.absorbed[at] and self._tokens.word(at - 1) != "be"

    def _eastern(self) -> Polarity | None:
        """A verb of choosing behind its object, as in Japanese and Korean."""
        takes = [
            at
            for at in self._said()
            if self._roles[at] & WordRole.TAKES
            and not self._words[at].isascii()
            and is_eastern(self._words[at])
        ]
        if not takes:
            return None
        roles = self._tokens.roles_in(self._right)
        return Polarity.TURNED_DOWN if roles & WordRole.NEGATES else Polarity.FAVOURED

    def _begin(self) -> int | Polarity | None:
        """Where a verb begins to say something; else what the words amount to without one."""
        tokens = self._tokens
        for number, at in enumerate(self._right):
            role, word = tokens.roles[at], tokens.words[at]
            if not word[0].isalnum():
                if word == ":" or self._opens_text(at):
                    return None
                continue
            if (
                word == "it"
                and at + 1 in self._right
                and tokens.roles[at + 1] & (WordRole.IS | WordRole.WOULD)
            ):
                return Polarity.TAKEN
            if not role & _BEGIN and self._gives_better_one(at):
                return at + 2
            other = role & (_OTHER_CLAUSE | WordRole.THAN | WordRole.EXCEPTS)
            if word == "of" or (other and not role & (WordRole.NEGATES | WordRole.WINS)):
                return None
            verb_at_the_end = role & WordRole.TAKES and word.endswith(_PASSIVE)
            ponders = role & WordRole.PONDERS and word not in _PHRASE_WORDS
            if role & _BEGIN or ponders or word in _BEGIN_WORDS or verb_at_the_end:
                return at
            if not (role & WordRole.GLUE and number < 3):
                return (
                    self._verb(at)
                    if self.first in _PHRASE_WORDS
                    else None
                    if role & WordRole.GLUE
                    else Polarity.DESCRIBED
                )
        return None

    def _opens_text(self, at: int) -> bool:
        """Whether the text of the choice follows in quotes or brackets: Option B "Use polling"."""
        tokens = self._tokens
        quotes = tokens.words[at] in _QUOTES and at + 1 in self._right and not tokens.spaced[at + 1]
        return tokens.words[at] == "[" or (quotes and tokens.spaced[at])

    def _is_of_a_participle(self, at: int) -> bool:
        """Whether "better" is only said of one thing: "better structured than"."""
        word = self._tokens.word(at + 1)
        compared = self._words[at] == "better" and self._tokens.role(at + 2) & WordRole.THAN
        return bool(compared) and not self._tokens.role(at + 1) and word.endswith(("ed", "en"))

    def _gives_better_one(self, at: int) -> bool:
        """Whether it does the better of the two: "gave the better answer"."""
        if "best" in self._words[at + 1 : min(at + 4, self._right.stop)]:
            return True  # "describes it best"
        good, pick = self._tokens.role(at + 2) & WordRole.GOOD, self._tokens.role(at + 3) & WordRole.PICK
        return self._tokens.word(at + 1) == "the" and at + 3 in self._right and bool(good and pick)

    def _verb(self, start: int) -> int | None:
        """Where a verb says something behind a phrase: "Option A for this team is risky"."""
        verbs = WordRole.IS | WordRole.SHOULD | WordRole.WOULD | WordRole.COULD
        return next((at for at in range(start, self._right.stop) if self._roles[at] & verbs), None)

    def _value(self, at: int, first: bool) -> int:
        """1 for a word that speaks for the choice, -1 for one that speaks against it."""
        role = 0 if self._is_of_a_participle(at) else self._roles[at]
        passive = self._words[at].endswith(_PASSIVE) or first or self._tokens.absorbed[at]
        good = (
            self._is_more(at)
            or role & (WordRole.GOOD | WordRole.WINS)
            or (role & WordRole.TAKES and passive)
            or (role & WordRole.PICK and (first or self._is_made_by_speaker(at)))
        )
        bad = role & (WordRole.BAD | WordRole.REFUSES | WordRole.LOSES)
        return bool(good) - bool(bad)

    def _is_made_by_speaker(self, at: int) -> bool:
        """Whether the speaker makes the decision that it is called: "is the decision I'd make"."""
        behind = self._tokens.roles_in(range(at + 1, self._right.stop))
        verb = self._tokens.role(at + 1) & WordRole.FIRST and not behind & _NOT_MADE
        return bool(verb) and self._tokens.word(at - 1) == "the"

    def _is_more(self, at: int) -> bool:
        """Whether it is called the more or most of something: "is the more maintainable path"."""
        words, roles = self._words, self._roles
        if words[at] not in ("more", "most") or words[at - 1] != "the" or at + 2 >= self._right.stop:
            return False
        plain = not roles[at + 1] & ~WordRole.PRUDENT and words[at + 1] not in _NOT_PRAISE
        return plain and bool(roles[at + 2] & WordRole.PICK)

    def _judged(self, value: int, at: int, negations: int, soft: bool, first: bool) -> Polarity:
        if value < 0:
            return Polarity.OPEN if negations % 2 or soft else Polarity.TURNED_DOWN
        if negations % 2 or self._gets_a_no(at):
            return Polarity.TURNED_DOWN
        later = range(at + 1, self._right.stop)
        if self._was_so(at) or self._wins_something(at):
            return Polarity.OPEN
        if self._is_elsewhere(later) or "until" in self._words[at : self._right.stop]:
            return Polarity.OPEN
        if (
            self._is_denied(later)
            or self._is_fought(at, later)
            or self._tokens.roles_in(later) & WordRole.LOSES
        ):
            return Polarity.OPEN
        by_others = (
            self._tokens.roles_in(later) & WordRole.OTHERS and "by" in self._words[at : self._right.stop]
        )
        if by_others or soft:
            return Polarity.OPEN
        return Polarity.TAKEN if first else Polarity.FAVOURED

    def _is_denied(self, later: range) -> bool:
        """Whether a relative clause with a negation follows: "is the one that doesn't work"."""
        words = self._words
        relative = next((at for at in later if words[at] in _RELATIVE), later.stop)
        return bool(self._tokens.roles_in(range(relative, later.stop)) & WordRole.NEGATES)

    def _gets_a_no(self, at: int) -> bool:
        """Whether what the choice gets speaks against it: "Option A gets a no from me"."""
        against = WordRole.NEGATES | WordRole.REFUSES | WordRole.BAD
        got = self._tokens.roles_in(range(at + 1, min(at + 4, self._right.stop)))
        return self._words[at] in _GETS and bool(got & against)

    def _is_elsewhere(self, later: range) -> bool:
        """Whether it holds for something else: "is the better answer to a different question"."""
        words = self._words[later.start : later.stop]
        return any(
            word in ("different", "another") and near[-1:] and near[-1] in _ELSEWHERE
            for word, near in ((words[n], words[n + 1 : n + 2]) for n in range(len(words)))
        )

    def _was_so(self, at: int) -> bool:
        """Whether it is told how it has been until now: "has always been my favourite"."""
        words = self._words[self._right.start : at]
        return (
            "been" in words
            and bool({"has", "had", "have"} & {*words})
            and not self._roles[at] & WordRole.TAKES
        )

    def _wins_something(self, at: int) -> bool:
        """Whether it wins something else than the comparison: "would win a beauty contest"."""
        return self._words[at] in ("win", "wins", "won") and self._tokens.word(at + 1) in ("a", "an")

    def _is_fought(self, at: int, later: range) -> bool:
        """Whether "the one" is followed by an act of the speaker against it: "the one I'd fight"."""
        words = self._words
        against = self._tokens.roles_in(later) & (WordRole.REFUSES | WordRole.BAD)
        fought = against or not _FIGHTING.isdisjoint(words[later.start : later.stop])
        return words[at : at + 2] == ["the", "one"] and bool(fought)

    def _unjudged(self, told: bool) -> Polarity:
        """A bare "is not" turns down; other negations leave it open."""
        if not told:
            return Polarity.DESCRIBED
        return Polarity.TURNED_DOWN if all(self._roles[at] & _BARE for at in self._said()) else Polarity.OPEN
