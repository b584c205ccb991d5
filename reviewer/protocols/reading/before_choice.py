"""What stands before a choice in its clause: who speaks, which verb governs it, how often it is negated."""

from typing import Final

from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.tokens import ReplyTokens

MOST_BEFORE: Final = 40
"""How many words before a choice are looked at."""
_SPEAKER: Final = frozenset(("i", "we", "i'd", "i'll"))
_SAYS: Final = frozenset(("said", "say", "wrote", "stated", "rate", "rated", "judge", "judged"))
_THINKS: Final = frozenset(("find", "think", "believe", "conclude", "estimate", "expect", "guess", "reckon"))
_DETERMINERS: Final = frozenset(
    ("no", "without", "kein", "keine", "sin", "sans", "ohne", "aucun", "aucune", "geen")
)
_TO: Final = frozenset(("to", "zu", "à", "a", "到"))
_SKIPPED: Final = frozenset(('"', "“", "the", "'"))
_EARLY: Final = frozenset(
    (
        *(
            "initial",
            "initially",
            "original",
            "originally",
            "previous",
            "previously",
            "earlier",
            "preliminary",
        ),
        *("tentative", "provisional", "second", "other", "alternative", "next", "backup", "fallback"),
        *("zunächst", "anfangs", "d'abord", "inicialmente"),
    )
)
_LEAVES: Final = frozenset(
    ("leave", "leaving", "let", "put", "set", "turn", "rule", "ruling", "cross", "strike", "lay")
)
_PRONOUNS: Final = frozenset(("he", "she", "they"))
_PERSONS: Final = _PRONOUNS | {"i", "we", "you", "i'd", "we'd", "i'll", "we'll", "you'd"}
_THEIRS: Final = frozenset(("their", "his", "her"))
_NOT_THEIRS: Final = frozenset(("it's", "that's", "here's", "there's", "what's", "let's", "today's", "one's"))
_PLAIN: Final = WordRole.GLUE | WordRole.SO | WordRole.BUT | WordRole.IS | WordRole.JOINS | WordRole.WOULD
_COLONS: Final = frozenset((":", "："))
_TURNING: Final = WordRole.NEGATES | WordRole.EXCEPTS | WordRole.REFUSES | WordRole.BAD
_SPEAKERS: Final = WordRole.FIRST | WordRole.OTHERS
_VERBS: Final = WordRole.TAKES | WordRole.SPEAKS | WordRole.LEANS | WordRole.WOULD | WordRole.PONDERS


