"""Words that point back to a choice: "Option 3 remained, and I took it", "I chose the latter"."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from reviewer.protocols.reading.mentions import Mention, MentionKind
from reviewer.protocols.reading.naming_words import phrases_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens, places_of
from reviewer.protocols.reading.roles import WordRole, roles_of

_POINTING: Final = frozenset(("it", "that", "this", "him", "her", "which", "that's", "it's"))
_CALLED: Final = frozenset(("that", "this", "which", "it"))
_STAYING: Final = frozenset(("stays", "hasn't", "has", "still"))
_OWN: Final = frozenset(("my", "i", "i'd"))
_NOT_OWN: Final = roles_of("negates refuses bad ponders could if earlier others speaks loses excepts")
_CHOOSING: Final = frozenset(
    "choose chose chosen pick picked take took select selected recommend recommended prefer".split()  # noqa: SIM905
)
_STANDING_BY: Final = phrases_of("i stand by; i stick with; i stick to; i stay with")
_PAIR: Final = {"former": 0, "latter": 1}
_WORDS: Final = _POINTING | _PAIR.keys()
_OTHER: Final = frozenset(("other", "alternative"))
_ONE: Final = frozenset(("one", "option", "choice", "answer", "response", "approach", "route", "way"))
_SENTENCE_ENDS: Final = frozenset(".!?\n;")
_CLAUSE_ENDS: Final = _SENTENCE_ENDS | {","}
_ENDS: Final = _CLAUSE_ENDS | {")", "because", "since", "and", "over", "for"}
_MOST_BETWEEN: Final = 4
_FARTHEST: Final = 40


def the_other(tokens: ReplyTokens, mentions: Sequence[Mention], labels: Sequence[str]) -> Iterator[Mention]:
    """The mentions of one of two choices as the other: "Spring is too early. I chose the other one."."""
    if len(labels) != len(_PAIR) or _OTHER.isdisjoint(tokens.words):
        return
    starts = [mention.start for mention in mentions]
    for at in places_of(_OTHER, tokens.words):
        end = at + 1 + (tokens.word(at + 1) in _ONE)
        if tokens.word(at - 1) != "the" or not (end > at + 1 or tokens.word(end) in _ENDS):
            continue
        last = bisect_left(starts, at)
        before = [
            mention.label for mention in mentions[max(0, last - 2) : last] if at - _FARTHEST <= mention.start
        ]
        if before and before[-1] in labels and len({*before}) == 1:
            other = labels[1 - labels.index(before[-1])]
            yield Mention(at - 1, end, other, MentionKind.NAME)


def pointed_back(tokens: ReplyTokens, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """The mentions by words that point back to the mentions before them."""
    if not mentions or _WORDS.isdisjoint(tokens.words):
        return
    for at in places_of(_WORDS, tokens.words):
        is_pair = tokens.words[at] in _PAIR
        if not (is_pair or _takes(tokens, at) or _is_called_own(tokens, at)):
            continue
        before = [mention for mention in mentions if at - _FARTHEST <= mention.start and mention.end <= at]
        if is_pair:
            labels = list(dict.fromkeys(mention.label for mention in before[-2:]))
            if len(labels) == 2 and tokens.word(at - 1) == "the":
                yield replace(before[-1], start=at, end=at + 1, label=labels[_PAIR[tokens.words[at]]])
        elif before and _is_next(tokens, before[-1].end, at):
            preferred = _not_compared(tokens, before)
            if _is_one(tokens, preferred):
                yield replace(preferred[-1], start=at, end=at + 1)


def _takes(tokens: ReplyTokens, at: int) -> bool:
    """Whether the reply itself takes what the word points to, and says nothing else of it."""
    if tokens.word(at + 1) not in _ENDS:
        return False
    if tokens.words[at - 3 : at] in _STANDING_BY and at > 2:
        return True
    if tokens.word(at - 1) not in _CHOOSING:
        return False
    lead = range(max(0, at - _MOST_BETWEEN), at - 1)
    alone = at < 2 or tokens.words[at - 2] in _SENTENCE_ENDS
    return alone or bool(tokens.roles_in(lead) & WordRole.FIRST)


def _is_called_own(tokens: ReplyTokens, at: int) -> bool:
    """Whether the reply calls the thing that the word points to its choice: "so that is what I would do"."""
    word, behind = tokens.words[at], at + 1
    if word in _CALLED and tokens.role(behind) & WordRole.GOOD and tokens.absorbed[behind]:
        return tokens.words[behind] in _STAYING
    if word in _CALLED and tokens.role(behind) & WordRole.IS:
        behind += 1
    elif word not in ("that's", "it's"):
        return False
    end = next(
        (near for near in range(behind, len(tokens)) if tokens.words[near] in _CLAUSE_ENDS), len(tokens)
    )
    said = tokens.roles_in(range(behind, end))
    called = said & WordRole.GOOD and {*tokens.words[behind:end]} & _OWN
    return bool(called or (said & WordRole.FIRST and said & WordRole.TAKES)) and not said & _NOT_OWN


def _is_next(tokens: ReplyTokens, start: int, at: int) -> bool:
    """Whether what is pointed to stands in the same sentence, or in the one that ends right before."""
    ends = [near for near in range(start, at) if tokens.words[near] in _SENTENCE_ENDS]
    weak = WordRole.GLUE | WordRole.SO | WordRole.JOINS | WordRole.FIRST | WordRole.TAKES
    return not ends or all(tokens.roles[near] & weak for near in range(ends[-1] + 1, at))


def _not_compared(tokens: ReplyTokens, before: Sequence[Mention]) -> Sequence[Mention]:
    """The mentions but for those that another one is compared to: "A is safer than B"."""
    gaps = (range(one.end, other.start) for one, other in pairwise(before))
    compared = [tokens.roles_in(gap) & (WordRole.THAN | WordRole.EXCEPTS) for gap in gaps]
    return [before[0], *(each for each, other in zip(before[1:], compared, strict=True) if not other)]


def _is_one(tokens: ReplyTokens, before: Sequence[Mention]) -> bool:
    """Whether the last clause that names a choice names only one."""
    last = before[-1]
    others = [mention for mention in before[:-1] if mention.label != last.label]
    return not others or not _CLAUSE_ENDS.isdisjoint(tokens.words[others[-1].end : last.start])
