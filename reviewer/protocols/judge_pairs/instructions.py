"""Texts that tell a judge what to choose, instead of being judged."""

import re
from typing import Final

from reviewer.protocols.judge_pairs.verdicts import VERDICTS
from reviewer.protocols.reading.answer_reader import ANNOUNCED, chosen_in
from reviewer.protocols.reading.choices import Choices

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
    read = chosen_in(text, _JUDGE)
    return read.label is not None and read.why == ANNOUNCED
