"""Whether a reply ends before it has said what it takes."""

from collections.abc import Sequence
from typing import Final

from reviewer.protocols.reading.mentions import Mention, Polarity, labels_of
from reviewer.protocols.reading.naming_words import words_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement

_ABOUT: Final = frozenset(("as", "regarding", "concerning"))
_LONG: Final = 10
_FEWEST_BEFORE_CUT, _MOST_BEFORE_CUT = 6, 4
_DECIDES: Final = WordRole.TAKES | WordRole.PICK
_BEFORE_ANOTHER: Final = frozenset(("or", "nor", "versus", "vs"))
_SENTENCE_ENDS: Final = frozenset(".!?")
_NEVER_LAST: Final = words_of(
    """
    most more against than that which a an the to and or of with my because but although whereas since if as
    its their in
    """
)


def breaks_off(tokens: ReplyTokens, statements: Sequence[Statement], mentions: Sequence[Mention]) -> bool:
    """Whether the last sentence has no end, although others have one, or ends in a word that goes on."""
    last, end = statements[-1], len(tokens) - 1
    names = bool(mentions) and mentions[-1].end > end
    goes_on = tokens.words[end] in _NEVER_LAST and not names
    short = end - last.start < _FEWEST_BEFORE_CUT
    about = names and tokens.words[last.start] in _ABOUT
    if last.region or not tokens.words[end].isalpha() or (short and not (goes_on or about)):
        return False
    if names:
        before = tokens.word(mentions[-1].start - 1)
        own_line = tokens.word(last.start - 1) == "\n" and last.start > 0
        if own_line or before == ":" or _names_only(tokens, mentions, last):
            return False
    told = [each for each in statements[:-1] if not each.asked]
    others = any(tokens.word(each.end - 1) in _SENTENCE_ENDS for each in told)
    return others or goes_on


def _names_only(tokens: ReplyTokens, mentions: Sequence[Mention], last: Statement) -> bool:
    """Whether a line ends in the text of a choice behind its name: "Therefore: C. Rent a spare pump"."""
    start, _ = list(tokens.lines())[-1]
    labels = {mention.label for mention in mentions if mention.start >= start}
    text = mentions[-1]
    return text.start == last.start > start and len(labels) == 1 and mentions[-2].start >= start


def ends_before_another(tokens: ReplyTokens, statements: Sequence[Statement]) -> bool:
    """Whether a reply ends where another choice follows, or where it begins to tell of one.

    "Option A or" goes on, and so does "The first answer names all four, the second".
    """
    last, judged = statements[-1], statements[-1].judged
    if judged and judged[-1].end == len(tokens) - 1 and tokens.words[-1] in _BEFORE_ANOTHER:
        return True
    if judged and _is_in_open_quotation(tokens, judged[-1]):
        return True
    if last.region or not judged or judged[-1].end != len(tokens):
        return False
    name = judged[-1]
    if len(judged) == 1 and name.start == last.start and name.start and len(statements) > 1:
        before, words = statements[-2].judged, tokens.words
        told = statements[-2].end - statements[-2].start >= _LONG
        same_line = told and words[name.start - 1] != "\n"
        return same_line and not statements[-2].asked and _tells_of_another(before, name.label)
    behind_comma = tokens.word(name.start - 1) == "," or tokens.words[name.start - 2 : name.start] == [
        ",",
        "the",
    ]
    return len(judged) > 1 and behind_comma and _tells_of_another(judged[:-1], name.label)


def _is_in_open_quotation(tokens: ReplyTokens, mention: Mention) -> bool:
    """Whether a reply ends in the text of a choice whose quotation has no end: 'Answer: "Very likely'."""
    (start, end), quote = list(tokens.lines())[-1], '"'
    opened = tokens.words[start:end].count(quote) % 2 == 1
    return opened and mention.end == end and tokens.word(mention.start - 1) == quote


def _tells_of_another(judged: Sequence[Mention], label: str) -> bool:
    """Whether something is said of another choice that does not decide."""
    return bool(judged) and all(
        each.label != label and each.polarity is Polarity.DESCRIBED for each in judged
    )


def leaves_another(tokens: ReplyTokens, statements: Sequence[Statement], label: str | None) -> bool:
    """Whether a reply in sentences ends without an end, in one about another choice."""
    last = statements[-1]
    ended = len(statements) > 1 and tokens.word(statements[-2].end - 1) in _SENTENCE_ENDS
    open_end = not last.region and tokens.words[-1].isalpha() and tokens.word(last.start - 1) != "\n"
    return ended and open_end and bool(labels_of(last.judged) - {label})


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
