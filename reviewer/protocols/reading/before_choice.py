"""What stands before a choice in its clause: who speaks, which verb governs it, how often it is negated."""

from typing import Final

from reviewer.protocols.reading.clauses import POSTPOSED
from reviewer.protocols.reading.naming_words import ORDINALS, words_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens
from reviewer.protocols.reading.roles import WordRole

MOST_BEFORE: Final = 40
"""How many words before a choice are looked at."""
_SPEAKER: Final = frozenset(("i", "we", "i'd", "i'll"))
_SAYS: Final = frozenset(("said", "say", "wrote", "stated", "rate", "rated", "judge", "judged"))
_THINKS: Final = frozenset(("find", "think", "believe", "conclude", "estimate", "expect", "guess", "reckon"))
_DETERMINERS: Final = words_of("no without kein keine sin sans ohne aucun aucune geen")
_OTHERS_BEFORE: Final = frozenset(("those", "them", "these", "others"))
_DEEDS: Final = frozenset(("gave", "set", "paid", "bid", "kept", "put", "spent", "sold"))
_TO: Final = frozenset(("to", "zu", "à", "a", "到"))
_SKIPPED: Final = frozenset(('"', "“", "the", "'", "$", "€", "£"))
_EARLY: Final = words_of(
    """
    initial initially original originally previous previously earlier preliminary tentative provisional
    second other alternative next backup fallback zunächst anfangs d'abord inicialmente
    """
)
_BEFORE_MINE: Final = frozenset(("of", "before", "above", "unlike", "than"))
"""Before "mine" or "me", these tell who else speaks: "a friend of mine", "the judge before me"."""
_PAST: Final = frozenset(("chose", "took", "went"))
_SUBJECT_STARTS: Final = frozenset(("the", "a", "an", "this", "that", "every", "each", "his", "her", "their"))
_NI: Final = frozenset(("ni", "né", "nem"))
_NE: Final = frozenset(("ne", "n'"))
_PAS: Final = frozenset(("pas", "jamais", "plus", "aucun", "aucune", "point", "guère"))
_ALMOST: Final = frozenset(("almost", "nearly"))
_MOST_PEOPLE: Final = frozenset(("most", "many", "some", "others", "people", "everybody", "everyone"))
_LIKING: Final = frozenset(("like", "liked", "love", "loved", "trust", "enjoyed", "value"))
_RANKS: Final = frozenset(("place", "prize", "rank", "favourite", "favorite", "thought", "try", "in", "on"))
_ADJECTIVES: Final = words_of("second other next alternative common popular usual default draft remaining")
_LEAVES: Final = words_of("leave leaving let put set turn rule ruling cross strike lay")
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
        self._words, self._roles = tokens.words, tokens.roles
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
        reach, words = self._left[-MOST_BEFORE:], self._words
        if _COLONS.isdisjoint(words[reach.start : reach.stop]):
            return reach
        colons = [at for at in reach if words[at] in _COLONS and at - clause_start > 3]
        return range(colons[-1] + 1, reach.stop) if colons else reach

    def last(self, role: int) -> int:
        """The nearest place of a role, or -1."""
        if not self.roles & role:
            return -1
        return next(at for at in self.places if self._roles[at] & role)

    @property
    def near_role(self) -> int:
        """The roles of the nearest word."""
        return self._roles[self._near] if self._near >= 0 else 0

    @property
    def adjacent_role(self) -> int:
        """The roles of the word right before the choice."""
        return self._roles[self._left[-1]] if self._left else 0

    @property
    def is_plain(self) -> bool:
        """Whether no word stands here that says something."""
        return all(
            self._roles[at] & _PLAIN or self._words[at] in POSTPOSED or not self._words[at][0].isalnum()
            for at in self.places
        )

    @property
    def is_subject(self) -> bool:
        """Whether only a person stands here who does what the choice says: "so she would …"."""
        words, roles = self._words, self._roles
        return all(
            words[at] in _PERSONS or roles[at] & _PLAIN or not words[at][0].isalnum() for at in self.places
        )

    @property
    def ends_in_to(self) -> bool:
        """Whether only "to" stands between two choices."""
        return self._near >= 0 and self._words[self._near] in _TO and self.is_plain

    @property
    def is_subordinate(self) -> bool:
        """Whether "that" leads from a verb of saying to a sentence about the choice."""
        verb = self._roles[self._near - 1] if self._near > self._left.start else 0
        says = verb & WordRole.SPEAKS or (self._near > 0 and self._words[self._near - 1] in _SAYS | _THINKS)
        return self._near >= 0 and self._words[self._near] == "that" and bool(says)

    @property
    def is_presented(self) -> bool:
        """Whether a colon stands right before the choice, but for one sign or word."""
        return any(self._words[at] in (":", "：") for at in self._left[-2:])

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
        role, word = self._roles[at], self._words[at]
        if word in POSTPOSED or (word in _NE and self._says_pas()) or self._repeats(at):
            return False
        own_object = word in _DETERMINERS and self._follows_and(at) and self._has_object(at)
        negates = role & WordRole.NEGATES and not own_object
        take = self.last(WordRole.TAKES)
        other_verb = take > at and not self._words[take].endswith("ing")
        refuses = role & WordRole.REFUSES and not other_verb
        bad = role & WordRole.BAD and not role & WordRole.GOOD
        excepts = role & WordRole.EXCEPTS and not self._excepts_others(at)
        return bool(excepts) + bool(negates) + bool(refuses) + bool(bad)

    def _repeats(self, at: int) -> bool:
        """Whether a negation only agrees with one before it: "no elegiría ni la 2"."""
        near = range(self._left.start, at)
        return self._words[at] in _NI and bool(self._tokens.roles_in(near) & WordRole.NEGATES)

    def _says_pas(self) -> bool:
        """Whether another word finishes a French negation: "je ne recommande pas"."""
        return any(self._words[at] in _PAS for at in self.places)

    def _excepts_others(self, at: int) -> bool:
        """Whether only what was named before is excepted: "compared with those I would take …"."""
        after = next((near for near in range(at + 1, self._left.stop) if not self._tokens.absorbed[near]), -1)
        return after >= 0 and self._words[after] in _OTHERS_BEFORE

    def _follows_and(self, at: int) -> bool:
        """Whether a "no" only goes on with a list: "fresh food and no empty shelves"."""
        before = self._words[at - 1] if at > self._left.start else ""
        return self._words[at] not in ("no", "kein", "keine") or before in (
            "and",
            "or",
            ",",
            "with",
            "und",
        )

    def _has_object(self, at: int) -> bool:
        """Whether a "no" belongs to a noun of its own, not to the choice."""
        return any(
            not self._roles[near] and self._words[near][0].isalnum() for near in self.places if near > at
        )

    def _speaker(self) -> str:
        verb, said, speaker = False, False, ""
        for at in self.places:
            role = self._roles[at]
            verb = verb or bool(role & _VERBS and not role & WordRole.FIRST)
            said = said or bool(role & (_VERBS & ~WordRole.WOULD))
            if self._is_other(at, said) and verb and not speaker:
                speaker = "others"
            if speaker == "others" and role & (WordRole.TAKES | WordRole.SPEAKS) and self._is_own(at):
                speaker = "first"
            of_others = at > self._left.start and self._words[at - 1] in _BEFORE_MINE
            hidden = self._tokens.absorbed[at] and role == WordRole.GLUE  # "most teams I know"
            first = role & WordRole.FIRST or (self._words[at] in _SPEAKER and not hidden)
            if first and not speaker and not of_others:
                speaker = "first"
        return speaker

    def _is_other(self, at: int, said: bool) -> bool:
        """Whether a word names other people; a pronoun does only before a verb of saying or choosing."""
        role = self._roles[at]
        if not role & WordRole.OTHERS or role & WordRole.PRUDENT:
            return False
        return said or self._words[at] not in _PRONOUNS

    def _is_own(self, at: int) -> bool:
        """Whether the reply itself says what others do: "I'd say she will …"."""
        word = self._words[at]
        return word.startswith("i'") or (at > self._left.start and self._words[at - 1] in _SPEAKER)

    @property
    def is_others_view(self) -> bool:
        """Whether other people say it, and not as a rule or an example to follow."""
        roles = self.roles
        rule = not roles & WordRole.SPEAKS and (
            roles & WordRole.SHOULD or (roles & WordRole.PRUDENT and roles & WordRole.WOULD)
        )
        judged = roles & WordRole.IS and roles & (WordRole.GOOD | WordRole.PICK)
        return (
            self._is_others_pick()
            or self._is_others_deed()
            or self._is_common_pick()
            or (self.speaker == "others" and not rule and not judged)
        )

    def _is_common_pick(self) -> bool:
        """Whether it is a choice of most people: "the answer that most captains give is"."""
        words = [self._words[at] for at in self.places]
        return not _MOST_PEOPLE.isdisjoint(words) and "that" in words and not self.roles & WordRole.FIRST

    def _is_others_deed(self) -> bool:
        """Whether somebody else is told to have chosen: "The council chose B"."""
        verb = self.last(WordRole.TAKES)
        past = verb > self._left.start and (self._words[verb].endswith("ed") or self._words[verb] in _PAST)
        if (
            not past
            or self._tokens.absorbed[verb]
            or self.roles & (WordRole.IS | WordRole.SHOULD | WordRole.WOULD)
        ):
            return False
        subject = verb - 1
        named = self._tokens.raw[subject][0].isupper() and len(self._tokens.raw[subject]) > 1
        articled = any(
            self._words[at] in _SUBJECT_STARTS for at in range(max(self._left.start, subject - 3), subject)
        )
        noun = self._words[subject].isalpha() and not self._roles[subject]
        return noun and (named or articled)

    def _is_others_pick(self) -> bool:
        """Whether it is somebody else's decision: "the manager's choice is"."""
        words = self._words
        return any(
            self._roles[at] & WordRole.PICK
            and at > self._left.start
            and (
                words[at - 1] in _THEIRS
                or (words[at - 1].endswith("'s") and words[at - 1] not in _NOT_THEIRS)
            )
            for at in self._left
        )

    @property
    def likes(self) -> bool:
        """Whether the speaker likes the choice."""
        liking = any(self._words[at] in _LIKING for at in self.places)
        return liking and bool(self.roles & WordRole.FIRST) and not self.is_negated

    @property
    def is_done_by_many(self) -> bool:
        """Whether people are told to do what the choice says: "most people keep it"."""
        many = self._near >= 0 and self._words[self._near] in _MOST_PEOPLE
        return many and not self.roles & (WordRole.FIRST | WordRole.SHOULD)

    @property
    def takes(self) -> bool:
        """Whether a verb takes the choice."""
        if self.roles & (WordRole.TAKES | WordRole.MOVES):
            return True
        articled = bool(self._left) and self._words[self._left[-1]] == "the"
        return self.speaker == "first" and any(
            self._words[at] in _SAYS and not (articled and self._words[at] == "wrote") for at in self._left
        )

    @property
    def lasts(self) -> bool:
        """Whether something takes or costs what is said: "The foundation takes 15 days"."""
        return (
            self._near >= 0
            and self._words[self._near] in ("take", "takes", "took")
            and (self.speaker != "first" and self._near > self._left.start)
        )

    @property
    def thinks(self) -> bool:
        """Whether a verb of thinking leads to the words behind it: "I find that …"."""
        return any(self._words[at] in _THINKS for at in self.places)

    @property
    def is_thought(self) -> bool:
        """Whether only a verb of thinking leads to the choice: "I think the second"."""
        return self.speaker == "first" and self._near >= 0 and self._words[self._near] in _THINKS

    @property
    def is_deed(self) -> bool:
        """Whether only a verb in the past stands between the speaker and the choice: "I offered $20,000"."""
        at = self._near
        deed = at > self._left.start and (self._words[at].endswith("ed") or self._words[at] in _DEEDS)
        return deed and self._words[at - 1] in _SPEAKER and not self._roles[at]

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
        last = self.last(WordRole.PONDERS)
        if (
            self._tokens.word(last - 1) == "to"
            and last < self.last(WordRole.IS)
            and self.roles & WordRole.PICK
        ):
            return False  # "the choice that is easier to defend is A"
        verb = self.last(WordRole.TAKES)
        if verb > self._left.start and self._words[verb - 1] in _ALMOST:
            return True
        if verb > last and self._ends_right_before(last, verb):
            return True  # "I was about to give it to A"
        decided = self.speaker == "first" and self.takes and not self.roles & WordRole.EARLIER
        return not (decided and self.last(WordRole.TAKES) > self.last(WordRole.PONDERS))

    def _ends_right_before(self, phrase: int, verb: int) -> bool:
        """Whether a phrase that ends in "to" leads to a verb."""
        words, absorbed = self._words, self._tokens.absorbed
        return words[verb - 1] == "to" and all(absorbed[at] for at in range(phrase, verb))

    @property
    def leaves(self) -> bool:
        """Whether a verb stands here that turns down with a word behind the choice: "rule Option A out"."""
        return any(self._words[at] in _LEAVES for at in self.places)

    @property
    def is_earlier(self) -> bool:
        """Whether the choice is called a second or an earlier one."""
        if self._ranks_behind():
            return True
        if not self.roles & WordRole.EARLIER:
            return False
        earlier = [at for at in self.places if self._roles[at] & WordRole.EARLIER and self._qualifies(at)]
        return any(not self.takes or self._words[at] in _EARLY for at in earlier)

    def _ranks_behind(self) -> bool:
        """Whether it is called the second choice or a later one: "3rd choice: C"."""
        words = self._words
        return bool(self.roles & WordRole.PICK) and any(
            ORDINALS.get(words[at], 0) > 1 and self._tokens.role(at + 1) & WordRole.PICK for at in self.places
        )

    def _qualifies(self, at: int) -> bool:
        """Whether a word such as "second" speaks of a choice, and not of "the second paragraph"."""
        after = self._tokens.role(at + 1)
        other_noun = at + 1 < self._left.stop and not after and self._words[at + 1][0].isalpha()
        other_noun = other_noun and self._words[at + 1] not in _RANKS
        return self._words[at] not in _ADJECTIVES or not other_noun
