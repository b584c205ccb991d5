"""Texts that tell a judge what to choose, instead of being judged."""

import re

from reviewer.protocols.judge_pairs.verdict_reading import read_verdict

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
    return read_verdict(text).label is not None or bool(_ORDERS.search(text))
