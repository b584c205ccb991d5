"""The one choice that a reply ends with, where no statement decides: "So Option 1 applies."."""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final

from reviewer.protocols.reading.decision import SEVERAL, TAKEN_BACK
from reviewer.protocols.reading.lists import is_marked
from reviewer.protocols.reading.mentions import MentionKind
from reviewer.protocols.reading.names import OUTSIDE
from reviewer.protocols.reading.polarity import Judged, Polarity
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement
from reviewer.protocols.reading.tokens import ReplyTokens

_DOUBTS: Final = (
    WordRole.NEGATES | WordRole.REFUSES | WordRole.BAD | WordRole.LOSES | WordRole.UNDECIDED | WordRole.OFFERS
) | (WordRole.IF | WordRole.EVEN | WordRole.COULD | WordRole.EARLIER | WordRole.THAN)
"""What leaves open what is said of the choice that a reply ends with."""
_OWN: Final = WordRole.FIRST | WordRole.SO | WordRole.GOOD
_SETTLES: Final = WordRole.PICK | WordRole.SO
_NO_END: Final = WordRole.IS | WordRole.BUT
"""A statement with such a word at its end leaves out what it says of the choice."""
_DETERMINERS: Final = frozenset(("a", "an", "the"))
_ABOUT: Final = frozenset(("for", "of", "about"))
_ELSEWHERE: Final = frozenset(("between", "until", "was", "were", "again"))
_NEAR: Final = 5
_NEAR_NEGATION: Final = 5
_PAIR: Final = ("A", "B")
_AS_WELL: Final = (["so", "is"], ["so", "does"], ["so", "was"], ["so", "did"], ["so", "has"])
_ENDS: Final = frozenset('.!)]"”。')


def closing_choice(
    tokens: ReplyTokens,
    statements: Sequence[Statement],
    every: Sequence[Sequence[Judged]],
    why: str,
    closings: Mapping[str, str],
    order: Sequence[str],
) -> str | None:
    """The label of the only choice of the last statement, if nothing there speaks against it.

    Something has to speak for it: the other choices are turned down, the statement concludes or praises, or
    its speaker is named. ``why``: what left the reply without a label until here.
    """
    last = statements[-1]
    if said := _said_in_words(tokens, last, every, closings):
        return said
    if left := _only_one_left(tokens, every, order):
        return left
    judged = [each for each in every[-1] if each.mention.kind >= MentionKind.TEXT]
    labels = {each.mention.label for each in judged}
    if len(labels) != 1 or OUTSIDE in labels or not _may_close(tokens, statements, judged):
        return None
    inside = {at for each in judged for at in range(each.mention.start, each.mention.end)}
    end = _end_of_claim(tokens, max(inside) + 1, last.end)
    outside = [at for at in range(last.start, end) if at not in inside]
    roles = reduce(or_, map(tokens.roles.__getitem__, outside), 0)
    before = tokens.roles_in(range(max(last.start, judged[0].mention.start - _NEAR), judged[0].mention.start))
    if before & WordRole.PONDERS and not before & WordRole.IS:
        return None
    about = tokens.word(judged[0].mention.start - 1) in _ABOUT and not roles & (_OWN | _SETTLES)
    if roles & _DOUBTS or about or _tells_otherwise(tokens, outside, judged[-1].mention.end):
        return None
    return labels.pop() if _is_backed(judged, roles, every, why) else None


def _only_one_left(
    tokens: ReplyTokens, every: Sequence[Sequence[Judged]], order: Sequence[str]
) -> str | None:
    """The label of the only one of several choices that is not named, where all others are turned down.

    Of two choices one that is turned down says too little: "Not the first." may be a tie, or no answer.
    """
    said = [each for own in every for each in own]
    left = {*order} - {each.mention.label for each in said}
    refused = all(each.polarity is Polarity.TURNED_DOWN for each in said) and all(
        any(each.mention.label == label and _is_meant(tokens, each, own) for own in every for each in own)
        for label in {*order} - left
    )
    return left.pop() if len(order) > len(_PAIR) and len(left) == 1 and refused else None