class BeforeChoice:
    """The words before a choice, back to the choice before it or to the beginning of its clause."""

    def __init__(self, tokens: ReplyTokens, clause_start: int, left: range, carried: bool) -> None:
        self._tokens, self._left = tokens, left
        reach = self._reach(clause_start)
        self.places, self.roles = reach[::-1], tokens.roles_in(reach)
        self._near = next((at for at in reversed(left) if tokens.words[at] not in _SKIPPED), -1)
        """The nearest place that is not an article or a quotation mark, or -1."""
        turns = sum(map(self._turns, self.places)) if self.roles & _TURNING else 0
        self._negations = carried + turns
        self.speaker = self._speaker() if self.roles & _SPEAKERS else ""
        """Who does what the verb says: "first" for the reply itself, "others", or ""."""

    def _reach(self, clause_start: int) -> range:
        """The words back to a colon that ends a clause of its own."""
        reach, words = self._left[-MOST_BEFORE:], self._tokens.words
        if _COLONS.isdisjoint(words[reach.start : reach.stop]):
            return reach
        colons = [at for at in reach if words[at] in _COLONS and at - clause_start > 3]
        return range(colons[-1] + 1, reach.stop) if colons else reach

    def last(self, role: int) -> int:
        """The nearest place of a role, or -1."""
        if not self.roles & role:
            return -1
        return next(at for at in self.places if self._tokens.roles[at] & role)

    @property
    def near_role(self) -> int:
        """The roles of the nearest word."""
        return self._tokens.roles[self._near] if self._near >= 0 else 0

    @property
    def adjacent_role(self) -> int:
        """The roles of the word right before the choice."""
        return self._tokens.roles[self._left[-1]] if self._left else 0

    @property
    def is_plain(self) -> bool:
        """Whether no word stands here that says something."""
        return all(
            self._tokens.roles[at] & _PLAIN or not self._tokens.words[at][0].isalnum() for at in self.places
        )

    @property
    def is_subject(self) -> bool:
        """Whether only a person stands here who does what the choice says: "so she would …"."""
        words, roles = self._tokens.words, self._tokens.roles
        return all(
            words[at] in _PERSONS or roles[at] & _PLAIN or not words[at][0].isalnum() for at in self.places
        )

    @property
    def ends_in_to(self) -> bool:
        """Whether only "to" stands between two choices."""
        return self._near >= 0 and self._tokens.words[self._near] in _TO and self.is_plain

    @property
    def is_presented(self) -> bool:
        """Whether a colon stands right before the choice, but for one sign or word."""
        return any(self._tokens.words[at] in (":", "：") for at in self._left[-2:])

    @property
    def is_negated(self) -> bool:
        """Whether an odd number of words turns the choice down."""
        return self._negations % 2 == 1

    @property
    def leaves_only(self) -> bool:
        """Whether two negations leave only this choice: "it would be wrong not to choose A"."""
        if self._negations != 2:
            return False
        wrong_not_to = 0 <= self.last(WordRole.BAD) < self.last(WordRole.NEGATES)
        return wrong_not_to or bool(self.roles & WordRole.EXCEPTS)

    def _turns(self, at: int) -> int:
        role, word = self._tokens.roles[at], self._tokens.words[at]
        own_object = word in _DETERMINERS and self._follows_and(at) and self._has_object(at)
        negates = role & WordRole.NEGATES and not own_object
        take = self.last(WordRole.TAKES)
        other_verb = take > at and not self._tokens.words[take].endswith("ing")
        refuses = role & WordRole.REFUSES and not other_verb
        bad = role & WordRole.BAD and not role & WordRole.GOOD
        return bool(role & WordRole.EXCEPTS) + bool(negates) + bool(refuses) + bool(bad)

    def _follows_and(self, at: int) -> bool:
        """Whether a "no" only goes on with a list: "fresh food and no empty shelves"."""
        before = self._tokens.words[at - 1] if at > self._left.start else ""
        return self._tokens.words[at] not in ("no", "kein", "keine") or before in (
            "and",
            "or",
            ",",
            "with",
            "und",
        )

    def _has_object(self, at: int) -> bool:
        """Whether a "no" belongs to a noun of its own, not to the choice."""
        return any(
            not self._tokens.roles[near] and self._tokens.words[near][0].isalnum()
            for near in self.places
            if near > at
        )

    def _speaker(self) -> str:
        verb, said, speaker = False, False, ""
        for at in self.places:
            role = self._tokens.roles[at]
            verb = verb or bool(role & _VERBS and not role & WordRole.FIRST)
            said = said or bool(role & (_VERBS & ~WordRole.WOULD))
            if self._is_other(at, said) and verb and not speaker:
                speaker = "others"
            if speaker == "others" and role & (WordRole.TAKES | WordRole.SPEAKS) and self._is_own(at):
                speaker = "first"
            if role & WordRole.FIRST and not speaker:
                speaker = "first"
        return speaker

    def _is_other(self, at: int, said: bool) -> bool:
        """Whether a word names other people; a pronoun does only before a verb of saying or choosing."""
        role = self._tokens.roles[at]
        if not role & WordRole.OTHERS or role & WordRole.PRUDENT:
            return False
        return said or self._tokens.words[at] not in _PRONOUNS

    def _is_own(self, at: int) -> bool:
        """Whether the reply itself says what others do: "I'd say she will …"."""
        word = self._tokens.words[at]
        return word.startswith("i'") or (at > self._left.start and self._tokens.words[at - 1] in _SPEAKER)

    @property
    def is_others_view(self) -> bool:
        """Whether other people say it, and not as a rule or an example to follow."""
        roles = self.roles
        rule = not roles & WordRole.SPEAKS and (
            roles & WordRole.SHOULD or (roles & WordRole.PRUDENT and roles & WordRole.WOULD)
        )
        judged = roles & WordRole.IS and roles & (WordRole.GOOD | WordRole.PICK)
        return self._is_others_pick() or (self.speaker == "others" and not rule and not judged)

    def _is_others_pick(self) -> bool:
        """Whether it is somebody else's decision: "the manager's choice is"."""
        words = self._tokens.words
        return any(
            self._tokens.roles[at] & WordRole.PICK
            and at > self._left.start
            and (
                words[at - 1] in _THEIRS
                or (words[at - 1].endswith("'s") and words[at - 1] not in _NOT_THEIRS)
            )
            for at in self._left
        )

    @property
    def takes(self) -> bool:
        """Whether a verb takes the choice."""
        if self.roles & (WordRole.TAKES | WordRole.MOVES):
            return True
        return self.speaker == "first" and any(self._tokens.words[at] in _SAYS for at in self._left)

    @property
    def thinks(self) -> bool:
        """Whether a verb of thinking leads to what follows: "I find that …"."""
        return any(self._tokens.words[at] in _THINKS for at in self.places)

    @property
    def is_soft(self) -> bool:
        """Whether the choice is only one possibility: "you could choose"."""
        could = self.last(WordRole.COULD)
        if could >= 0 and self._tokens.word(could + 1) == "only":
            return False
        return could >= 0 and self.last(WordRole.IS | WordRole.PONDERS) <= could

    @property
    def ponders(self) -> bool:
        """Whether the choice was only considered."""
        if not self.roles & WordRole.PONDERS:
            return False
        decided = self.speaker == "first" and self.takes and not self.roles & WordRole.EARLIER
        return not (decided and self.last(WordRole.TAKES) > self.last(WordRole.PONDERS))

    @property
    def leaves(self) -> bool:
        """Whether a verb stands here that turns down with a word behind the choice: "rule Option A out"."""
        return any(self._tokens.words[at] in _LEAVES for at in self.places)

    @property
    def is_earlier(self) -> bool:
        """Whether the choice is called a second or an earlier one."""
        if not self.roles & WordRole.EARLIER:
            return False
        return not self.takes or any(self._tokens.words[at] in _EARLY for at in self.places)
