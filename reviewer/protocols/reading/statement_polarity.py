"""Judges the choices that one statement names."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from reviewer.protocols.reading.before_choice import BeforeChoice
from reviewer.protocols.reading.behind_choice import BehindChoice
from reviewer.protocols.reading.clauses import ClauseCutter, MentionLinks, ReplyClause
from reviewer.protocols.reading.mentions import Mention, MentionKind, Polarity, labels_of, places_of_all
from reviewer.protocols.reading.naming_words import ORDINALS, phrases_of, words_of
from reviewer.protocols.reading.plain_lines import NO_MARK, YES_MARK
from reviewer.protocols.reading.reply_tokens import ReplyTokens
from reviewer.protocols.reading.roles import WordRole, roles_of
from reviewer.protocols.reading.statements import Statement

_VERBS: Final = roles_of("is should would could wins loses")
_PARTICLES: Final = frozenset(("alone", "go", "aside", "out", "behind", "down", "off", "to", "back"))
"""Words behind a choice that finish a verb before it: "leave Option A alone"."""
_YES: Final = words_of("yes chosen selected accepted ja oui sí my")
_PRAISED: Final = words_of("recommended preferred best winner favourite favorite")
_NO: Final = words_of("no false wrong rejected nein non not nope never fallback discarded")
_ASKING: Final = frozenset(("ask", "asked", "want", "wanted", "would", "wish", "wished"))
_MARKS: Final = frozenset((YES_MARK, NO_MARK))
_PRONOUN_IS: Final = frozenset(("it's", "that's", "he's", "she's", "is"))
_QUOTES: Final = frozenset(('"', "”", "'"))
_TELLING: Final = words_of("said says argues argued claims claimed thinks insists wrote writes believes")
_SELF: Final = frozenset(("i", "we", "so", "it", "that", ":", ".", "\n"))
_THAT_WAS: Final = phrases_of("that was; it was; this was")
_QUOTATION: Final = frozenset(('"', "“", "”"))
_EARLY: Final = phrases_of("initially; originally; anfangs; zunächst; inicialmente")
_MORE: Final = frozenset(("more", "less", "fewer", "higher", "lower", "larger", "smaller", "greater"))
_WORSE: Final = frozenset(("worse", "weaker"))
_AROUND_WORDS: Final = frozenset((",", '"', "“", "”", "'", "‘", "’"))
_MERELY: Final = words_of("just only merely simply basically essentially really still")
_LISTING: Final = frozenset((",", ".", "and", "or", "nor", "the", "option"))
_MOST_OF_A_SOURCE: Final = 10
_SHORTEST: Final = 3
_COMPARING: Final = WordRole.WINS | WordRole.LOSES | WordRole.EXCEPTS | WordRole.THAN
_OWN_VERBS: Final = _VERBS | WordRole.FIRST | WordRole.TAKES | WordRole.SO | WordRole.BUT
_INSTRUCTING: Final = phrases_of(
    """
    respond with; answer with; reply with; rate the; rate each; explain briefly; explain your; give an;
    state your; output either; output only; please respond; please answer; please select
    """
)
"""How an instruction begins that is repeated."""
_THEREFORE: Final = words_of("therefore thus hence so")
_ENDING: Final = words_of("ends ended closes begins starts opens concludes finishes")
_MOST: Final = words_of("more most best better")
_PLAIN_NOT: Final = frozenset(("not", "nicht", "pas", "no", "不是", "than"))


class StatementPolarity:
    """Judges the mentions of one statement."""

    def __init__(self, tokens: ReplyTokens, statement: Statement, mentions: Sequence[Mention]) -> None:
        self._tokens, self._statement, self._mentions = tokens, statement, mentions
        self._words, self._roles = tokens.words, tokens.roles
        self._links = MentionLinks(tokens)
        self._inside = places_of_all(mentions)

    def judged(self) -> list[Mention]:
        """Each mention of the statement with its polarity, in their order."""
        if not self._mentions:
            return []
        judged = self._by_clause()
        words = self._words[self._statement.start : self._statement.end]
        if NO_MARK in words and YES_MARK in words:
            return [replace(each, polarity=self._marked(each)) for each in judged]
        if len(_MARKS.intersection(words)) == 1 and (beside := self._beside_mark(judged)) is not None:
            return [replace(each, polarity=beside) for each in judged]
        if NO_MARK in words:
            return [replace(each, polarity=Polarity.TURNED_DOWN) for each in judged]
        if YES_MARK in words and len(labels_of(judged)) == 1:
            return [
                replace(each, polarity=Polarity.TAKEN) if each.polarity > Polarity.OPEN else each
                for each in judged
            ]
        if self._statement.asked:
            return self._asked(judged)
        if self._tells_question(judged) or self._instructs():
            return [replace(each, polarity=Polarity.OPEN) for each in judged]
        return judged

    def _asked(self, judged: Sequence[Mention]) -> list[Mention]:
        """A question leaves open what it names, but for "Why B?", and "B, because who knows better?"."""
        words, start = self._words, self._statement.start
        said = [word for word in words[start : self._statement.end] if word[0].isalnum()]
        inside = {words[at] for at in self._inside}
        if said[0] == "why" and {*said[1:]} <= inside:
            return [replace(each, polarity=Polarity.TAKEN) for each in judged]
        reason = next((at for at in self._statement.places if self._roles[at] & WordRole.SINCE), start)
        return [
            each
            if each.end <= reason and each.polarity is Polarity.FRAGMENT
            else replace(each, polarity=Polarity.OPEN)
            for each in judged
        ]

    def _beside_mark(self, judged: Sequence[Mention]) -> Polarity | None:
        """What the only mark of a statement says right beside the only choice: "Option B ☑ – fails early"."""
        words, places = self._words, self._statement.places
        marks = [at for at in places if words[at] in _MARKS]
        if len(marks) != 1 or len(labels_of(judged)) != 1:
            return None
        mention = judged[0]
        if marks[0] not in (mention.start - 1, mention.end):
            return None
        return Polarity.TAKEN if words[marks[0]] == YES_MARK else Polarity.TURNED_DOWN

    def _tells_question(self, judged: Sequence[Mention]) -> bool:
        """Whether it tells what was asked, with several choices: "You want to know whether A or B"."""
        first = self._words[self._statement.start : self._statement.start + 2]
        asks = first[0] == "you" and first[-1] in _ASKING
        return asks and len(labels_of(judged)) > 1

    def _instructs(self) -> bool:
        """Whether it tells how to answer, as a question does: "Respond with …", "You are asked to …"."""
        words = self._words
        said = [at for at in self._statement.places if words[at][0].isalnum()][:_SHORTEST]
        lead = [words[at] for at in said]
        if self._statement.region:
            return False
        asked = lead[:2] == ["you", "are"] and lead[2:] in (["asked"], ["told"], ["given"])
        return asked or lead[:2] in _INSTRUCTING

    def _marked(self, mention: Mention) -> Polarity:
        """What the mark of a choice says, where a statement has marks for and against."""
        start, end = self._statement.start, self._statement.end
        first = next(word for word in self._words[start:end] if word[0].isalnum() or word in _MARKS)
        before, after = range(mention.start - 1, start - 1, -1), range(mention.end, end)
        marks = (self._words[at] for at in (before if first in _MARKS else after))
        mark = next((word for word in marks if word in _MARKS), NO_MARK)
        return Polarity.TAKEN if mark == YES_MARK else Polarity.TURNED_DOWN

    def _by_clause(self) -> list[Mention]:
        judged, carried, dangles = list[Mention](), False, False
        for clause in ClauseCutter(self._tokens, self._statement, self._inside).cut():
            own = [mention for mention in self._mentions if clause.start <= mention.start < clause.end]
            if judged and not own and self._is_said_by_others(clause, judged[-1]):
                judged[-1] = replace(judged[-1], polarity=Polarity.OPEN)
            if judged:
                self._go_on(clause, own, judged)
            carried = carried and not self._tokens.role(clause.start) & (WordRole.SO | WordRole.JOINS)
            carried = carried or (dangles and self._words[clause.start] == ":")
            self._judge_clause(clause, own, judged, carried)
            if own or self._says_something(clause):
                carried, dangles = not own and (carried or dangles), not own and self._dangles(clause)
        return judged

    def _go_on(self, clause: ReplyClause, own: Sequence[Mention], judged: list[Mention]) -> None:
        """Judges a choice again by a clause that goes on about it: "Option A, however tempting, is wrong"."""
        places = [at for at in clause.places if self._words[at][0].isalnum()]
        if not places:
            return
        if judged[-1].polarity is Polarity.FRAGMENT and self._ends_parenthesis(clause, places, judged[-1]):
            judged[-1] = replace(judged[-1], polarity=Polarity.DESCRIBED)
        lead = [self._words[at] for at in places[:_SHORTEST]]
        if lead[0] == "or" and "not" in lead[1:] and not own:
            judged[-1] = replace(judged[-1], polarity=Polarity.OPEN)  # "A, or perhaps not"
        opening = self._words[places[0] : places[0] + 2]
        if opening in _THAT_WAS and self._tokens.roles_in(clause.places) & WordRole.PICK:
            judged[-1] = replace(judged[-1], polarity=Polarity.OPEN)  # "… – that was the plan"
            return
        if self._words[places[0]] in _THEREFORE and len(places) > 1:
            places = places[1:]
        role = self._roles[places[0]]
        asks_back = len(places) == 2 and lead[0].endswith("n't")  # "…, wouldn't you?"
        if not role & _VERBS or role & WordRole.FIRST or asks_back:
            return
        end = own[0].start if own else clause.end
        said = BehindChoice(self._tokens, range(places[0], end)).polarity() if places[0] < end else None
        new_subject = self._words[clause.start] != "," and self._words[places[0]] in _PRONOUN_IS
        if said is Polarity.DESCRIBED and (own or new_subject or judged[-1].polarity > Polarity.FRAGMENT):
            return
        if said is not None:
            judged[-1] = replace(judged[-1], polarity=said)

    def _ends_parenthesis(self, clause: ReplyClause, places: Sequence[int], before: Mention) -> bool:
        """Whether a verb goes on behind what stands between commas: "Option A, for its part, costs …"."""
        words, start = self._words, before.end
        apart = words[start] == words[clause.start] == "," and "," not in words[start + 1 : clause.start]
        return apart and clause.start > start and words[places[0]].endswith("s") and len(places) > 1

    def _is_said_by_others(self, clause: ReplyClause, before: Mention) -> bool:
        """Whether a clause names the speaker of the words before it: "…, says the manager"."""
        lead = clause.start + (not self._words[clause.start][0].isalnum())
        if self._tokens.word(lead) in _TELLING and self._tokens.word(lead + 1) not in _SELF:
            return True
        if before.polarity not in (Polarity.FRAGMENT, Polarity.HEADING):
            return False
        roles = 0 if clause.condition else self._tokens.roles_in(clause.places[:_MOST_OF_A_SOURCE])
        return bool(roles & WordRole.SPEAKS and roles & WordRole.OTHERS)

    def _says_something(self, clause: ReplyClause) -> bool:
        return any(self._words[at][0].isalnum() for at in clause.places)

    def _dangles(self, clause: ReplyClause) -> bool:
        """Whether a clause without a choice ends in a negation whose verb comes later."""
        roles = [self._roles[at] for at in clause.places if self._words[at][0].isalnum()]
        if len(roles) < 2:
            return bool(roles) and self._words[clause.end - 1] in ("don't", "never", "not")
        modal = roles[-2] & WordRole.NEGATES and roles[-1] & (
            WordRole.WOULD | WordRole.SHOULD | WordRole.COULD
        )
        negates = roles[-1] & WordRole.NEGATES and self._words[clause.end - 1] != "no"
        return bool(negates or modal)

    def _judge_clause(
        self, clause: ReplyClause, own: list[Mention], judged: list[Mention], carried: bool
    ) -> None:
        """Adds the mentions of one clause."""
        for number, mention in enumerate(own):
            start = own[number - 1].end if number else clause.start
            left, right = range(start, mention.start), self._links.behind(clause, own, number)
            relation = self._links.relation(left) if number else ""
            same = relation and judged[-1].label == mention.label
            if (
                same
                or (judged and not number and self._links.adds_another(left))
                or (number and (self._links.are_joined(left) or self._links.goes_on(left)))
            ):
                joined = judged[-1].label != mention.label
                judged.append(mention.judged(judged[-1].polarity, joined))
            elif number and self._is_said_or_chosen(own[0].end, left):
                judged.append(mention.judged(Polarity.OPEN))
            elif relation:
                _relate(judged, mention, relation)
            else:
                previous = judged[-1] if number else None
                polarity = self._polarity(clause, mention, left, right, previous, carried)
                if (
                    judged
                    and not number
                    and polarity is Polarity.FRAGMENT
                    and self._continues(judged[-1], clause)
                ):
                    polarity = Polarity.OPEN
                if judged and not number and self._goes_on_with_others(judged[-1], left):
                    polarity = min(polarity, Polarity.OPEN)
                judged.append(mention.judged(_in_clause(clause, polarity)))

    def _goes_on_with_others(self, before: Mention, left: range) -> bool:
        """Whether others are told to choose otherwise, without another verb: "many choose A, and some B"."""
        roles = self._tokens.roles_in(left)
        return before.polarity is Polarity.OPEN and bool(roles & WordRole.OTHERS) and not roles & _OWN_VERBS

    def _is_said_or_chosen(self, at: int, left: range) -> bool:
        """Whether a choice says or chooses another one: "Answer A says …", "Assistant A selected (C)"."""
        role = self._tokens.role(at)
        if self._tokens.word(at) in _ENDING and self._tokens.word(at + 1) in ("with", "in", "by"):
            return True
        chooses = role & WordRole.TAKES and not self._tokens.roles_in(left) & _COMPARING
        return bool(role & WordRole.SPEAKS or (chooses and not self._tokens.absorbed[at]))

    def _continues(self, before: Mention, clause: ReplyClause) -> bool:
        """Whether a bare name only goes on with a list of choices that a verb turned down."""
        if before.polarity > Polarity.OPEN or before.end < clause.start - 1:
            return False
        tokens = self._tokens
        if any(at not in self._inside and tokens.words[at] not in _LISTING for at in clause.places):
            said = [tokens.words[at] for at in clause.places if tokens.words[at][0].isalnum()]
            return before.polarity is Polarity.OPEN and said[:2] == ["then", "of"]
        lead = range(self._statement.start, before.start)
        several = not {"or", "nor"}.isdisjoint(tokens.words[clause.start : clause.end])
        plain_not = not several and not _PLAIN_NOT.isdisjoint(
            tokens.words[max(lead.start, lead.stop - 2) : lead.stop]
        )
        return not plain_not and not tokens.roles_in(lead) & WordRole.EXCEPTS

    def _polarity(
        self,
        clause: ReplyClause,
        mention: Mention,
        left: range,
        right: range,
        previous: Mention | None,
        carried: bool,
    ) -> Polarity:
        if previous:
            left = range(self._behind_early(left), left.stop)
        before = BeforeChoice(self._tokens, clause.start, left, carried)
        predicate = BehindChoice(self._tokens, right)
        compared = self._compared(clause, before, previous)
        if before.likes and predicate.first in _MOST:
            compared = Polarity.FAVOURED  # "I like the first more"
        if compared is not None:
            return compared
        taken_back = before.takes and predicate.first == "back"
        if taken_back or (before.leaves and predicate.first in _PARTICLES):
            return Polarity.TURNED_DOWN
        of_many = mention.kind <= MentionKind.TEXT and before.is_done_by_many
        if of_many or self._is_only_told(mention, right) or self._is_likened(left, previous):
            return Polarity.OPEN
        said = predicate.polarity()
        against = _against(before, said)
        if against is not None:
            return against
        if previous and said is Polarity.FAVOURED and before.near_role & WordRole.JOINS:
            return said
        several = len(labels_of(self._mentions)) > 1
        only_described = several and said is Polarity.DESCRIBED and before.is_subordinate
        taken = said if only_described else _taken(before, mention, said)
        if taken is not None:
            return taken
        in_words = mention.kind in (MentionKind.PART, MentionKind.TEXT)
        stands = (
            before.is_plain or before.is_presented or before.is_thought or (in_words and before.is_subject)
        )
        if stands and predicate.ends():
            return self._alone(clause, mention, left)
        return Polarity.NAMED

    def _is_only_told(self, mention: Mention, right: range) -> bool:
        """Whether a choice is quoted, offered among others, or called an earlier one."""
        early = self._behind_early(right) > right.start
        return early or self._is_quoted(mention) or self._is_last_of_words(mention)

    def _is_quoted(self, mention: Mention) -> bool:
        """Whether a choice is named within a longer quotation: 'You wrote "most of them chose A"'."""
        words, start = self._words, self._statement.start
        if _QUOTATION.isdisjoint(words[start : mention.start]):
            return False
        quotes = [at for at in range(start, mention.start) if words[at] in _QUOTATION]
        if len(quotes) % 2 and self._is_claim_of_others(quotes[-1], mention.end):
            return True
        if len(quotes) % 2 == 0 or quotes[-1] == start or mention.start - quotes[-1] < 2:
            return False
        told = self._tokens.roles_in(range(max(start, quotes[-1] - 3), quotes[-1]))
        longer = any(words[at][0].isalnum() for at in range(quotes[-1] + 1, mention.start))
        return longer and bool(told & (WordRole.SPEAKS | WordRole.PONDERS | WordRole.OTHERS))

    def _is_claim_of_others(self, opening: int, end: int) -> bool:
        """Whether a sentence goes on about a quotation: 'The comment "A is best" isn't supported'."""
        words, places = self._words, range(end, self._statement.end)
        closing = next((at for at in places if words[at] in _QUOTATION), self._statement.end)
        longer = any(words[at][0].isalnum() for at in range(end, closing))
        own = self._tokens.roles_in(range(self._statement.start, opening)) & (WordRole.FIRST | WordRole.PICK)
        behind = self._tokens.roles_in(range(closing, min(closing + 3, self._statement.end)))
        return longer and not own and bool(behind & WordRole.NEGATES)

    def _is_last_of_words(self, mention: Mention) -> bool:
        """Whether the words that an instruction offers are repeated: "first, second, or tie"."""
        words, at = self._words, mention.start - 1
        while at > self._statement.start and words[at] in _AROUND_WORDS:
            at -= 1
        if at <= self._statement.start or words[at] not in ("or", "/"):
            return False
        at -= 1
        while at > self._statement.start and words[at] in _AROUND_WORDS:
            at -= 1
        return words[at] in ORDINALS and at not in self._inside

    def _is_likened(self, left: range, previous: Mention | None) -> bool:
        """Whether another choice is said to be only this one in other clothes: "C is just B"."""
        words = [word for at in left if (word := self._words[at])[0].isalnum()]
        return previous is not None and words[:1] == ["is"] and not _MERELY.isdisjoint(words)

    def _behind_early(self, places: range) -> int:
        """Where words end that begin a run and call what is before them an earlier choice: "A at first"."""
        start = places.start + (self._tokens.word(places.start) in _QUOTES)
        words = self._words[start : start + 2]
        early = 2 if words == ["at", "first"] else int(words[:1] in _EARLY)
        return start + early if early else places.start

    def _compared(
        self, clause: ReplyClause, before: BeforeChoice, previous: Mention | None
    ) -> Polarity | None:
        """What the place of a choice in a comparison, or in a move, makes of it."""
        tokens = self._tokens
        if previous and (beyond := self._beyond(clause, before, previous)) is not None:
            return beyond
        if previous and previous.polarity <= Polarity.OPEN and self._is_not_as_good(before):
            return Polarity.FAVOURED
        if previous and self._is_as_good(before):
            return Polarity.OPEN
        for at in before.places if before.roles & _COMPARING else ():
            if (beside := self._beside(at, before, previous)) is not None:
                return beside
        if previous and before.ends_in_to:
            lead = tokens.roles_in(range(clause.start, previous.start))
            moves = lead & WordRole.MOVES and not lead & (WordRole.NEGATES | WordRole.REFUSES)
            return Polarity.TAKEN if moves else Polarity.OPEN
        leaves = before.roles & WordRole.FROM and before.roles & WordRole.MOVES
        if leaves and before.adjacent_role & (WordRole.FROM | WordRole.GLUE):
            return Polarity.TURNED_DOWN
        return Polarity.OPEN if before.near_role & WordRole.FROM or before.is_others_view else None

    def _beside(self, at: int, before: BeforeChoice, previous: Mention | None) -> Polarity | None:
        """What a word that compares, at a place before a choice, makes of it; None if nothing."""
        role, word = self._roles[at], self._words[at]
        if previous and role & WordRole.LOSES and self._tokens.word(at + 1) in ("to", "against"):
            return Polarity.FAVOURED
        beaten = previous or not before.roles & WordRole.IS
        if beaten and role & (WordRole.WINS | WordRole.LOSES) and not role & WordRole.TAKES:
            return Polarity.OPEN
        if previous and role & WordRole.EXCEPTS:
            return Polarity.OPEN if previous.polarity is Polarity.TURNED_DOWN else Polarity.TURNED_DOWN
        bounds = role & WordRole.THAN and self._tokens.word(at - 1) in _MORE
        if not previous and (bounds or (role & WordRole.EXCEPTS and word == "more")):
            return Polarity.OPEN
        if role & WordRole.THAN and (previous or not before.roles & WordRole.NEGATES):
            return Polarity.FAVOURED if self._is_worse(previous, before) else Polarity.OPEN
        return None

    def _is_not_as_good(self, before: BeforeChoice) -> bool:
        """Whether the choice before is said to be not as good as this one."""
        words = [self._words[at] for at in before.places[::-1]]
        good = before.roles & WordRole.GOOD and before.roles & WordRole.NEGATES
        return bool(good) and words[-1:] == ["as"] and not {"as", "so"}.isdisjoint(words[:-1])

    def _is_as_good(self, before: BeforeChoice) -> bool:
        """Whether the choice before is said to be as good as this one."""
        words = [self._words[at] for at in before.places[::-1]]
        return words[-1:] == ["as"] and words[-3:-2] == ["as"] and not before.roles & WordRole.NEGATES

    def _beyond(self, clause: ReplyClause, before: BeforeChoice, previous: Mention) -> Polarity | None:
        """What is said of a choice that goes beyond another one: "The only thing worse than A is B"."""
        roles = self._tokens.roles_in(range(clause.start, previous.start))
        if not (before.is_plain and before.roles & WordRole.IS and roles & WordRole.THAN):
            return None
        if roles & WordRole.BAD:
            return Polarity.TURNED_DOWN
        return Polarity.FAVOURED if roles & WordRole.GOOD else None

    def _is_worse(self, previous: Mention | None, before: BeforeChoice) -> bool:
        """Whether the choice before is called worse than this one, and not only riskier or dearer."""
        worse = previous is not None and previous.polarity is Polarity.TURNED_DOWN
        return worse and not _WORSE.isdisjoint(self._words[at] for at in before.places)

    def _alone(self, clause: ReplyClause, mention: Mention, left: range) -> Polarity:
        """A choice that stands as good as alone: at the head of a line about it, or by itself."""
        tokens, at = self._tokens, mention.end
        numbered = left.start == clause.start and tokens.word(left.start).isdigit()
        lead = left[2:] if numbered and tokens.word(left.start + 1) in (".", ")") else left
        if any(tokens.words[place][0].isalnum() for place in lead):
            return Polarity.FRAGMENT
        called = tokens.words[at : at + 3 : 2] == ["(", ")"] and at + 1 not in self._inside  # "Option A (no)"
        if tokens.word(at) == "(":
            close = next(
                (near for near in range(at, min(at + 8, clause.end + 8)) if tokens.word(near) == ")"), at
            )
            at = close + 1 if tokens.word(close + 1) == ":" else at
        heads = at < self._statement.end and tokens.words[at] in (":", "–", "—", "-", "：")
        if heads and tokens.word(at + 1)[0].isdigit() and at + 1 not in self._inside:
            return Polarity.DESCRIBED  # a score
        ends = not tokens.word(at + 2)[0].isalnum()
        if (heads or called) and tokens.word(at + 1) in _YES | _NO and at + 1 in self._inside:
            return Polarity.FRAGMENT  # the text of the choice: "Option 2: No"
        yes = tokens.word(at + 1) in _YES or (ends and tokens.word(at + 1) in _PRAISED)
        if (heads or called) and (yes or self._is_called_own(at)):
            return Polarity.TAKEN
        if (heads or called) and tokens.word(at + 1) in _NO:
            return Polarity.TURNED_DOWN
        first = clause.start == self._statement.start
        return Polarity.HEADING if heads and first else Polarity.FRAGMENT

    def _is_called_own(self, at: int) -> bool:
        """Whether the words behind a heading call it the speaker's choice: "– this is my choice"."""
        behind = range(at + 1, min(at + 6, self._statement.end))
        own = {"my", "mine", "chosen", "selected"}.intersection(self._words[behind.start : behind.stop])
        return bool(own and self._tokens.roles_in(behind) & (WordRole.PICK | WordRole.TAKES)) and not (
            self._tokens.roles_in(behind) & WordRole.NEGATES
        )


