"""Whether a reply ends before it has said what it takes."""

from collections.abc import Sequence
from typing import Final

from reviewer.protocols.reading.mentions import Mention
from reviewer.protocols.reading.polarity import Judged
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement
from reviewer.protocols.reading.tokens import ReplyTokens

_FEWEST_BEFORE_CUT, _MOST_BEFORE_CUT = 6, 4
_DECIDES: Final = WordRole.TAKES | WordRole.PICK
_SENTENCE_ENDS: Final = frozenset(".!?")
_NEVER_LAST: Final = frozenset(
    (
        "most",
        "more",
        "against",
        "than",
        "that",
        "which",
        "a",
        "an",
        "the",
        "to",
        "and",
        "or",
        "of",
        "with",
        "my",
        "because",
    )
)


def breaks_off(tokens: ReplyTokens, statements: Sequence[Statement], mentions: Sequence[Mention]) -> bool:
    """Whether the last sentence has no end, although others have one, or ends in a word that goes on."""
    last, end = statements[-1], len(tokens) - 1
    names = bool(mentions) and mentions[-1].end > end
    goes_on = tokens.words[end] in _NEVER_LAST and not names
    short = end - last.start < _FEWEST_BEFORE_CUT
    if last.region or not tokens.words[end].isalpha() or (short and not goes_on):
        return False
    if names:
        before = tokens.word(mentions[-1].start - 1)
        own_line = tokens.word(last.start - 1) == "\n" and last.start > 0
        if own_line or before == ":":
            return False
    told = [each for each in statements[:-1] if not each.asked]
    others = any(tokens.word(each.end - 1) in _SENTENCE_ENDS for each in told)
    return others or goes_on


def leaves_another(
    tokens: ReplyTokens, statements: Sequence[Statement], every: Sequence[Sequence[Judged]], label: str | None
) -> bool:
    """Whether a reply in sentences ends without an end, in one about another choice."""
    last = statements[-1]
    ended = len(statements) > 1 and tokens.word(statements[-2].end - 1) in _SENTENCE_ENDS
    open_end = not last.region and tokens.words[-1].isalpha() and tokens.word(last.start - 1) != "\n"
    return ended and open_end and bool({each.mention.label for each in every[-1]} - {label})


def is_cut_off(tokens: ReplyTokens, last: Statement, mentions: Sequence[Mention]) -> bool:
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
