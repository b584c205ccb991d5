"""Passages that comments are about: from lines on the screen to a place in the text, and back."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from reviewer.core.dialogue import PARAGRAPH_BREAK, Dialogue
from reviewer.core.pane import Body, Code, Pair, Pane, Text, Variants
from reviewer.tui.rendering.line import FOLDED, UNFOLDED, Line, Trail, display_text
from reviewer.tui.rendering.pane_text import PaneText
from store.records import JsonValue

CommentedLinesOf = Callable[[PaneText, tuple[Line, ...]], frozenset[int]]
"""The numbers of the lines of a text that comments are about."""
_MARKS = str.maketrans("", "", "‹›")
_LONGEST = 2_000
_TURN = " · turn "
Span = tuple[int, int]
"""The first character of a part of a text, and the first one behind it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Part of a pane: a quote, and its offsets in the displayed text (see ``display_text``).

    ``side`` names the text of the pane: "left" or "right" of a pair, "1" to "9" of variants; None where the
    pane has one text.
    """

    pane: str
    side: str | None
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
    match pane.body:
        case Pair():
            return pane.body.left_title if passage.side == "left" else pane.body.right_title
        case Variants() as variants:
            texts = variants.titled(pane.title).texts
            titles = {str(number): title for number, (title, _) in enumerate(texts, 1)}
            return titles.get(passage.side or "", pane.title)
        case Dialogue() as dialogue:
            spans, heads = _turns_of(_paragraph_spans(dialogue)).items(), dialogue.heads
            turn = next((heads[at] for at, span in spans if passage.start in range(*span)), "")
            return _TURN.join(filter(None, (pane.title, turn)))
        case _:
            return pane.title


def quote_below_place(passage: Passage, panes: Iterable[Pane]) -> str:
    """What the passage quotes, without the head of a turn that ``place_of`` names already."""
    return passage.quote.removeprefix(place_of(passage, panes).rpartition(_TURN)[2] + "\n")


def passage_at(
    pane: Pane,
    pane_text: PaneText,
    lines: Sequence[Line],
    chosen: Sequence[int],
    *,
    whole_turns: bool = False,
) -> Passage | None:
    """The passage that these lines of a pane's text show; of a dialogue, the turns that they are of if
    ``whole_turns``.
    """
    paragraphs = _paragraph_spans(pane.body)
    turns = _turns_of(paragraphs)
    for side, text in _texts(pane, pane_text):
        spans = [span for n, span in _spans(text, side, lines, paragraphs).items() if n in chosen]
        if whole_turns:
            spans = [turn for n in chosen if (turn := _turn_of(lines[n], turns))] or spans
        if spans:
            start, end = spans[0][0], min(spans[-1][1], spans[0][0] + _LONGEST)
            return Passage(pane.key, side, start, end, text[start:end])
    return None


def lines_of(passage: Passage, pane: Pane, pane_text: PaneText, lines: Sequence[Line]) -> frozenset[int]:
    """Which lines show something of the passage; none where the text has changed since."""
    paragraphs = _paragraph_spans(pane.body)
    for side, text in _texts(pane, pane_text):
        if side == passage.side and _says(text[passage.start : passage.end], passage):
            spans = _spans(text, side, lines, paragraphs).items()
            return frozenset(n for n, (start, end) in spans if start < passage.end and passage.start < end)
    return frozenset()


def _says(here: str, passage: Passage) -> bool:
    """Whether a text still says at its place what the passage quotes; its end may have been left out."""
    return bool(here) and (here == passage.quote or passage.quote == f"{here}`")


def commented_lines(passages: Sequence[Passage], panes: Sequence[Pane]) -> CommentedLinesOf | None:
    """A function that finds the lines of a text that any of the passages shows; None if there are none."""
    if not passages:
        return None

    def lines(pane_text: PaneText, shown: tuple[Line, ...]) -> frozenset[int]:
        pane = next((pane for pane in panes if pane.key == pane_text.pane), None)
        about = [passage for passage in passages if pane is not None and passage.pane == pane.key]
        found = (lines_of(passage, pane, pane_text, shown) for passage in about if pane is not None)
        return frozenset().union(*found)

    return lines


def as_the_sides_stand(passage: Passage, *, exchanged: bool) -> Passage:
    """The passage of a rater, for people who see the sides as they truly stand."""
    sides = {"left": "right", "right": "left"} if exchanged else {}
    return replace(passage, side=sides.get(passage.side or "", passage.side))


def stands_in(passage: Passage, panes: Iterable[Pane]) -> bool:
    """Whether one of the panes has the passage at its place."""
    texts = (
        text for pane in panes if pane.key == passage.pane for text in _sides(pane) if passage.side == text[0]
    )
    return any(text[passage.start : passage.end] == passage.quote for _, text in texts)


def _sides(pane: Pane) -> list[tuple[str | None, str]]:
    match pane.body:
        case Pair(left=left, right=right):
            return [("left", _plain(left)), ("right", _plain(right))]
        case Variants(texts):
            return [(str(number), _plain(body)) for number, (_, body) in enumerate(texts, 1)]
        case Text() | Code() | Dialogue() as body:
            return [(None, _plain(body))]
        case _:
            return []


def _texts(pane: Pane, pane_text: PaneText) -> list[tuple[str | None, str]]:
    """The texts of the pane that are shown: one side of a pair, or both where they are shown as one text."""
    return [(side, text) for side, text in _sides(pane) if side is None or side in pane_text.sides]


def _plain(body: Text | Code | Dialogue) -> str:
    return display_text(body.text)


def _paragraph_spans(body: Body) -> Mapping[Trail, Span]:
    """The span of each rule's head and of each turn of a dialogue in its displayed text; {} elsewhere."""
    spans, at = dict[Trail, Span](), 0
    for trail, paragraph in body.paragraphs if isinstance(body, Dialogue) else ():
        end = at + len(display_text(paragraph))
        spans[trail] = at, end
        at = end + len(PARAGRAPH_BREAK)
    return spans


def _turns_of(paragraphs: Mapping[Trail, Span]) -> Mapping[int, Span]:
    """The spans of turns by their places."""
    return {trail[-1]: span for trail, span in paragraphs.items() if trail[1:]}


def _turn_of(line: Line, turns: Mapping[int, Span]) -> Span | None:
    """The span of the turn that a line is of, if it is of one."""
    return turns.get(int(line.text) - 1) if turns and line.text else None


def _spans(
    text: str, side: str | None, lines: Sequence[Line], paragraphs: Mapping[Trail, Span]
) -> dict[int, Span]:
    """The span in the text of each line that is found there; lines are in the order of the text.

    A line of a turn is looked for in the turn only; one that stands for a folded turn, or for the head of a
    folded rule, has all of it.
    """
    spans, at, turns = dict[int, Span](), 0, _turns_of(paragraphs)
    for number, line in enumerate(lines):
        if side and line.text not in ("", side):
            continue
        shown = line.content.plain.translate(_MARKS).strip()
        shown, is_folded = shown.removeprefix(UNFOLDED), shown.startswith(FOLDED)
        if is_folded and line.fold and (whole := paragraphs.get(line.fold)):
            spans[number], at = whole, whole[1]
            continue
        turn = _turn_of(line, turns)
        at = max(at, turn[0]) if turn else at
        start = text.find(shown, at, turn[1] if turn else None) if shown else -1
        if start >= 0:
            at = start + len(shown)
            spans[number] = start, at
    return spans
