"""Choices that only head the lines of a list are left open: pros and cons, the choices repeated."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter

from reviewer.protocols.reading.mentions import Mention, MentionKind, Polarity, labels_of
from reviewer.protocols.reading.reply_tokens import ReplyTokens
from reviewer.protocols.reading.roles import WordRole
from reviewer.protocols.reading.statements import Statement

_HEADED, _LISTED, _WHOLE_LINE = 1, 2, 3
"""How a choice heads a line: with a colon or dash behind it, behind the sign of a list, or alone."""
_SIGNS_OF_LIST = frozenset("-*•–+")
_MOST_OF_LINE = 8
_ORDERS, _OF_CHOICE = frozenset(("order", "list")), frozenset(("priority", "priorities", "preference"))
_FEWEST_LISTED = 3
_STEPS = frozenset(("next", "then", "afterwards"))
"""What begins a later step of a list."""


def without_lists(tokens: ReplyTokens, statements: Sequence[Statement]) -> Iterator[Statement]:
    """The statements, with mentions left open where several choices head lines in the same way."""
    heads = [_head(tokens, statement) for statement in statements]
    if any(each.polarity is Polarity.TAKEN for statement in statements for each in statement.judged):
        heads[-1] = _head(tokens, statements[-1], True)
    styles = {style for _, style in heads if style}
    listed = {style for style in styles if len({label for label, own in heads if own == style}) > 1}
    ranked = bool(listed) and any(not each.judged and _ranks(tokens, each) for each in statements)
    for statement, (_, style) in zip(statements, heads, strict=True):
        judged = statement.judged
        if _is_row(tokens, judged) and _ranks(tokens, statement):
            best = replace(judged[0], polarity=Polarity.TAKEN)
            yield statement.with_judged([best, *map(_opened, judged[1:])])
        elif ranked and style in listed:
            said = next((each for each in judged if each.kind is MentionKind.TEXT), judged[0])
            yield statement.with_judged([replace(said, polarity=Polarity.TAKEN)])  # its rank: "1. Do both"
            ranked = False
        elif _is_left_open(tokens, statement, style, listed):
            yield statement.with_judged(
                [each if each.polarity is Polarity.TAKEN else _opened(each) for each in judged]
            )
        else:
            yield statement


def without_repeated_question(
    tokens: ReplyTokens, statements: Sequence[Statement], order: Sequence[str]
) -> list[Statement]:
    """The statements, with mentions left open that run through all choices as the question does."""
    if len(order) < _FEWEST_LISTED:
        return [*statements]
    said = groupby(_said(statements), key=itemgetter(1))
    runs = [(label, {at for at, _ in group}) for label, group in said]
    listed = set[tuple[int, int]]()
    for first in range(len(runs) - len(order) + 1):
        if [label for label, _ in runs[first : first + len(order)]] == [*order]:
            *others, (_, last) = runs[first : first + len(order)]
            end = min(last)[0]
            listed |= {place for _, places in others for place in places}
            listed |= {at for at in last if at[0] == end}
    return [
        statement.with_judged(
            [_opened(each) if (number, at) in listed else each for at, each in enumerate(statement.judged)]
        )
        if listed and not (statement.region or tokens.role(statement.start) & WordRole.SO)
        else statement
        for number, statement in enumerate(statements)
    ]


def _said(statements: Sequence[Statement]) -> Iterator[tuple[tuple[int, int], str]]:
    """The place of each mention, by statement and number, with its label; "" for one that is judged."""
    for number, statement in enumerate(statements):
        for at, each in enumerate(statement.judged):
            is_listed = Polarity.OPEN <= each.polarity < Polarity.FAVOURED
            yield (number, at), each.label if is_listed else ""


def _opened(judged: Mention) -> Mention:
    return replace(judged, polarity=min(judged.polarity, Polarity.OPEN))


def _is_left_open(tokens: ReplyTokens, statement: Statement, style: int, listed: set[int]) -> bool:
    if statement.region:
        return False
    opening = range(statement.start, min(statement.end, statement.start + 5))
    marked = is_marked(tokens, statement.start)
    if marked and not _STEPS.isdisjoint(tokens.words[opening.start : opening.stop]):
        return True
    in_list = marked and not tokens.roles_in(opening) & WordRole.SO
    return bool(listed) and (style in listed or in_list)


def is_marked(tokens: ReplyTokens, start: int) -> bool:
    """Whether a line begins with the sign of a list."""
    if start and tokens.words[start - 1] != "\n":
        return False
    word = tokens.words[start]
    numbered = word.isdigit() or (len(word) == 1 and tokens.raw[start].islower())
    return word in _SIGNS_OF_LIST or (numbered and tokens.word(start + 1) in (".", ")"))


def _ranks(tokens: ReplyTokens, statement: Statement) -> bool:
    """Whether a statement says that a list goes from the best to the worst."""
    words = tokens.words[statement.start : statement.end]
    for worse, better in (("worst", "best"), ("worse", "better"), ("weakest", "strongest")):
        if worse in words and better in words[words.index(worse) :]:
            return False
    return (
        "ranking" in words
        or "ranked" in words
        or (bool(_ORDERS.intersection(words)) and bool(_OF_CHOICE.intersection(words)))
        or ("best" in words and ("first" in words or "worst" in words))
    )


def _is_row(tokens: ReplyTokens, judged: Sequence[Mention]) -> bool:
    """Whether only signs stand between several choices: "3, 2, 4, 1"."""
    gaps = pairwise(judged)
    plain = all(not tokens.words[at][0].isalnum() for one, two in gaps for at in range(one.end, two.start))
    return plain and len(labels_of(judged)) >= _FEWEST_LISTED


def _head(tokens: ReplyTokens, statement: Statement, is_closed: bool = False) -> tuple[str, int]:
    """The choice that heads a line, and how; "" and 0 if none does.

    ``is_closed``: the last line may be one of several, as another one is marked.
    """
    start = statement.start
    if not statement.judged or statement.region or (start and tokens.words[start - 1] != "\n"):
        return "", 0
    first, label = statement.judged[0], statement.judged[0].label
    lead = tokens.words[start : first.start]
    short = all(not word[0].isalnum() or len(word) == 1 or word.isdigit() or word == "the" for word in lead)
    lettered = first.loose and short and tokens.word(first.end) in (".", ")")
    if first.polarity <= Polarity.FRAGMENT and (lettered or (is_marked(tokens, start) and short)):
        return label, _LISTED
    if first.polarity is Polarity.HEADING:
        return label, _HEADED
    whole = tokens.word(statement.end) == "\n" and (is_closed or statement.end < len(tokens))
    alone = whole and first.polarity is Polarity.FRAGMENT and statement.end - start <= _MOST_OF_LINE
    return (label, _WHOLE_LINE) if alone else ("", 0)
