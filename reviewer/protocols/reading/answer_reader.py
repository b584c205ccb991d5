"""The one reader of answers: which choice a reply takes, or which kind of doubt there is.

A choice is read only where exactly one is taken by the last statement that decides. Statements that are
announced ("Decision: …") come before those that conclude ("I would go with …"), and those before statements
that only favour a choice. Nothing is read where the same statement or a later one turns down what is taken.
"""

from bisect import bisect_left
from collections.abc import Sequence, Set
from dataclasses import replace
from functools import lru_cache
from typing import Final

from reviewer.protocols.evaluation import LabelRead
from reviewer.protocols.reading.before_choice import MOST_BEFORE
from reviewer.protocols.reading.choice_texts import ChoiceTexts
from reviewer.protocols.reading.choices import Choices
from reviewer.protocols.reading.cutting import said_aloud
from reviewer.protocols.reading.decision import (
    CUT_OFF,
    EMPTY,
    HOW,
    SEVERAL,
    TOO_LONG,
    Firmness,
    ReplyDecision,
)
from reviewer.protocols.reading.layout import undecorated
from reviewer.protocols.reading.lists import without_lists, without_repeated_question
from reviewer.protocols.reading.mentions import Mention, MentionKind
from reviewer.protocols.reading.names import ChoiceNames
from reviewer.protocols.reading.polarity import Judged, Polarity
from reviewer.protocols.reading.pronouns import pointed_back
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statement_polarity import StatementPolarity
from reviewer.protocols.reading.statement_result import StatementPlace, StatementResult
from reviewer.protocols.reading.statements import Statement, Statements
from reviewer.protocols.reading.tokens import ReplyTokens, reply_tokens

ANNOUNCED: Final = HOW[Firmness.ANNOUNCED]
_MOST_CHARACTERS: Final = 200_000
_MOST_MENTIONS: Final = 60
"""A statement that names choices more often takes none."""
_NEAR: Final = 5
_FEWEST_BEFORE_CUT, _MOST_BEFORE_CUT = 6, 4
_DECIDES: Final = WordRole.TAKES | WordRole.PICK
_NEVER_LAST: Final = frozenset(("a", "an", "the", "to", "and", "or", "of", "with", "my", "because"))
_CLAUSE_ENDS: Final = frozenset(",;:()–—")
_DOUBTS: Final = (
    WordRole.NEGATES | WordRole.EXCEPTS | WordRole.REFUSES | WordRole.IF | WordRole.EVEN | WordRole.COULD
) | (
    WordRole.PONDERS
    | WordRole.SPEAKS
    | WordRole.THAN
    | WordRole.UNDECIDED
    | WordRole.BAD
    | WordRole.EARLIER
    | WordRole.OFFERS
    | WordRole.LOSES
    | WordRole.SINCE
)


def chosen_in(reply: str, choices: Choices) -> LabelRead:
    """The label of the one choice that a reply takes and how it was read, or why there is none."""
    if len(reply) > _MOST_CHARACTERS:
        return LabelRead(None, TOO_LONG)
    said = said_aloud(reply)
    if said is None:
        return LabelRead(None, CUT_OFF)
    if not said.strip():
        return LabelRead(None, EMPTY)
    return _reader_of(choices).read(undecorated(said))


