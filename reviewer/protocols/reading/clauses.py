"""A statement as clauses, each with whether it is a reason, a concession, or hangs on a condition."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement
from reviewer.protocols.reading.tokens import ReplyTokens

_CUTS: Final = frozenset(",;()–—…、，.；（）|→")
_CONCLUDING: Final = frozenset(
    ("so", "therefore", "thus", "hence", "deshalb", "daher", "donc", "所以", "因此")
)
_AND: Final = frozenset(("and", "und", "et", "y", "e"))
_MAY_CUT: Final = _CUTS | _CONCLUDING | _AND | {"-", ":"}
_CUTTING: Final = WordRole.BUT | WordRole.SINCE | WordRole.EVEN | WordRole.IF
_INVERTED: Final = frozenset(("should", "were", "had"))
_FORCED: Final = frozenset(
    "forced pressed pushed must choose pick decide vote answer commit honest ask asked bet compelled".split()  # noqa: SIM905
)
_MOST_BEFORE_COLON: Final = 9


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

    def cut(self) -> list[ReplyClause]:
        """The clauses in their order."""
        words, roles = self._tokens.words, self._tokens.roles
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
        if (
            word in _CUTS
            or (word == "-" and tokens.spaced[at])
            or (role & WordRole.SO and word in _CONCLUDING)
        ):
            return True
        hides = tokens.absorbed[at] and role & (WordRole.TAKES | WordRole.EXCEPTS)
        if role & _CUTTING and not hides:
            return word != "even" or tokens.absorbed[at]
        after = tokens.role(at + 1) if at + 1 < self._statement.end and at + 1 not in self._inside else 0
        if word in _AND:
            return bool(after & (WordRole.FIRST | WordRole.SO))
        if word == ":":
            says_no = at - start == 1 and tokens.roles[start] & WordRole.NEGATES
            depends = says_no or tokens.roles[start] & (WordRole.IF | WordRole.EVEN | WordRole.SINCE)
            return at - start > _MOST_BEFORE_COLON or bool(depends or after & WordRole.FIRST)
        return False

    def _mark(self, clauses: list[ReplyClause]) -> None:
        tokens = self._tokens
        conditional = not self._statement.asked and tokens.word(self._statement.start) in _INVERTED
        for number, clause in enumerate(clauses):
            roles = self._lead(clause)
            clause.reason, clause.concedes = bool(roles & WordRole.SINCE), bool(roles & WordRole.EVEN)
            conditional = conditional or bool(tokens.roles_in(clause.places) & WordRole.OFFERS)
            if roles & WordRole.IF and not clause.concedes and not self._is_forced(clause):
                conditional = True
                if number and not clauses[number - 1].reason:
                    clauses[number - 1].condition = True
            clause.condition = clause.condition or conditional

    def _lead(self, clause: ReplyClause) -> int:
        """What begins a clause."""
        tokens, roles = self._tokens, 0
        for at in clause.places[:3]:
            if at not in self._inside:
                roles |= tokens.roles[at] & (WordRole.SINCE | WordRole.EVEN | WordRole.IF)
            if tokens.words[at] in ("as", "for") and tokens.words[clause.start] == ",":
                roles |= WordRole.SINCE
        return roles

    def _is_forced(self, clause: ReplyClause) -> bool:
        """Whether a condition is only that somebody must choose: "if I really had to choose one"."""
        words = self._tokens.words[clause.start : clause.end]
        if words[:3] == ["if", "i", "were"]:
            return True
        if not _FORCED.intersection(words):
            return False
        named = any(at in self._inside for at in clause.places)
        return not named and bool(self._tokens.roles_in(clause.places) & WordRole.FIRST)