def _in_clause(clause: ReplyClause, polarity: Polarity) -> Polarity:
    """A polarity as the clause leaves it: conditions and concessions leave open, reasons do not decide."""
    if clause.condition or clause.concedes:
        return Polarity.OPEN
    if clause.reason and polarity is not Polarity.TURNED_DOWN:
        return Polarity.OPEN if polarity < Polarity.FAVOURED else Polarity.NAMED
    return polarity


def _relate(judged: list[Mention], mention: Mention, relation: str) -> None:
    """Judges two choices with a sign between them: A > B; in a row A > B > C the first one wins."""
    before = judged.pop()
    better, worse = Polarity.TAKEN, Polarity.TURNED_DOWN
    if set(relation) & set("=≈~"):
        pair = Polarity.OPEN, Polarity.OPEN
    elif before.polarity is worse:
        pair = worse, worse
    else:
        pair = (better, worse) if ">" in relation else (worse, better)
    judged += [replace(before, polarity=pair[0]), mention.judged(pair[1])]


def _against(before: BeforeChoice, said: Polarity | None) -> Polarity | None:
    """Turned down or left open by the words around a choice; None if neither."""
    if before.is_negated and said is Polarity.TURNED_DOWN and not before.speaker:
        return Polarity.FAVOURED  # "Not choosing Option A would be irresponsible."
    if before.is_negated:
        return Polarity.OPEN if before.ponders else Polarity.TURNED_DOWN
    if said is Polarity.TURNED_DOWN:
        return said
    if before.ponders or before.is_earlier or (said is Polarity.OPEN and not before.takes):
        return Polarity.OPEN
    return None


