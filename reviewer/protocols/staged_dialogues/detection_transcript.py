"""What was said in a detection as one text that people read, and what is read in it again."""

import re
from collections.abc import Iterator
from typing import Final

from reviewer.protocols.staged_dialogues.debate_scores import Scores, mean_scores
from reviewer.protocols.staged_dialogues.detection import Detected, TranscriptPart

RESULT: Final = "result"
_HEADING: Final = re.compile(r"^── (.+) ──$", re.MULTILINE)
_RANK: Final = re.compile(r"^\d+\. (.+)$", re.MULTILINE)
_REFEREE: Final = re.compile(r"(round \d+, (.+) against (.+)): \w+ referee")


def transcript_text(detected: Detected) -> str:
    """All parts below their headings, and the result last; what models say cannot look like a heading."""
    ranked = (f"{rank}. {name}" for rank, name in enumerate(detected.ranking, 1))
    result = "\n".join(ranked) or f"No bias is read: {detected.why}."
    parts = (*detected.parts, TranscriptPart(RESULT, result))
    return "\n\n".join(f"── {part.heading} ──\n{part.said.replace('──', '--')}" for part in parts)


def transcript_parts(text: str) -> Iterator[TranscriptPart]:
    """The parts of such a text."""
    pieces = _HEADING.split(text)[1:]
    for heading, said in zip(pieces[::2], pieces[1::2], strict=True):
        yield TranscriptPart(heading, said.strip())


def ranking_in(text: str) -> tuple[str, ...]:
    """The biases of the result, the likeliest first; () if there is none."""
    last = next((part.said for part in reversed([*transcript_parts(text)]) if part.heading == RESULT), "")
    return tuple(_RANK.findall(last))


def scored_debates(text: str) -> Iterator[tuple[str, str, Scores, Scores]]:
    """The debates of a transcript whose scores can be read: the bias and the mean scores of each side."""
    replies: dict[tuple[str, str, str], list[str]] = {}
    for part in transcript_parts(text):
        if debate := _REFEREE.fullmatch(part.heading):
            replies.setdefault((debate[1], debate[2], debate[3]), []).append(part.said)
    for (_, first, second), said in replies.items():
        if scores := mean_scores(said):
            yield first, second, *scores
