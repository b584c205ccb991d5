"""How the choices of a clause are linked: named in one breath, by a sign, or one behind a negation."""

from collections.abc import Sequence
from typing import Final

from reviewer.protocols.reading.clauses import ReplyClause
from reviewer.protocols.reading.mentions import Mention
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.tokens import ReplyTokens

_JOINING: Final = words_of(
    """
    , / & - – the option options answer also either both even to a % € $ ( ) die la el " ' response
    assistant i
    """
)
_BETWEEN: Final = WordRole.JOINS | WordRole.COULD
_SAYING: Final = (
    WordRole.IS | WordRole.FIRST | WordRole.SO | WordRole.BUT | WordRole.SINCE | WordRole.TAKES
) | (
    WordRole.PICK
    | WordRole.GOOD
    | WordRole.THAN
    | WordRole.EXCEPTS
    | WordRole.NEGATES
    | WordRole.FROM
    | WordRole.LEANS
)
POSTPOSED: Final = frozenset(("ではなく", "じゃなく", "아니라", "아닌", "말고"))
"""Words that turn down what stands before them."""
_SKIPPED: Final = frozenset(("the", "option", '"', "“"))
_VERBS: Final = (
    (_SAYING & ~WordRole.PICK)
    | WordRole.SHOULD
    | WordRole.WOULD
    | WordRole.WINS
    | WordRole.LOSES
    | WordRole.REFUSES
) | (WordRole.BAD | WordRole.HAS | WordRole.IF | WordRole.EVEN | WordRole.PONDERS)
_JOINS: Final = frozenset(("/", "&", "nor", "-", "–", "vs", "versus", "i"))
_ALTERNATIVES: Final = frozenset(("or", "oder", "ou", "o", "или", "либо", "或", "または"))
_RELATIONS: Final = "<>=≈~"
_AS_WELL: Final = (["so", "is"], ["so", "does"], ["so", "was"], ["neither", "is"], ["nor", "is"])


class MentionLinks:
    """Looks at the words between choices."""

    def __init__(self, tokens: ReplyTokens) -> None:
        self._tokens = tokens

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
        while stop > start and self._tokens.roles[stop - 1] & (WordRole.GLUE | WordRole.JOINS):
            stop -= 1
        role, word = self._tokens.role(stop - 1), self._tokens.word(stop - 1)
        negates = stop > start and role & (WordRole.NEGATES | WordRole.EXCEPTS) and not role & WordRole.WINS
        negates = negates and word not in POSTPOSED
        return range(start, stop - 1 if negates and not word.endswith("n't") else end)

    def are_joined(self, left: range) -> bool:
        """Whether two choices are named in one breath: A or B."""
        roles, words = self._tokens.roles, self._tokens.words
        if not all(_only_joins(roles[at]) or words[at] in _JOINS or words[at] in _JOINING for at in left):
            return False
        return any(roles[at] & WordRole.JOINS or words[at] in _JOINS for at in left)

    def goes_on(self, left: range) -> bool:
        """Whether a verb takes two choices: "I chose A in the first round and B in the second"."""
        words = self._tokens.words
        last = [at for at in left if words[at] not in _SKIPPED][-1:]
        return bool(last) and words[last[0]] == "and" and not self._tokens.roles_in(left) & _VERBS

    def adds_another(self, left: range) -> bool:
        """Whether a clause only adds another choice: "…, or maybe B", "…, and so is B"."""
        places = [at for at in left if self._tokens.words[at][0].isalnum()]
        words = [self._tokens.words[at] for at in places]
        if words[-3:-1] in _AS_WELL or words[-2:] in _AS_WELL:
            return True
        weak = WordRole.COULD | WordRole.GLUE | WordRole.JOINS
        return (
            bool(words) and words[0] in _ALTERNATIVES and all(self._tokens.roles[at] & weak for at in places)
        )

    def relation(self, left: range) -> str:
        """The sign between two choices, "" if something else stands there."""
        if not left or self._tokens.words[left.start].strip(_RELATIONS):
            return ""
        between = "".join(self._tokens.words[left.start : left.stop])
        return "" if between.strip(_RELATIONS) else between


def _only_joins(role: int) -> bool:
    """Whether a word between two choices says nothing of the second alone."""
    return bool(role & _BETWEEN or (role & WordRole.GLUE and not role & _SAYING))
