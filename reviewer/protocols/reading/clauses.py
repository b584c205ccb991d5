"""A statement as clauses, each with whether it is a reason, a concession, or hangs on a condition.

And how the choices of a clause are linked: named in one breath, by a sign, or one behind a negation.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.protocols.reading.mentions import Mention
from reviewer.protocols.reading.naming_words import phrases_of, words_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens
from reviewer.protocols.reading.roles import WordRole, roles_of
from reviewer.protocols.reading.statements import Statement

_CUTS: Final = frozenset(",;()–—…、，.；（）|→")
_CONCLUDING: Final = words_of("so therefore thus hence deshalb daher donc 所以 因此")
_AND: Final = frozenset(("and", "und", "et", "y", "e"))
_BUT: Final = frozenset(("but", "however", "aber", "mais", "pero", "ma", "mas", "但", "但是"))
"""What ends a condition. Other words of the kind also stand within a clause: "still", "instead"."""
_FIRM_CONDITIONS: Final = frozenset(("if", "whether", "falls", "wenn", "si", "se"))
"""Others are provisos of a decision: "Option A, provided that legal signs off"."""
_PROVISOS: Final = frozenset(("provided", "providing", "assuming"))
_RELATIVE: Final = frozenset(("that", "which", "who", "and"))
_MAY_CUT: Final = _CUTS | _CONCLUDING | _AND | {"-", ":", "/"}
_CUTTING: Final = WordRole.BUT | WordRole.SINCE | WordRole.CONCEDES | WordRole.IF
_INVERTED: Final = frozenset(("should", "were", "had"))
_IN_MY_PLACE: Final = phrases_of("were i in; were i you")
_ANYBODY: Final = phrases_of("one; someone; somebody")
_FORCED: Final = words_of(
    """
    forced pressed pushed must choose pick decide vote answer commit honest ask asked bet compelled has needs
    """
)
_ASKED_OF_ME: Final = words_of("me mine my")
_WANTING: Final = phrases_of("want; need; insist; require; ask")
_OF_ANSWERS: Final = words_of("letter answer choice decision verdict number pick opinion mine")
_CLOSING_QUOTES: Final = frozenset(('"', "”", "'"))
_FORBIDDING: Final = frozenset(("don't", "never", "avoid"))
_KNOWING: Final = words_of("check verify know tell confirm say see judge")
_TOLD: Final = words_of(
    "says say states suggests implies tells told mentions describes confirms wrote write is does do has are"
)
_HOLDING: Final = words_of("is does has are do so it can")
"""Words that end "and the text says that it is"."""
"""What the text of a question does where it tells that a condition holds."""
_OWN_PLACE: Final = words_of(
    "in on the you your them him her leading running making deciding choosing forced asked pressed to"
)
_OWN_MATTER: Final = frozenset(("my", "our", "up", "me", "down"))
_LEADS_TO_NAME: Final = WordRole.IS | WordRole.TAKES | WordRole.NEGATES | WordRole.EXCEPTS | WordRole.REFUSES
_MOST_BEFORE_COLON: Final = 9
_MOST_IN_BRACKETS: Final = 60
_VERBS: Final = WordRole.IS | WordRole.SHOULD | WordRole.WOULD | WordRole.WINS | WordRole.LOSES
_JOINING: Final = words_of(
    """
    , / & - – the option options answer also either both even to a % € $ ( ) die la el " ' response
    assistant i
    """
)
_BETWEEN: Final = WordRole.JOINS | WordRole.COULD
_SAYING: Final = roles_of("is first so but since takes pick good than excepts negates from leans")
POSTPOSED: Final = frozenset(("ではなく", "じゃなく", "아니라", "아닌", "말고"))
"""Words that turn down what stands before them."""
_SKIPPED: Final = frozenset(("the", "option", '"', "“"))
_VERBS_OF_ONE: Final = (_SAYING & ~WordRole.PICK) | roles_of(
    "should would wins loses refuses bad has if concedes ponders"
)
_JOINS: Final = frozenset(("/", "&", "nor", "-", "–", "vs", "versus", "i"))
_ALTERNATIVES: Final = frozenset(("or", "oder", "ou", "o", "или", "либо", "或", "または"))
_RELATIONS: Final = "<>=≈~"
_AS_WELL: Final = phrases_of("so is; so does; so was; neither is; nor is")


@dataclass(slots=True)
class ReplyClause:
    """A run of tokens without a comma or a conjunction."""

    start: int
    end: int
    reason: bool = False
    concedes: bool = False
    condition: bool = False

    @property
    def places(self) -> range:
        """The tokens of the clause."""
        return range(self.start, self.end)


class ClauseCutter:
    """Cuts one statement into clauses. ``inside`` are the tokens that belong to the name of a choice."""

    def __init__(self, tokens: ReplyTokens, statement: Statement, inside: Collection[int]) -> None:
        self._tokens, self._statement, self._inside = tokens, statement, inside
        self._words, self._roles = tokens.words, tokens.roles

    def cut(self) -> list[ReplyClause]:
        """The clauses in their order."""
        words, roles = self._words, self._roles
        clauses, start = list[ReplyClause](), self._statement.start
        for at in range(start + 1, self._statement.end):
            may_cut = words[at] in _MAY_CUT or roles[at] & _CUTTING
            if may_cut and at not in self._inside and self._cuts(at, start):
                clauses.append(ReplyClause(start, at))
                start = at
        clauses.append(ReplyClause(start, self._statement.end))
        self._mark(clauses)
        return clauses

    def _cuts(self, at: int, start: int) -> bool:
        tokens = self._tokens
        word, role = tokens.words[at], tokens.roles[at]
        if role & WordRole.THAN:  # "A als B"; a condition only at the head of a sentence
            return False
        if word in "()" and self._names_what_is_said(at, start):
            return False
        if (
            word in _CUTS
            or (word == "-" and tokens.spaced[at])
            or (word == "/" and tokens.spaced[at] and at - 1 not in self._inside)
            or (role & WordRole.SO and word in _CONCLUDING)
        ):
            return True
        hides = tokens.absorbed[at] and role & (WordRole.TAKES | WordRole.EXCEPTS)
        if role & _CUTTING and not hides:
            return word != "even" or tokens.absorbed[at]
        after = tokens.role(at + 1) if at + 1 < self._statement.end and at + 1 not in self._inside else 0
        if word in _AND:
            return bool(after & (WordRole.FIRST | WordRole.SO)) or self._begins_sentence(at + 1, start)
        if word == ":":
            says_no = at - start == 1 and tokens.roles[start] & WordRole.NEGATES
            depends = says_no or tokens.roles[start] & (WordRole.IF | WordRole.CONCEDES | WordRole.SINCE)
            return at - start > _MOST_BEFORE_COLON or bool(depends or after & WordRole.FIRST)
        return False

    def _names_what_is_said(self, at: int, start: int) -> bool:
        """Whether brackets hold the choice that is said before them: "Don't write a note (B)"."""
        words, opening = self._words, at
        if words[at] == ")":
            first = max(start, at - _MOST_IN_BRACKETS)
            opening = next((near for near in range(at, first, -1) if words[near] == "("), first)
        closing = opening + 1
        while closing in self._inside:
            closing += 1
        if closing == opening + 1 or self._tokens.word(closing) != ")":
            return False
        if words[at] == ")" and self._tokens.role(at + 1) & _VERBS:
            return True
        said = opening - 1 - (words[opening - 1] in _CLOSING_QUOTES)
        lead = words[start : start + 2]
        forbids = lead[0] in _FORBIDDING or lead[-1] in _FORBIDDING or lead == ["do", "not"]
        leads = self._tokens.role(said) & _LEADS_TO_NAME and said >= start
        told = range(start, opening)
        negates = self._tokens.roles_in(told) & WordRole.NEGATES and not any(
            near in self._inside or words[near] in _RELATIVE for near in told
        )
        return said in self._inside or bool(leads) or bool((forbids or negates) and start < opening)

    def _begins_sentence(self, at: int, start: int) -> bool:
        """Whether a choice with a verb of its own follows one with another: "A is dear and B is slow"."""
        tokens, end = self._tokens, self._statement.end
        while at < end and tokens.words[at] in ("the", "option"):
            at += at not in self._inside or 1
        if at not in self._inside and at - 1 not in self._inside:
            return False
        while at < end and at in self._inside:
            at += 1
        before = any(
            near in self._inside and near + 1 not in self._inside and tokens.roles[near + 1] & _VERBS
            for near in range(start, at - 2)
        )
        return before and at < end and bool(tokens.roles[at] & _VERBS)

    def _mark(self, clauses: list[ReplyClause]) -> None:
        tokens = self._tokens
        inverted = not self._statement.asked and tokens.word(self._statement.start) in _INVERTED
        conditional = inverted and tokens.words[self._statement.start :][:3] not in _IN_MY_PLACE
        for number, clause in enumerate(clauses):
            roles = self._lead(clause)
            conditional = conditional and tokens.words[clause.start] not in _BUT
            clause.reason, clause.concedes = bool(roles & WordRole.SINCE), bool(roles & WordRole.CONCEDES)
            conditional = conditional or bool(tokens.roles_in(clause.places) & WordRole.OFFERS)
            depends = roles & WordRole.IF and not clause.concedes and not self._is_forced(clause)
            if depends and not self._is_met(clauses[number + 1 : number + 2]):
                conditional = True
                proviso = self._statement.region and self._is_proviso(clause)
                if tokens.words[clause.start] != ":" and not proviso:  # what follows explains what was said
                    self._mark_before(clauses[:number], clause)
            clause.condition = clause.condition or conditional
        if any(self._is_unknown(clause) for clause in clauses[1:]):
            conditions = [bool(self._lead(clause) & WordRole.IF) for clause in clauses]
            for clause in clauses if any(conditions) else ():
                clause.condition = True

    def _is_proviso(self, clause: ReplyClause) -> bool:
        """Whether a condition only limits a decision: "Decision: Option B, provided that legal signs off"."""
        words = self._words[clause.start : clause.start + 2]
        return not _PROVISOS.isdisjoint(words)

    def _is_met(self, behind: list[ReplyClause]) -> bool:
        """Whether the clause behind a condition says that it holds: "assuming no debts, as the text says"."""
        words = [self._words[at] for clause in behind for at in clause.places]
        said = [word for word in words if word[0].isalnum()]
        told = self._tokens.roles_in(behind[0].places) if behind else 0
        agrees = said[:1] == ["and"] and said[-1] in _HOLDING
        if not (agrees or said[:1] in (["as"], ["which"])) or told & (WordRole.NEGATES | WordRole.COULD):
            return False
        return not _TOLD.isdisjoint(said[1:])

    def _is_unknown(self, clause: ReplyClause) -> bool:
        """Whether the speaker does not know if a condition holds: "…, which I can't check"."""
        told = self._tokens.roles_in(clause.places)
        words = self._words[clause.start : clause.end]
        return bool(told & WordRole.NEGATES and told & WordRole.FIRST) and not _KNOWING.isdisjoint(words)

    def _mark_before(self, clauses: list[ReplyClause], condition: ReplyClause) -> None:
        """A condition is one of the clause before it; "if" of all back to the next one with a choice."""
        firm = self._words[condition.start] in _FIRM_CONDITIONS
        for clause in reversed(clauses):
            if clause.reason:
                return
            clause.condition = True
            if not firm or any(at in self._inside for at in clause.places):
                return

    def _lead(self, clause: ReplyClause) -> int:
        """What begins a clause."""
        tokens, roles = self._tokens, 0
        for at in clause.places[:3]:
            if tokens.words[at] == "even" and not tokens.absorbed[at]:
                continue  # "an even split"
            if at not in self._inside and (
                at == self._statement.start or not tokens.roles[at] & WordRole.THAN
            ):
                roles |= tokens.roles[at] & (WordRole.SINCE | WordRole.CONCEDES | WordRole.IF)
            if tokens.words[at] in ("as", "for") and tokens.words[clause.start] == ",":
                roles |= WordRole.SINCE
        return roles

    def _is_forced(self, clause: ReplyClause) -> bool:
        """Whether a condition is only that somebody must choose: "if I really had to choose one"."""
        words = self._words[clause.start : clause.end]
        if words[:2] == ["if", "you"] and words[2:3] in _WANTING and not _OF_ANSWERS.isdisjoint(words[3:]):
            return True
        if words[:2] == ["if", "you"] and not _ASKED_OF_ME.isdisjoint(words[3:]):
            return not any(at in self._inside for at in clause.places)
        if words[2:3] in (["were"], ["was"]) and words[3:4]:
            own = words[1] in ("i", "we")
            return words[3] in (_OWN_PLACE if own else _OWN_MATTER)
        if not _FORCED.intersection(words):
            return False
        if words[1:2] in _ANYBODY or words[1:3] == ["only", "one"]:
            return True  # "if one of them has to ship"
        named = any(at in self._inside for at in clause.places)
        return not named and bool(self._tokens.roles_in(clause.places) & WordRole.FIRST)


class MentionLinks:
    """Looks at the words between choices."""

    def __init__(self, tokens: ReplyTokens) -> None:
        self._tokens = tokens
        self._words, self._roles = tokens.words, tokens.roles

    def behind(self, clause: ReplyClause, own: Sequence[Mention], number: int) -> range:
        """The words behind a choice, or behind the last one named in the same breath.

        Words that negate the next choice are left out: "B and not A".
        """
        while number + 1 < len(own) and self.are_joined(range(own[number].end, own[number + 1].start)):
            number += 1
        start = own[number].end
        if number + 1 == len(own):
            return range(start, clause.end)
        stop = end = own[number + 1].start
        while stop > start and self._roles[stop - 1] & (WordRole.GLUE | WordRole.JOINS):
            stop -= 1
        role, word = self._tokens.role(stop - 1), self._tokens.word(stop - 1)
        negates = stop > start and role & (WordRole.NEGATES | WordRole.EXCEPTS) and not role & WordRole.WINS
        negates = negates and word not in POSTPOSED
        return range(start, stop - 1 if negates and not word.endswith("n't") else end)

    def are_joined(self, left: range) -> bool:
        """Whether two choices are named in one breath: A or B."""
        roles, words = self._roles, self._words
        if not all(_only_joins(roles[at]) or words[at] in _JOINS or words[at] in _JOINING for at in left):
            return False
        return any(roles[at] & WordRole.JOINS or words[at] in _JOINS for at in left)

    def goes_on(self, left: range) -> bool:
        """Whether a verb takes two choices: "I chose A in the first round and B in the second"."""
        words = self._words
        last = [at for at in left if words[at] not in _SKIPPED][-1:]
        return bool(last) and words[last[0]] == "and" and not self._tokens.roles_in(left) & _VERBS_OF_ONE

    def adds_another(self, left: range) -> bool:
        """Whether a clause only adds another choice: "…, or maybe B", "…, and so is B"."""
        places = [at for at in left if self._words[at][0].isalnum()]
        words = [self._words[at] for at in places]
        if words[-3:-1] in _AS_WELL or words[-2:] in _AS_WELL:
            return True
        weak = WordRole.COULD | WordRole.GLUE | WordRole.JOINS
        return bool(words) and words[0] in _ALTERNATIVES and all(self._roles[at] & weak for at in places)

    def relation(self, left: range) -> str:
        """The sign between two choices, "" if something else stands there."""
        if not left or self._words[left.start].strip(_RELATIONS):
            return ""
        between = "".join(self._words[left.start : left.stop])
        return "" if between.strip(_RELATIONS) else between


def _only_joins(role: int) -> bool:
    """Whether a word between two choices says nothing of the second alone."""
    return bool(role & _BETWEEN or (role & WordRole.GLUE and not role & _SAYING))
