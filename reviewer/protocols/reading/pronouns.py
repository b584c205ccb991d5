"""Words that point back to a choice: "Option 3 remained, and I took it", "I chose the latter"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from reviewer.protocols.reading.mentions import Mention
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.tokens import ReplyTokens

_POINTING: Final = frozenset(("it", "that", "this", "him", "her"))
_CHOOSING: Final = frozenset(
    "choose chose chosen pick picked take took select selected recommend recommended prefer".split()  # noqa: SIM905
)
_PAIR: Final = {"former": 0, "latter": 1}
_WORDS: Final = _POINTING | _PAIR.keys()
_SENTENCE_ENDS: Final = frozenset(".!?\n;")
_CLAUSE_ENDS: Final = _SENTENCE_ENDS | {","}
_ENDS: Final = _CLAUSE_ENDS | {")", "because", "since", "and", "over"}
_MOST_BETWEEN: Final = 4
_FARTHEST: Final = 40


def pointed_back(tokens: ReplyTokens, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions by words that point back to the mentions before them."""
    if not mentions or _WORDS.isdisjoint(tokens.words):
        return
    for at in [place for place, word in enumerate(tokens.words) if word in _WORDS]:
        before = [mention for mention in mentions if at - _FARTHEST <= mention.start and mention.end <= at]
        if tokens.words[at] in _PAIR:
            labels = list(dict.fromkeys(mention.label for mention in before[-2:]))
            if len(labels) == 2 and tokens.word(at - 1) == "the":
                yield replace(before[-1], start=at, end=at + 1, label=labels[_PAIR[tokens.words[at]]])
        elif before and _takes(tokens, at) and _is_one(tokens, before):
            yield replace(before[-1], start=at, end=at + 1)


def _takes(tokens: ReplyTokens, at: int) -> bool:
    """Whether the reply itself takes what the word points to, and says nothing else of it."""
    if tokens.word(at + 1) not in _ENDS or tokens.word(at - 1) not in _CHOOSING:
        return False
    lead = range(max(0, at - _MOST_BETWEEN), at - 1)
    alone = at < 2 or tokens.words[at - 2] in _SENTENCE_ENDS
    return alone or bool(tokens.roles_in(lead) & WordRole.FIRST)


def _is_one(tokens: ReplyTokens, before: Sequence[Mention]) -> bool:
    """Whether the last clause that names a choice names only one."""
    last = before[-1]
    others = [mention for mention in before[:-1] if mention.label != last.label]
    return not others or not _CLAUSE_ENDS.isdisjoint(tokens.words[others[-1].end : last.start])
