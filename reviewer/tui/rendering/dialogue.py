"""A dialogue as lines: each turn below its head, with the mark of its speaker in the margin; its speakers."""

from dataclasses import replace
from functools import lru_cache

from textual.content import Content

from reviewer.core.dialogue import Dialogue
from reviewer.core.pane import Pane
from reviewer.tui.rendering.line import EMPTY, Line, display_text, wrapped
from reviewer.tui.rendering.pane_parts import PanePart, PaneParts

_MARKS = "■▲●★□△○☆" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_GAP, _INDENT = 1, 4
"""Cells between the margin and a head, and before a text."""


@lru_cache(maxsize=64)
def dialogue_lines(dialogue: Dialogue, position: int, width: int) -> tuple[Line, ...]:
    """All turns (``position`` 0), or those of one speaker, counted from 1."""
    speakers = {speaker: number for number, speaker in enumerate(dialogue.speakers, 1)}
    lines: list[Line] = []
    for number, (turn, head) in enumerate(zip(dialogue.turns, dialogue.heads, strict=True), 1):
        speaker = speakers[turn.name]
        if position in (0, speaker):
            lines += [EMPTY] if lines else []
            lines += _turn_lines(display_text(head), display_text(turn.text), speaker, str(number), width)
    return tuple(lines)


def _turn_lines(head: str, text: str, speaker: int, number: str, width: int) -> list[Line]:
    heads = wrapped(Content.styled(head, "title"), width - _GAP)
    lines = [Line(part.pad_left(_GAP), text=number) for part in heads]
    lines[0] = replace(lines[0], remark=speaker_mark(speaker - 1))
    body = wrapped(Content(text), width - _INDENT) if text else ()
    return [*lines, *(Line(part.pad_left(_INDENT), text=number) for part in body)]


def parts_of_dialogue(pane: Pane, dialogue: Dialogue, position: int) -> PaneParts:
    """The speakers of a dialogue with their marks and how many turns each has."""
    said: dict[str, list[str]] = {speaker: [] for speaker in dialogue.speakers}
    for turn in dialogue.turns:
        said[turn.name].append(turn.text)
    parts = tuple(
        PanePart(speaker_mark(number), speaker, "\n".join(texts), str(len(texts)))
        for number, (speaker, texts) in enumerate(said.items())
    )
    shown = (position - 1,) if position else ()
    return PaneParts(pane.key, pane.title, "speakers", parts, shown, position, len(parts) + 1)


def speaker_mark(number: int) -> str:
    """The mark of a speaker of a dialogue, by the order in which they begin to speak."""
    return _MARKS[number % len(_MARKS)]