def _is_meant(tokens: ReplyTokens, judged: Judged, own: Sequence[Judged]) -> bool:
    """Whether a choice is named by more than a word, or by one that is negated or the only choice."""
    mention = judged.mention
    alone = len({each.mention.label for each in own}) == 1
    near = range(max(0, mention.start - _NEAR_NEGATION), mention.start)
    negated = tokens.roles_in(near) & (WordRole.NEGATES | WordRole.REFUSES)
    beaten = tokens.word(mention.start - 1) == ">"
    return alone or beaten or bool(negated) or mention.kind > MentionKind.HINT


def _said_in_words(
    tokens: ReplyTokens, last: Statement, every: Sequence[Sequence[Judged]], closings: Mapping[str, str]
) -> str | None:
    """The label of a choice that the last statement means by words such as "nothing between them"."""
    if not closings or last.asked or any(each.polarity >= Polarity.FAVOURED for own in every for each in own):
        return None
    roles = tokens.roles_in(range(last.start, last.end))
    said = f" {' '.join(tokens.words[last.start : last.end])} "
    labels = {label for phrase, label in closings.items() if f" {phrase} " in said}
    return labels.pop() if len(labels) == 1 and not roles & (WordRole.IF | WordRole.COULD) else None


def _end_of_claim(tokens: ReplyTokens, start: int, end: int) -> int:
    """Where the reason begins that follows a choice: "Option B: it …", "B, because …"."""
    ends = (at for at in range(start, end) if tokens.words[at] == ":" or tokens.roles[at] & WordRole.SINCE)
    return next(ends, end)


def _is_backed(judged: Sequence[Judged], roles: int, every: Sequence[Sequence[Judged]], why: str) -> bool:
    """Whether something speaks for the choice: what else is named, or how it is named."""
    label, best = judged[-1].mention.label, max(each.polarity for each in judged)
    by_name = judged[-1].mention.kind >= MentionKind.WORD
    told = roles & WordRole.SPEAKS and not roles & WordRole.FIRST
    if told or (roles & WordRole.OTHERS and (best is Polarity.OPEN or not by_name)):
        return False
    if why == TAKEN_BACK and by_name:
        return True
    others = [each for own in every for each in own if each.mention.label != label]
    praised = any(each.polarity is Polarity.FAVOURED for each in others)
    if why == SEVERAL:
        return by_name and bool(roles & _SETTLES or (roles & WordRole.GOOD and not praised))
    named = [each for each in others if each.mention.kind >= MentionKind.TEXT]
    if named and all(
        any(each.polarity is Polarity.TURNED_DOWN for each in named if each.mention.label == other)
        for other in {each.mention.label for each in named}
    ):
        return True
    if any(each.polarity >= Polarity.NAMED for each in others) and not roles & WordRole.SO:
        return False
    return best >= Polarity.NAMED or (
        by_name and (bool(roles & _OWN) or (not named and best > Polarity.OPEN))
    )


def _may_close(tokens: ReplyTokens, statements: Sequence[Statement], judged: Sequence[Judged]) -> bool:
    """Whether the last statement can decide: no announcement, question, list item or score, and ended."""
    last = statements[-1]
    scored = tokens.word(judged[-1].mention.end) == ":"
    as_well = tokens.words[last.start : last.start + 2] in _AS_WELL
    if last.asked or last.region or scored or as_well or is_marked(tokens, last.start):
        return False
    if any(each.polarity in (Polarity.TURNED_DOWN, Polarity.HEADING) for each in judged):
        return False
    end = last.end - 1
    ended = tokens.word(end) in _ENDS
    while end > last.start and not tokens.words[end][0].isalnum():
        end -= 1
    return not tokens.roles[end] & _NO_END and (ended or len(statements) == 1)


def _tells_otherwise(tokens: ReplyTokens, outside: Sequence[int], end: int) -> bool:
    """Whether a choice is only called the cheapest one, or one for another case, or a "but" follows it."""
    words = (tokens.words[at] for at in outside if tokens.word(at - 1) in _DETERMINERS)
    only_compares = any(word.endswith(("er", "est")) for word in words)
    elsewhere = any(tokens.words[at] in _ELSEWHERE for at in outside)
    return only_compares or elsewhere or any(at >= end and tokens.roles[at] & WordRole.BUT for at in outside)
