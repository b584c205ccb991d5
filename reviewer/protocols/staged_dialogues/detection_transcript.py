"""The transcript of a detection: as one text for people, and read again from that text."""

import re
from collections.abc import Iterator
from typing import Final

from reviewer.core.dialogue import Dialogue, Turn
from reviewer.protocols.staged_dialogues.debate_scores import Scores, mean_scores
from reviewer.protocols.staged_dialogues.detection import REFEREE, Detected, TranscriptPart, cut_text

RESULT: Final = "result"
_MOST_KEPT: Final = 20_000
"""The most characters of a part; a model that says 200 KB would fill a store with transcripts."""
_HEADING: Final = re.compile(r"^── (.+) ──$", re.MULTILINE)
_RANK: Final = re.compile(r"^\d+\. (.+)$", re.MULTILINE)
_REFEREE: Final = re.compile(r"(round \d+, (.+) against (.+)): \w+ referee")


def transcript_text(detected: Detected) -> str:
    """All parts below their headings, and the result last; what models say cannot look like a heading."""
    ranked = (f"{rank}. {name}" for rank, name in enumerate(detected.ranking, 1))
    result = "\n".join(ranked) or f"No bias is read: {detected.why}."
    parts = (*detected.parts, TranscriptPart(RESULT, result))
    return "\n\n".join(f"── {part.heading} ──\n{_kept(part.said)}" for part in parts)


def _kept(said: str) -> str:
    return cut_text(said, _MOST_KEPT).replace("──", "--")


def transcript_parts(text: str) -> Iterator[TranscriptPart]:
    """The parts of such a text."""
    pieces = _HEADING.split(text)[1:]
    for heading, said in zip(pieces[::2], pieces[1::2], strict=True):
        yield TranscriptPart(heading, said.strip())


def transcript_dialogue(text: str) -> Dialogue:
    """The parts as turns, those of a debate below its name."""
    return Dialogue(tuple(_turns(text)))


def _turns(text: str) -> Iterator[Turn]:
    for part in transcript_parts(text):
        debate, colon, who = part.heading.rpartition(": ")
        speaker, what = _speaker(who)
        said = f"{what}: {part.said}" if what else part.said
        yield Turn(speaker, said, rule=debate) if colon else Turn(speaker, said)


def _speaker(who: str) -> tuple[str, str]:
    """Who speaks, the same for all stages of a side, and of which stage, candidate or manner it is."""
    stage, argues, side = who.partition(" for ")
    kind, looks, bias = who.partition(" of ")
    manner, scores, _ = who.partition(f" {REFEREE}")
    return (side, stage) if argues else (kind, bias) if looks else (REFEREE, manner) if scores else (who, "")


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
