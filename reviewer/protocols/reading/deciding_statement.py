"""A statement that takes the label of a reply, among the others, and a doubt that it may leave."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from reviewer.protocols.reading.lists import is_marked
from reviewer.protocols.reading.mentions import Mention, MentionKind, Polarity
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statement_result import StatementResult

YOURS: Final = words_of("you your you'd you'll you're")
I_NOT: Final = WordRole.FIRST | WordRole.NEGATES
COMPARES: Final = WordRole.THAN | WordRole.WINS | WordRole.EXCEPTS


class Deciding:
    """A statement that takes the label of a reply, among the others."""

    def __init__(self, every: Sequence[StatementResult], number: int, label: str, choices: int) -> None:
        """``choices``: how many there are."""
        self.every, self.number, self.label, self.choices = every, number, label, choices
        self.said, self.tokens = every[number], every[number].tokens
        self.before = every[number - 1] if number else None
        self.after = every[number + 1] if number + 1 < len(every) else None
        self.near = [each for each in (self.before, self.after) if each is not None]
        self.own = [each for each in self.said.judged if each.label == label]
        """Where it names the choice."""
        self.start = min(mention.start for mention in self.own)
        end = max(mention.end for mention in self.own)
        self.behind = [at for at in self.said.outside if at >= end]
        self.kind = max(mention.kind for mention in self.own)
        """The surest way in which it names the choice."""

    @cached_property
    def contested(self) -> bool:
        """Whether another choice is left standing anywhere."""
        return any(self.rivals(said, Polarity.OPEN) for said in self.every)

    @cached_property
    def last_denial(self) -> int:
        """The last statement in which the speaker denies something, and names no choice."""
        denying = (at for at, said in enumerate(self.every) if said.roles & I_NOT == I_NOT)
        return max((at for at in denying if not self.every[at].judged), default=-1)

    @cached_property
    def is_weak(self) -> bool:
        """Whether nobody is said to choose."""
        said = self.said
        return not (is_own(said) or (is_taken(said) and said.roles & (WordRole.PICK | WordRole.TAKES)))

    def rivals(self, said: StatementResult | None, least: Polarity) -> list[Mention]:
        """The other choices that a statement leaves standing, or has to take back."""
        if said is None:
            return []
        others = (each for each in said.judged if each.label != self.label)
        return [
            each
            for each in others
            if each.kind >= MentionKind.TEXT and (each.polarity >= least or said.takes_words_back)
        ]


class Doubt(NamedTuple):
    """A doubt that a statement may leave: what is read instead, whether it holds, and a reply with it."""

    why: str
    holds: Callable[[Deciding], bool]
    example: str


def is_own(said: StatementResult) -> bool:
    """Whether it concludes, corrects, or names its speaker, and not only the reader."""
    own = said.is_own and not said.roles & WordRole.FIRST
    roles, words = said.tokens.roles, said.tokens.words
    named = any(roles[at] & WordRole.FIRST and words[at] not in YOURS for at in said.outside)
    return own or named or said.concludes or said.corrects


def is_taken(said: StatementResult) -> bool:
    """Whether a verb takes a choice."""
    return any(each.polarity is Polarity.TAKEN for each in said.judged)


def is_marked_item(said: StatementResult) -> bool:
    """Whether it begins with the sign of a list."""
    return is_marked(said.tokens, said.statement.start)
