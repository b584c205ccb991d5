"""Passages that comments are about: from lines on the screen to a place in the text, and back."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from reviewer.core.pane import Code, Pair, Pane, Text
from reviewer.tui.rendering.line import Line, display_text
from store.records import JsonValue

Side = Literal["left", "right"]
_MARKS = str.maketrans("", "", "‹›")
_OF_BOTH = ("+", "−", "±")
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Passage:
    """Part of a pane: a quote, and its offsets in the displayed text (see ``display_text``)."""

    pane: str
    side: Side | None
    start: int
    end: int
    quote: str

    def as_json(self) -> dict[str, JsonValue]:
        """The passage as an event stores it."""
        return asdict(self)

    @classmethod
    def of_json(cls, value: JsonValue) -> "Passage | None":
        """The passage that an event stores; None where it has none, or one with unknown fields."""
        try:
            return cls(**value) if value else None
        except TypeError:
            return None


def place_of(passage: Passage, panes: Iterable[Pane]) -> str:
    """The title that is shown above the passage."""
    pane = next((pane for pane in panes if pane.key == passage.pane), None)
    if pane is None:
        return passage.pane
    if isinstance(pane.body, Pair):
        return pane.body.left_title if passage.side == "left" else pane.body.right_title
    return pane.title


def passage_at(pane: Pane, part: int, lines: Sequence[Line], chosen: Sequence[int]) -> Passage | None:
    """The passage that these lines show, given the pane and which part of it they belong to."""
    for side, text in _texts(pane, part, lines):
        spans = [span for n, span in _spans(text, lines).items() if n in chosen]
        if spans:
            start, end = spans[0][0], min(spans[-1][1], spans[0][0] + _LONGEST)
            return Passage(pane.key, side, start, end, text[start:end])
    return None


def lines_of(passage: Passage, pane: Pane, part: int, lines: Sequence[Line]) -> frozenset[int]:
    """Which lines show something of the passage; none where the text has changed since."""
    for side, text in _texts(pane, part, lines):
        if side == passage.side and text[passage.start : passage.end] == passage.quote:
            spans = _spans(text, lines).items()
            return frozenset(n for n, (start, end) in spans if start < passage.end and passage.start < end)
    return frozenset()


def _texts(pane: Pane, part: int, lines: Sequence[Line]) -> list[tuple[Side | None, str]]:
    """The texts in these lines: one side of a pair, or both sides where they are shown as one text."""
    body = pane.body
    if isinstance(body, Text | Code):
        return [(None, _plain(body))]
    if not isinstance(body, Pair):
        return []
    sides: list[tuple[Side | None, str]] = [("left", _plain(body.left)), ("right", _plain(body.right))]
    both = any(line.sign in _OF_BOTH for line in lines)
    return sides if both else [sides[part]]


def _plain(body: Text | Code) -> str:
    return display_text(body.text)


def _spans(text: str, lines: Sequence[Line]) -> dict[int, tuple[int, int]]:
    """The span in the text of each line that is found there; lines are in the order of the text."""
    spans, at = {}, 0
    for number, line in enumerate(lines):
        shown = line.content.plain.translate(_MARKS).strip()
        start = text.find(shown, at) if shown else -1
        if start >= 0:
            at = start + len(shown)
            spans[number] = start, at
    return spans
