"""Judges the choices that one statement names."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from reviewer.protocols.reading.before_choice import BeforeChoice
from reviewer.protocols.reading.behind_choice import BehindChoice
from reviewer.protocols.reading.clauses import ClauseCutter, ReplyClause
from reviewer.protocols.reading.layout import NO_MARK, YES_MARK
from reviewer.protocols.reading.mention_links import MentionLinks
from reviewer.protocols.reading.mentions import Mention, MentionKind
from reviewer.protocols.reading.polarity import Judged, Polarity
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement
from reviewer.protocols.reading.tokens import ReplyTokens

_VERBS: Final = (
    WordRole.IS | WordRole.SHOULD | WordRole.WOULD | WordRole.COULD | WordRole.WINS | WordRole.LOSES
)
_PARTICLES: Final = frozenset(("alone", "go", "aside", "out", "behind", "down", "off", "to"))
"""Words behind a choice that finish a verb before it: "leave Option A alone"."""
_YES: Final = frozenset(("yes", "chosen", "selected", "ja", "oui", "sí", "my"))
_NO: Final = frozenset(("no", "false", "wrong", "rejected", "nein", "non", "not", "nope", "never"))
_LISTING: Final = frozenset((",", ".", "and", "or", "nor", "the", "option"))
_MOST_OF_A_SOURCE: Final = 10
_COMPARING: Final = WordRole.WINS | WordRole.LOSES | WordRole.EXCEPTS | WordRole.THAN
_PLAIN_NOT: Final = frozenset(("not", "nicht", "pas", "no", "不是", "than"))


class StatementPolarity:
    """Judges the mentions of one statement."""

    def __init__(self, tokens: ReplyTokens, statement: Statement, mentions: Sequence[Mention]) -> None:
        self._tokens, self._statement, self._mentions = tokens, statement, mentions
        self._links = MentionLinks(tokens)
        self._inside = {place for mention in mentions for place in range(mention.start, mention.end)}

    def judged(self) -> list[Judged]:
        """Each mention of the statement with its polarity, in their order."""
        if not self._mentions:
            return []
        judged = self._by_clause()
        words = self._tokens.words[self._statement.start : self._statement.end]
        if NO_MARK in words:
            return [replace(each, polarity=Polarity.TURNED_DOWN) for each in judged]
        if YES_MARK in words and len({each.mention.label for each in judged}) == 1:
            return [
                replace(each, polarity=Polarity.TAKEN) if each.polarity > Polarity.OPEN else each
                for each in judged
            ]
        if self._statement.asked:
            return [replace(each, polarity=Polarity.OPEN) for each in judged]
        return judged

    def _by_clause(self) -> list[Judged]:
        judged, carried = list[Judged](), False
        for clause in ClauseCutter(self._tokens, self._statement, self._inside).cut():
            own = [mention for mention in self._mentions if clause.start <= mention.start < clause.end]
            if judged and not own and self._is_said_by_others(clause, judged[-1]):
                judged[-1] = replace(judged[-1], polarity=Polarity.OPEN)
            if judged:
                self._go_on(clause, own, judged)
            self._judge_clause(clause, own, judged, carried)
            carried = not own and (carried or self._dangles(clause))
        return judged

    def _go_on(self, clause: ReplyClause, own: Sequence[Mention], judged: list[Judged]) -> None:
        """Judges a choice again by a clause that goes on about it: "Option A, however tempting, is wrong"."""
        places = [at for at in clause.places if self._tokens.words[at][0].isalnum()]
        if (
            not places
            or not self._tokens.roles[places[0]] & _VERBS
            or self._tokens.roles[places[0]] & WordRole.FIRST
        ):
            return
        end = own[0].start if own else clause.end
        said = BehindChoice(self._tokens, range(places[0], end)).polarity() if places[0] < end else None
        if said in (Polarity.TURNED_DOWN, Polarity.OPEN, Polarity.FAVOURED, Polarity.TAKEN):
            judged[-1] = replace(judged[-1], polarity=said)

    def _is_said_by_others(self, clause: ReplyClause, before: Judged) -> bool:
        """Whether a clause tells who says what stands before it: "…, says the manager"."""
        if before.polarity not in (Polarity.FRAGMENT, Polarity.HEADING):
            return False
        roles = self._tokens.roles_in(clause.places[:_MOST_OF_A_SOURCE])
        return bool(roles & WordRole.SPEAKS and roles & WordRole.OTHERS)

    def _dangles(self, clause: ReplyClause) -> bool:
        """Whether a clause without a choice ends in a negation whose verb comes later."""
        roles = [self._tokens.roles[at] for at in clause.places if self._tokens.words[at][0].isalnum()]
        if len(roles) < 2:
            return bool(roles) and self._tokens.words[clause.end - 1] in ("don't", "never", "not")
        modal = roles[-2] & WordRole.NEGATES and roles[-1] & (
            WordRole.WOULD | WordRole.SHOULD | WordRole.COULD
        )
        return bool(roles[-1] & WordRole.NEGATES or modal)

    def _judge_clause(
        self, clause: ReplyClause, own: list[Mention], judged: list[Judged], carried: bool
    ) -> None:
        """Adds the mentions of one clause."""
        for number, mention in enumerate(own):
            start = own[number - 1].end if number else clause.start
            left, right = range(start, mention.start), self._links.behind(clause, own, number)
            relation = self._links.relation(left) if number else ""
            same = relation and judged[-1].mention.label == mention.label
            if (
                same
                or (judged and not number and self._links.adds_another(left))
                or (number and self._links.are_joined(left))
            ):
                joined = judged[-1].mention.label != mention.label
                judged.append(Judged(mention, judged[-1].polarity, joined))
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
                judged.append(Judged(mention, _in_clause(clause, polarity)))

    def _continues(self, before: Judged, clause: ReplyClause) -> bool:
        """Whether a bare name only goes on with a list of what a verb turned down."""
        if before.polarity > Polarity.OPEN or before.mention.end < clause.start - 1:
            return False
        tokens = self._tokens
        if any(at not in self._inside and tokens.words[at] not in _LISTING for at in clause.places):
            return False
        lead = range(self._statement.start, before.mention.start)
        plain_not = bool(lead) and tokens.words[lead[-1]] in _PLAIN_NOT
        return not plain_not and not tokens.roles_in(lead) & WordRole.EXCEPTS

    def _polarity(
        self,
        clause: ReplyClause,
        mention: Mention,
        left: range,
        right: range,
        previous: Judged | None,
        carried: bool,
    ) -> Polarity:
        before = BeforeChoice(self._tokens, clause.start, left, carried)
        predicate = BehindChoice(self._tokens, right)
        compared = self._compared(clause, before, previous)
        if compared is not None:
            return compared
        if before.leaves and predicate.first in _PARTICLES:
            return Polarity.TURNED_DOWN
        said = predicate.polarity()
        against = _against(before, said)
        if against is not None:
            return against
        taken = _taken(before, mention, said)
        if taken is not None:
            return taken
        in_words = mention.kind in (MentionKind.PART, MentionKind.TEXT)
        stands = before.is_plain or before.is_presented or (in_words and before.is_subject)
        if stands and predicate.ends():
            return self._alone(clause, mention, left)
        return Polarity.NAMED

    def _compared(
        self, clause: ReplyClause, before: BeforeChoice, previous: Judged | None
    ) -> Polarity | None:
        """What the place of a choice in a comparison, or in a move, makes of it."""
        tokens = self._tokens
        for at in before.places if before.roles & _COMPARING else ():
            role = tokens.roles[at]
            beaten = previous or not before.roles & WordRole.IS
            if beaten and role & (WordRole.WINS | WordRole.LOSES) and not role & WordRole.TAKES:
                return Polarity.OPEN
            if previous and role & WordRole.EXCEPTS:
                return Polarity.OPEN if previous.polarity is Polarity.TURNED_DOWN else Polarity.TURNED_DOWN
            if role & WordRole.THAN and (previous or not before.roles & WordRole.NEGATES):
                return Polarity.OPEN
        if previous and before.ends_in_to:
            lead = tokens.roles_in(range(clause.start, previous.mention.start))
            moves = lead & WordRole.MOVES and not lead & (WordRole.NEGATES | WordRole.REFUSES)
            return Polarity.TAKEN if moves else Polarity.OPEN
        leaves = before.roles & WordRole.FROM and before.roles & WordRole.MOVES
        if leaves and before.adjacent_role & (WordRole.FROM | WordRole.GLUE):
            return Polarity.TURNED_DOWN
        return Polarity.OPEN if before.near_role & WordRole.FROM or before.is_others_view else None

    def _alone(self, clause: ReplyClause, mention: Mention, left: range) -> Polarity:
        """A choice that stands as good as alone: at the head of a line about it, or by itself."""
        tokens, at = self._tokens, mention.end
        if any(tokens.words[place][0].isalnum() for place in left):
            return Polarity.FRAGMENT
        heads = at < self._statement.end and tokens.words[at] in (":", "–", "—", "-", "：")
        if heads and (tokens.word(at + 1) in _YES or self._is_called_own(at)):
            return Polarity.TAKEN
        if heads and tokens.word(at + 1) in _NO:
            return Polarity.TURNED_DOWN
        first = clause.start == self._statement.start
        return Polarity.HEADING if heads and first else Polarity.FRAGMENT

    def _is_called_own(self, at: int) -> bool:
        """Whether the words behind a heading call it the speaker's choice: "– this is my choice"."""
        behind = range(at + 1, min(at + 6, self._statement.end))
        own = {"my", "mine", "chosen", "selected"}.intersection(
            self._tokens.words[behind.start : behind.stop]
        )
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


def _relate(judged: list[Judged], mention: Mention, relation: str) -> None:
    """Judges two choices with a sign between them: A > B; in a row A > B > C the first one wins."""
    before = judged.pop()
    better, worse = Polarity.TAKEN, Polarity.TURNED_DOWN
    if set(relation) & set("=≈~"):
        pair = Polarity.OPEN, Polarity.OPEN
    elif before.polarity is worse:
        pair = worse, worse
    else:
        pair = (better, worse) if ">" in relation else (worse, better)
    judged += [replace(before, polarity=pair[0]), Judged(mention, pair[1])]


def _against(before: BeforeChoice, said: Polarity | None) -> Polarity | None:
    """Turned down or left open by the words around a choice; None if neither."""
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
    if before.takes or before.leaves_only:
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
    if roles & WordRole.LEANS or said is Polarity.FAVOURED or (in_words and roles & WordRole.GOOD):
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
        mention.kind is MentionKind.TEXT and before.adjacent_role & WordRole.FIRST
    )
    return first and bool(own)
