"""Choices that only head the lines of a list are left open: pros and cons, the choices repeated."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from reviewer.protocols.reading.polarity import Judged, Polarity
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement
from reviewer.protocols.reading.tokens import ReplyTokens

_HEADED, _LISTED, _WHOLE_LINE = 1, 2, 3
"""How a choice heads a line: with a colon or dash behind it, behind the sign of a list, or alone."""
_SIGNS_OF_LIST = frozenset("-*•–+")
_MOST_OF_LINE = 8
_FEWEST_LISTED = 3


def without_lists(
    tokens: ReplyTokens, statements: Sequence[Statement], every: Sequence[list[Judged]]
) -> Iterator[list[Judged]]:
    """The mentions of each statement, left open where several choices head lines in the same way."""
    heads = [_head(tokens, *pair) for pair in zip(statements, every, strict=True)]
    styles = {style for _, style in heads if style}
    listed = {style for style in styles if len({label for label, own in heads if own == style}) > 1}
    ranked = bool(listed) and any(
        not judged and _ranks(tokens, statement) for statement, judged in zip(statements, every, strict=True)
    )
    for statement, judged, (_, style) in zip(statements, every, heads, strict=True):
        if ranked and style in listed:
            yield [replace(judged[0], polarity=Polarity.TAKEN)]
            ranked = False
        elif _is_left_open(tokens, statement, style, listed):
            yield [each if each.polarity is Polarity.TAKEN else _opened(each) for each in judged]
        else:
            yield judged


def without_repeated_question(every: Sequence[list[Judged]], order: Sequence[str]) -> list[list[Judged]]:
    """The mentions of each statement, left open where they run through all choices as the question does."""
    if len(order) < _FEWEST_LISTED:
        return [*every]
    runs = [(label, {at for at, _ in group}) for label, group in groupby(_said(every), key=itemgetter(1))]
    listed = set[tuple[int, int]]()
    for first in range(len(runs) - len(order) + 1):
        if [label for label, _ in runs[first : first + len(order)]] == [*order]:
            listed |= {place for _, places in runs[first : first + len(order)] for place in places}
    return [
        [_opened(each) if (number, at) in listed else each for at, each in enumerate(judged)]
        for number, judged in enumerate(every)
    ]


def _said(every: Sequence[list[Judged]]) -> Iterator[tuple[tuple[int, int], str]]:
    """The place of each mention, by statement and number, with its label; "" for one that is judged."""
    for number, judged in enumerate(every):
        for at, each in enumerate(judged):
            is_listed = Polarity.OPEN <= each.polarity < Polarity.FAVOURED
            yield (number, at), each.mention.label if is_listed else ""


def _opened(judged: Judged) -> Judged:
    return replace(judged, polarity=min(judged.polarity, Polarity.OPEN))


def _is_left_open(tokens: ReplyTokens, statement: Statement, style: int, listed: set[int]) -> bool:
    if statement.region or not listed:
        return False
    opening = range(statement.start, min(statement.end, statement.start + 5))
    in_list = _is_marked(tokens, statement.start) and not tokens.roles_in(opening) & WordRole.SO
    return style in listed or in_list


def _is_marked(tokens: ReplyTokens, start: int) -> bool:
    """Whether a line begins with the sign of a list."""
    if start and tokens.words[start - 1] != "\n":
        return False
    word = tokens.words[start]
    numbered = word.isdigit() or (len(word) == 1 and tokens.raw[start].islower())
    return word in _SIGNS_OF_LIST or (numbered and tokens.word(start + 1) in (".", ")"))


def _ranks(tokens: ReplyTokens, statement: Statement) -> bool:
    """Whether a statement says that a list goes from the best to the worst."""
    words = tokens.words[statement.start : statement.end]
    if "worst" in words and "best" in words[words.index("worst") :]:
        return False
    return (
        "ranking" in words
        or "ranked" in words
        or ("best" in words and ("first" in words or "worst" in words))
    )


def _head(tokens: ReplyTokens, statement: Statement, judged: Sequence[Judged]) -> tuple[str, int]:
    """The choice that heads a line, and how; "" and 0 if none does."""
    start = statement.start
    if not judged or statement.region or (start and tokens.words[start - 1] != "\n"):
        return "", 0
    first = judged[0]
    mention, label = first.mention, first.mention.label
    lead = tokens.words[start : mention.start]
    short = all(not word[0].isalnum() or len(word) == 1 or word.isdigit() for word in lead)
    lettered = mention.loose and tokens.word(mention.end) in (".", ")")
    if first.polarity <= Polarity.FRAGMENT and (lettered or (_is_marked(tokens, start) and short)):
        return label, _LISTED
    if first.polarity is Polarity.HEADING:
        return label, _HEADED
    whole = tokens.word(statement.end) == "\n" and statement.end < len(tokens)
    alone = whole and first.polarity is Polarity.FRAGMENT and statement.end - start <= _MOST_OF_LINE
    return (label, _WHOLE_LINE) if alone else ("", 0)