class _Reader:
    """Reads replies to one question."""

    def __init__(self, choices: Choices) -> None:
        self._announcers = choices.announcers
        self._order = [choice.label for choice in choices.choices if choice.place > 0]
        self._number = len(self._order)
        self._names, self._texts = ChoiceNames(choices), ChoiceTexts(choices.choices)

    def read(self, text: str) -> LabelRead:
        """Which choice the plain text of a reply takes."""
        tokens = reply_tokens(text)
        if (equal := self._texts.equal(tokens)) is not None:
            is_number = len(list(tokens.said())) == 1 and any(
                each.label != equal for each in self._names.named(tokens)
            )
            return LabelRead(None, SEVERAL) if is_number else LabelRead(equal, ANNOUNCED)
        mentions = self._mentions(tokens)
        statements = list(Statements(tokens, mentions, self._announcers))
        starts, every = [mention.start for mention in mentions], list[list[Judged]]()
        for statement in statements:
            own = slice(bisect_left(starts, statement.start), bisect_left(starts, statement.end))
            at_edge = statement is statements[0] or statement is statements[-1]
            every.append(self._judged(tokens, statement, mentions[own], at_edge))
        every = without_repeated_question(every, self._order)
        decision, last = ReplyDecision(), len(statements) - 1
        heading = {each.mention.label for own in every for each in own if each.polarity >= Polarity.HEADING}
        is_sole = len(heading) == 1
        for number, judged in enumerate(without_lists(tokens, statements, every)):
            place = (
                StatementPlace.OPENS
                if number == 0
                else StatementPlace.ENDS
                if number == last
                else StatementPlace.WITHIN
            )
            decision.hear(
                StatementResult(tokens, statements[number], judged, place, self._number, is_sole).says()
            )
        answered = decision.firm >= Firmness.OPENED
        if statements and not answered and self._is_cut_off(tokens, statements[-1], mentions):
            return LabelRead(None, CUT_OFF)
        return decision.read()

    def _is_cut_off(self, tokens: ReplyTokens, last: Statement, mentions: Sequence[Mention]) -> bool:
        """Whether a reply ends in the middle of saying what it takes: "… so I finally decided on a cha"."""
        end = len(tokens) - 1
        word = tokens.words[end]
        is_part = word != "option" and "option".startswith(word)
        if word in _NEVER_LAST and not any(mention.end > end for mention in mentions):
            return not last.region
        if not is_part and (tokens.role(end) or not word.isalpha()):
            return False
        if end - last.start < _FEWEST_BEFORE_CUT:
            return False
        clause = next((at for at in range(end, last.start, -1) if tokens.words[at] == ","), last.start)
        speaks = tokens.roles_in(range(clause, end)) & WordRole.FIRST and not last.region
        decides = speaks and tokens.roles_in(range(max(clause, end - _MOST_BEFORE_CUT), end)) & _DECIDES
        return bool(decides) and not any(mention.end > clause for mention in mentions)

    def _mentions(self, tokens: ReplyTokens) -> list[Mention]:
        """Every choice that is named or said, in order; a text comes before a bare name in it."""
        names = self._names.named(tokens)
        sure = {at for name in names if not name.loose for at in range(name.start, name.end)}
        texts = [
            said
            for said in self._texts.mentions(tokens)
            if not sure.issuperset(range(said.start, said.end)) and not {said.start - 1, said.start} <= sure
        ]
        inside = {at for said in texts for at in range(said.start, said.end)}
        apart = [name for name in names if not inside.intersection(range(name.start, name.end))]
        said = sorted((*apart, *texts), key=_start)
        taken = {at for mention in said for at in range(mention.start, mention.end)}
        pointed = [mention for mention in pointed_back(tokens, said) if mention.start not in taken]
        return sorted((*said, *pointed), key=_start) if pointed else said

    def _judged(
        self, tokens: ReplyTokens, statement: Statement, own: Sequence[Mention], at_edge: bool
    ) -> list[Judged]:
        """The mentions of a statement; where none of them is taken, also by some words of a choice's text.

        ``at_edge``: the reply begins or ends with it.
        """
        if len(own) > _MOST_MENTIONS:
            return [Judged(mention, Polarity.OPEN) for mention in own]
        judged = StatementPolarity(tokens, statement, own).judged()
        if not self._texts:
            return judged
        taken = {each.mention.label for each in judged if each.polarity >= Polarity.FRAGMENT}
        if taken and any(mention.kind <= MentionKind.TEXT for mention in own):
            return judged
        covered = {at for mention in own for at in range(mention.start, mention.end)}
        said = list(self._texts.parts(tokens, statement.start, statement.end))
        parts = [part for part in said if not covered.intersection(range(part.start, part.end))]
        if any(part.kind > MentionKind.HINT for part in parts):
            parts = [part for part in parts if part.kind > MentionKind.HINT]
        if not parts:
            return judged
        both = sorted((*own, *parts), key=_start)
        again = StatementPolarity(tokens, statement, both).judged()
        if taken:
            return [*judged, *_of_another(again, parts, taken)]
        at_edge = at_edge and not self._names_another(tokens, statement, parts, said)
        return [
            each if counted or each.mention.start in covered else replace(each, polarity=Polarity.FAVOURED)
            for each in again
            if (counted := _counts(tokens, each, statement))
            or each.mention.start in covered
            or (at_edge and _is_said_plainly(tokens, each, statement))
        ]

    def _names_another(
        self, tokens: ReplyTokens, statement: Statement, parts: Sequence[Mention], said: Sequence[Mention]
    ) -> bool:
        """Whether another choice than those of these parts is in play in the statement."""
        others = {part.label for part in said} - {part.label for part in parts}
        if not others:
            return False
        judged = StatementPolarity(tokens, statement, sorted(said, key=_start)).judged()
        return any(each.mention.label in others and each.polarity > Polarity.OPEN for each in judged)


