"""A text with the spans that somebody marks: a sign before and behind each, so that no mark is colour alone.

"You ‹1·fool, ‹2·I will find you·2›·1›" is a span of label 1, with one of label 2 in it. Keys act on the
letter at the cursor, which is never a blank, and so is always in sight.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rich.cells import cell_len
from textual.content import Span

from reviewer.core.pane import Marking, Text
from reviewer.tui.rendering.line import Line, display_offsets, display_text

_OPEN, _CLOSE = "‹{}·", "·{}›"


@dataclass(frozen=True)
class SignedText:
    """A text as it is displayed with its signs, the place there of each of its own characters and of its end,
    and the styles of its parts.
    """

    displayed: str
    places: Sequence[int]
    spans: Sequence[Span]


@lru_cache(maxsize=16)
def signed_text(text: str, marking: Marking) -> SignedText:
    """A text with the signs of a marking."""
    parts, places, signs = list[str](), list[int](), list[tuple[int, int]]()
    length = 0
    for offset in range(len(text) + 1):
        if sign := _signs_at(marking.spans, offset):
            parts.append(sign)
            signs.append((length, length + len(sign)))
            length += len(sign)
        places.append(length)
        parts.append(text[offset : offset + 1])
        length += 1
    signed = "".join(parts)
    shown = display_offsets(signed)
    placed = [shown[place] for place in places]
    spans = [
        *(Span(placed[start], placed[end - 1] + 1, "span") for start, end, _ in marking.spans),
        *_part(placed, marking.selected, "selected"),
        *(Span(shown[start], shown[end], "sign") for start, end in signs),
        *_part(placed, marking.cursor, "cursor"),
    ]
    return SignedText(display_text(signed), placed, spans)


def _part(placed: Sequence[int], part: tuple[int, int] | None, style: str) -> Iterator[Span]:
    if part is not None and part[0] < part[1]:
        yield Span(placed[part[0]], placed[part[1] - 1] + 1, style)


def _signs_at(spans: Sequence[tuple[int, int, str]], offset: int) -> str:
    """The signs before a character: what ends there, the last one to begin first, then what begins there."""
    ends = sorted((span for span in spans if span[1] == offset), key=lambda span: (-span[0], span[2]))
    begins = sorted((span for span in spans if span[0] == offset), key=lambda span: (-span[1], span[2]))
    signs = [_CLOSE.format(sign) for *_, sign in ends] + [_OPEN.format(sign) for *_, sign in begins]
    return "".join(signs)


def line_of_cursor(lines: Sequence[Line]) -> int | None:
    """The number of the line with the cursor; None if no line has it."""
    cursors = (
        n for n, line in enumerate(lines) if any(span.style == "cursor" for span in line.content.spans)
    )
    return next(cursors, None)


def offset_on_line(body: Text, lines: Sequence[Line], number: int, cells: int) -> int | None:
    """The character of a text that stands on a line at this many cells from its beginning, or next to there.

    None where the line shows none, as an empty one.
    """
    assert body.marking is not None
    signed = signed_text(body.text, body.marking)
    start, line = _begin(signed.displayed, lines, number), lines[number].content.plain
    if start is None:
        return None
    indent = len(line) - len(line.lstrip())
    column = next((n for n in range(len(line)) if cell_len(line[: n + 1]) > cells), len(line) - 1)
    end = start + len(line.strip())
    wanted = min(max(start, start + column - indent), end - 1)
    offset = min(bisect_left(signed.places, wanted), len(body.text) - 1)
    # Behind the last character of the line, there may be a sign: the character before it is on the line.
    while offset > 0 and signed.places[offset] >= end:
        offset -= 1
    return offset if start <= signed.places[offset] < end else None


def cells_before_cursor(line: Line) -> int:
    """The number of cells of a line before the cursor."""
    cursor = next((span for span in line.content.spans if span.style == "cursor"), None)
    return cell_len(line.content.plain[: cursor.start]) if cursor else 0


def _begin(displayed: str, lines: Sequence[Line], wanted: int) -> int | None:
    """Where the text on a line begins in the displayed text; lines are in the order of the text."""
    at = 0
    for number, line in enumerate(lines[: wanted + 1]):
        shown = line.content.plain.strip()
        start = displayed.find(shown, at) if shown else -1
        if number == wanted:
            return start if start >= 0 else None
        at = start + len(shown) if start >= 0 else at
    return None
