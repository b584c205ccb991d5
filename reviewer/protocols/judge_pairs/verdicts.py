"""The verdicts on two answers, as the reader of answers knows them."""

from typing import Final

from reviewer.protocols.evaluation import LabelRead
from reviewer.protocols.judge_pairs.answer_pair import FIRST, SECOND
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
"""Either place, known by letter, number and order, and a tie. The word "answer" announces nothing: a judge
says it of what is judged."""


def read_verdict(reply: str) -> LabelRead:
    """The place (first or second) that a judge's reply prefers, or a tie."""
    from reviewer.protocols.reading.answer_reader import chosen_in  # loads where replies are read

    return chosen_in(reply, VERDICTS)
