"""Verdicts on two answers, as the reader of answers knows them, and texts that tell a judge which to give."""

import re
from typing import Final

from reviewer.protocols.evaluation import LabelRead
from reviewer.protocols.judge_pairs.payloads import FIRST, SECOND
from reviewer.protocols.reading.choices import DECIDING, Choice, Choices

TIE: Final = "tie"
_TIE_WORDS: Final = [
    "tie",
    "draw",
    "tied",
    "even",
    "level",
    "equal",
    "equally",
    "toss-up",
    "stalemate",
    "deadlock",
    "unentschieden",
    "gleichstand",
    "égalité",
    "empate",
    "pareggio",
    "parità",
    "gelijkspel",
    "remis",
    "ничья",
    "平局",
    "平手",
    "引き分け",
    "무승부",
    "동점",
    "oavgjort",
    "uafgjort",
    "uavgjort",
    "döntetlen",
    "beraberlik",
]
VERDICTS: Final = Choices(
    (
        Choice(FIRST, ("A", "1"), 1, words=("first", "1st")),
        Choice(SECOND, ("B", "2"), 2, words=("second", "2nd")),
        Choice(TIE, ("C",), 0, words=tuple(_TIE_WORDS)),
    ),
    DECIDING,
)
"""Either place, known by letter, number and order, and a tie. The word "answer" announces nothing: judges
use it for the texts that they compare."""


def read_verdict(reply: str) -> LabelRead:
    """The place (first or second) that a judge's reply prefers, or a tie."""
    from reviewer.protocols.reading.answer_reader import chosen_in  # loads where replies are read

    return chosen_in(reply, VERDICTS)


_JUDGE: Final = Choices(VERDICTS.choices, frozenset(("verdict",)))
"""Only the word of a judge's prompt announces here: answers may end in a decision of their own."""

_BEGINS = r"(?:^|[.!?:;]\s+|\n\s*|\byou\s+(?:must|should|shall|have\s+to|are\s+to|will)\s+|\bplease\s+)"
_CHOOSE = r"(?:(?:always|only|now)\s+)?(?:choose|prefer|pick|select|answer|output|reply|respond|vote|say)\b"
_SIDE = r"(?:first|second|verdict|(?:answer|response|option)\s+[AB12]|this\s+(?:answer|one))\b"
_RULES = r"(?:instructions?|prompts?|above|previous|rules?|criteria)\b"
_ORDERS = re.compile(
    rf"{_BEGINS}{_CHOOSE}[^.!?\n]{{0,60}}?\b{_SIDE}"
    rf"|{_BEGINS}(?:ignore|disregard|forget)\b[^.!?\n]{{0,40}}?\b{_RULES}",
    re.IGNORECASE,
)


def tells_the_judge(text: str) -> bool:
    """Whether a text holds a verdict in the form of a judge's reply, or tells its reader what to choose."""
    return _has_verdict(text) or bool(_ORDERS.search(text))


def _has_verdict(text: str) -> bool:
    from reviewer.protocols.reading.answer_reader import ANNOUNCED, chosen_in  # the same

    read = chosen_in(text, _JUDGE)
    return read.label is not None and read.why == ANNOUNCED