def _taken(before: BeforeChoice, mention: Mention, said: Polarity | None) -> Polarity | None:
    """Taken, favoured or only named by the words around a choice; None if they do not tell."""
    firmly = Polarity.NAMED if before.is_soft else Polarity.TAKEN
    if (before.takes and not (before.lasts and mention.kind <= MentionKind.TEXT)) or before.leaves_only:
        return firmly
    if said is Polarity.TAKEN:
        return said
    roles, in_words = before.roles, mention.kind <= MentionKind.TEXT
    if roles & WordRole.IS and roles & (WordRole.PICK | WordRole.GOOD | WordRole.CORRECTS):
        return firmly
    if in_words and roles & WordRole.HAS:
        return Polarity.OPEN
    if _decides(before, mention):
        return firmly
    if _does(before, mention):
        return firmly
    if (
        roles & WordRole.LEANS
        or _is_done(before, mention)
        or said is Polarity.FAVOURED
        or (in_words and roles & WordRole.GOOD)
    ):
        return Polarity.FAVOURED
    return said


def _decides(before: BeforeChoice, mention: Mention) -> bool:
    """Whether somebody whose word counts decides without a verb of choosing: "I would stay at home"."""
    roles, first = before.roles, before.speaker == "first"
    if mention.kind <= MentionKind.TEXT:
        counts = first or roles & (WordRole.SHOULD | WordRole.PRUDENT)
        if counts and roles & (WordRole.WOULD | WordRole.SHOULD | WordRole.GOOD | WordRole.PICK):
            return True
        if (roles & WordRole.IS and roles & WordRole.PRUDENT) or (first and before.thinks):
            return True
    if mention.kind is MentionKind.WORD and first and roles & WordRole.WOULD:
        return True
    own = before.adjacent_role & WordRole.WOULD or (
        mention.kind in (MentionKind.TEXT, MentionKind.PART) and before.adjacent_role & WordRole.FIRST
    )
    return first and bool(own)


def _does(before: BeforeChoice, mention: Mention) -> bool:
    """Whether the reply tells what its speaker did with a choice: "I offered $20,000"."""
    return mention.kind is MentionKind.TEXT and before.speaker == "first" and before.is_deed


def _is_done(before: BeforeChoice, mention: Mention) -> bool:
    """Whether a choice is said to be what somebody of the scenario does: "The shopper would buy …"."""
    does = before.adjacent_role & (WordRole.WOULD | WordRole.SHOULD) and not before.speaker
    return mention.kind is MentionKind.TEXT and bool(does) and not before.roles & WordRole.COULD