def _start(mention: Mention) -> int:
    return mention.start


@lru_cache(maxsize=256)
def _reader_of(choices: Choices) -> _Reader:
    return _Reader(choices)


def _of_another(judged: Sequence[Judged], parts: Sequence[Mention], taken: Set[str]) -> list[Judged]:
    """Words of another choice's text behind a name, and none of its own: "B, the night train"."""
    if any(part.label in taken for part in parts):
        return []
    said = [each for each in judged if each.mention in parts and each.mention.kind > MentionKind.HINT]
    return [each for each in said if each.polarity >= Polarity.FRAGMENT]


def _is_said_plainly(tokens: ReplyTokens, judged: Judged, statement: Statement) -> bool:
    """Whether nothing around some words of a choice's text raises a doubt: "He goes to his manager."."""
    mention = judged.mention
    if mention.kind is not MentionKind.PART or judged.polarity < Polarity.NAMED or statement.asked:
        return False
    start, end = mention.start, mention.end
    while start > statement.start and tokens.words[start - 1] not in _CLAUSE_ENDS:
        start -= 1
    while end < statement.end and tokens.words[end] not in _CLAUSE_ENDS:
        end += 1
    around = tokens.roles_in(range(start, mention.start)) | tokens.roles_in(range(mention.end, end))
    return not around & _DOUBTS


def _counts(tokens: ReplyTokens, judged: Judged, statement: Statement) -> bool:
    """Whether some words of a choice's text are enough in a statement: only where they are clearly judged."""
    mention, polarity = judged.mention, judged.polarity
    if mention.kind > MentionKind.PART or polarity is Polarity.TURNED_DOWN:
        return True
    near = range(max(statement.start, mention.start - _NEAR), mention.start)
    if polarity is Polarity.TAKEN and tokens.word(mention.end) == "it":
        return True
    if mention.kind is MentionKind.HINT:
        presented = ":" in tokens.words[near.start : near.stop] and tokens.roles_in(near) & WordRole.PICK
        decided = tokens.roles_in(near) & (WordRole.TAKES | WordRole.PICK) or presented
        return polarity is Polarity.TAKEN and bool(decided)
    if polarity is Polarity.FRAGMENT and ":" in tokens.words[near.start : near.stop]:
        return True
    if statement.region or statement.corrects:
        return polarity >= Polarity.NAMED
    if mention.kind is MentionKind.PART and polarity is Polarity.FAVOURED:
        return True
    before = range(max(statement.start, mention.start - MOST_BEFORE), mention.start)
    return polarity is Polarity.TAKEN and bool(tokens.roles_in(before) & (WordRole.TAKES | WordRole.PICK))
