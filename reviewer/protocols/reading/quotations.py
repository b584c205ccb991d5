"""Words that are only quoted judge no choice: 'It ends with "I hope this is the best answer!"'."""

from collections.abc import Iterator, Sequence
from typing import Final

from reviewer.protocols.reading.mentions import Mention
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.tokens import ReplyTokens

_QUOTES: Final = {"“": "”", "„": "“", '"': '"', "«": "»"}
_FEWEST_WORDS: Final = 3
_INSIDE: Final = WordRole.GLUE


def silence_quotations(tokens: ReplyTokens, mentions: Sequence[Mention]) -> None:
    """Takes the roles from the words of longer quotations that name no choice."""
    named = {at for mention in mentions for at in range(mention.start, mention.end)}
    for places in _quotations(tokens):
        words = sum(tokens.words[at][0].isalnum() for at in places)
        if words >= _FEWEST_WORDS and named.isdisjoint(places):
            for at in places:
                tokens.roles[at] = _INSIDE if tokens.roles[at] else 0


def _quotations(tokens: ReplyTokens) -> Iterator[range]:
    """What stands between two quotation marks of a line."""
    for start, end in tokens.lines():
        opening, closing = -1, ""
        for at in range(start, end):
            word = tokens.words[at]
            if opening < 0 and word in _QUOTES:
                opening, closing = at, _QUOTES[word]
            elif opening >= 0 and word == closing:
                yield range(opening + 1, at)
                opening = -1
