"""One line of the screen, how text becomes lines, and words found in lines as they are laid out."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, takewhile
from typing import Literal

from rich.cells import cell_len
from textual.content import Content, Span

from reviewer.core.sanitize import visible

Mark = Literal[
    "difference",
    "left-only",
    "right-only",
    "muted",
    "strong",
    "title",
    "alone",
    "finding",
    "filled",
    "span",
    "sign",
    "cursor",
    "selected",
]
"""What a span of a line is; TextPane styles each kind."""

Trail = tuple[int, ...]
"""A branch of a tree: the number of the branch at each level, from the root."""
Toggled = frozenset[Trail]
"""The branches whose folding differs from the default of their tree."""

_BLANK_ENDS = re.compile(r"[ \t]+$", re.MULTILINE)
_MARK = r"(?:[-*•]|\d+[.)])"
_LIST_ITEM = re.compile(rf"\s*(?:‹{_MARK}›\s*)?‹?{_MARK}\s+")
"""The mark of a list item, also in the brackets around what only one of two texts has."""
_SIMPLE = re.compile("[ -~\u00a1-\u00ac\u00ae-\u02af–—‘’“”•…]*")
"""Characters of one cell each, of which only the blank separates words."""
_TAB = 4
_NUMBER = 3
"""Cells of a line's number; longer numbers take more."""
_LINK = "link:"
FOLDED, UNFOLDED = "▸ ", "▾ "
"""What stands before a line whose branch is folded, or can be folded."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line with the sign in its margin: ``▌`` differs, ``−`` left only, ``+`` right only, ``±`` both, ``◆``
    a finding is about it.

    ``fold`` is the branch of a tree, or of a dialogue with rules, that folds and unfolds on this line;
    ``remark`` is a second sign.
    ``text`` names the text that the line belongs to where a pane shows several texts in turn: a side, a
    variant, or the number of a turn.
    """

    content: Content
    sign: str = " "
    fold: Trail | None = None
    remark: str = " "
    text: str = ""


EMPTY = Line(Content(""))


def display_text(text: str) -> str:
    """The text as it is displayed: made safe, tabs as blanks, without the invisible blanks at line ends."""
    return _BLANK_ENDS.sub("", visible(text).expandtabs(_TAB))


def display_offsets(text: str) -> Sequence[int]:
    """The offset of each character of a text, and of its end, in the displayed text."""
    shown = visible(text)
    if display_text(text) == shown:
        return range(len(text) + 1)
    offsets: list[int] = []
    begin = 0
    for line in shown.split("\n"):
        kept, column = len(display_text(line)), 0
        for character in line:
            offsets.append(begin + min(column, kept))
            column += _TAB - column % _TAB if character == "\t" else 1
        begin += kept + 1
        offsets.append(begin - 1)
    return offsets


def wrapped(content: Content, width: int, *, source: bool = False) -> list[Content]:
    """The lines of a content at a width in cells; at least one.

    Continuation lines are indented: to the text of a list item, or in source by four more blanks, so that
    they do not look like lines of their own. Source is broken between terms.
    """
    width = max(2, width)
    return [
        part for line in content.split(allow_blank=True) for part in _wrapped_line(line, width, source)
    ] or [content]


def numbered(content: Content, width: int, first: int = 1) -> list[Content]:
    """The lines of a source at a width in cells, each line of the source beside its number."""
    lines: list[Content] = []
    for number, line in enumerate(content.split(allow_blank=True), first):
        head = Content.styled(f"{number:>{_NUMBER}} ", "muted")  # ``number_cells`` wide
        for part in _wrapped_line(line, max(2, width - head.cell_length), True):
            lines.append(Content.assemble(head, part))
            head = Content(" " * head.cell_length)
    return lines


def number_cells(number: int) -> int:
    """The cells of a line's number in ``numbered``, with the blank after it."""
    return max(_NUMBER, len(str(number))) + 1


def _wrapped_line(line: Content, width: int, source: bool) -> list[Content]:
    if line.cell_length <= width:
        return [line]
    hang = min(_hang(line.plain, source), width // 2)
    if source:
        return [*_wrapped_source(line, width, hang)]
    if ends := _ends_of_words(line.plain, width, hang):
        first, *rest = line.divide([0, *chain.from_iterable(ends), len(line)])[1::2]
        return [first, *(part.pad_left(hang) for part in rest)]
    first, *rest = line.wrap(width)
    if not hang or not rest:
        return [first, *rest]
    continuation = _stripped(line[len(first) :])
    return [first, *(part.pad_left(hang) for part in continuation.wrap(width - hang))]


def parts_of_line(line: str, width: int, *, hangs: bool = True) -> list[str]:
    """One line of plain text broken as ``wrapped`` breaks it, or as ``hanging`` does if it does not
    ``hang`` below the mark of a list item. It takes a fraction of their time.
    """
    width = max(2, width)
    if cell_len(line) <= width:
        return [line]
    hang = min(_hang(line, False), width // 2) if hangs else 0
    if ends := _ends_of_words(line, width, hang):
        begins, indents = (0, *(begin for _, begin in ends)), ("", *(" " * hang for _ in ends))
        stops = (*(end for end, _ in ends), len(line))
        return [indent + line[begin:end] for indent, begin, end in zip(indents, begins, stops, strict=True)]
    content = Content(line)
    return [part.plain for part in (_wrapped_line(content, width, False) if hangs else content.wrap(width))]


def _ends_of_words(text: str, width: int, hang: int) -> list[tuple[int, int]]:
    """Where ``Content.wrap`` ends each line of a text but the last, and begins the next, in a fifth of its
    time; [] where a word is longer than a line, or where not every character takes one cell.
    """
    if not _SIMPLE.fullmatch(text) or text.endswith(" "):
        return []
    ends: list[tuple[int, int]] = []
    at, room = 0, width
    while len(text) - at > room:
        end = text.rfind(" ", at, at + room + 1)
        part = text[at : max(at, end)].rstrip()
        if not part.strip():
            return []
        begin = end + 1
        while text[begin] == " ":
            begin += 1
        ends.append((at + len(part), begin))
        at, room = begin, width - hang
    return ends


def source_rows(line: str, width: int) -> int:
    """How many lines ``wrapped`` makes of one line of a source, in a fraction of its time."""
    width = max(2, width)
    if cell_len(line) <= width:
        return 1
    return sum(1 for _ in _source_parts(line, width, min(_hang(line, True), width // 2)))


def _wrapped_source(line: Content, width: int, hang: int) -> Iterator[Content]:
    for part, indent in _source_parts(line.plain, width, hang):
        yield line[part].pad_left(indent)


def _source_parts(text: str, width: int, hang: int) -> Iterator[tuple[slice, int]]:
    """The characters of each line that a line of a source becomes, and the blanks before them."""
    begin, indent, room = 0, 0, width
    while cell_len(text[begin:]) > room:
        rest = text[begin:]
        at = _source_break(rest, _fitting(rest, room), width - hang)
        yield slice(begin, begin + len(rest[:at].rstrip())), indent
        begin, indent, room = len(text) - len(rest[at:].lstrip()), hang, width - hang
    if begin < len(text):
        yield slice(begin, len(text)), indent


def _fitting(text: str, cells: int) -> int:
    """How many characters fit into this many cells."""
    if text.isascii():  # each takes one cell, since control characters are displayed as others
        return min(len(text), cells)
    return sum(1 for _ in takewhile(lambda used: used <= cells, accumulate(map(cell_len, text))))


def _source_break(text: str, fits: int, room: int) -> int:
    """Where to break a line of which ``fits`` characters fit.

    It breaks after a blank, or else after a comma or bracket, or else inside a name: at the first of these
    where the next unbroken piece fits into the next line (``room`` cells).
    """
    begin, ends = len(text) - len(text.lstrip()), list[int]()
    for marks in (" ", " ,([", " ,([_"):
        at = max(text.rfind(mark, begin, fits + (mark == " ")) for mark in marks) + 1
        if at > begin:
            ends.append(at)
            piece = min(len(text[at:].partition(mark)[0]) for mark in marks)
            if piece <= room:
                return at
    return ends[0] if ends else max(1, fits)


def _stripped(content: Content) -> Content:
    """The content without the blanks at its beginning."""
    return content[len(content.plain) - len(content.plain.lstrip()) :]


def _hang(line: str, source: bool) -> int:
    if source:
        return len(line) - len(line.lstrip()) + _TAB
    item = _LIST_ITEM.match(line)
    return item.end() if item else 0


def hanging(head: Content, body: Content, width: int) -> list[Content]:
    """The head with the body beside it; further lines of the body are indented to where it begins."""
    room = max(2, width - head.cell_length)
    first, *more = [body] if body.cell_length <= room and "\n" not in body.plain else body.wrap(room)
    return [Content.assemble(head, first), *(part.pad_left(head.cell_length) for part in more)]


def signed_line(content: Content, sign: str = " ") -> Line:
    """A content as a line, with ``?`` where a clause without a link begins and ``◆`` where a finding is about
    it.
    """
    sign = "◆" if has_mark(content, "finding") else sign
    return Line(content, sign, remark="?" if has_mark(content, "alone") else " ")


def plain_lines(content: Content, width: int, *, source: bool = False) -> tuple[Line, ...]:
    """A content as lines without signs."""
    return tuple(signed_line(part) for part in wrapped(content, width, source=source))


def link_style(name: str) -> str:
    """The style name of the spans of a link."""
    return _LINK + name


def links_on(line: Line) -> Iterator[tuple[int, int, str]]:
    """The spans of a line that belong to links: start, end and the name of the link."""
    for span in line.content.spans:
        if is_link(span) and span.end > span.start:
            yield span.start, span.end, str(span.style).removeprefix(_LINK)


def is_link(span: Span) -> bool:
    """Whether a span belongs to a link."""
    return isinstance(span.style, str) and span.style.startswith(_LINK)


def is_shown(span: Span, link: str | None) -> bool:
    """Whether a span looks different from the text around it, where this link is marked: other links do not,
    nor does the beginning of a clause without a link.
    """
    return span.style == link or not (span.style == "alone" or is_link(span))


def is_difference(line: Line) -> bool:
    """Whether a line differs. A side of a text in other words may have a sign, and no word that differs."""
    sides = ("−", "+")
    return line.sign != " " and (
        line.sign not in sides or has_mark(line.content, "difference", "left-only", "right-only")
    )


def has_mark(content: Content, *marks: Mark) -> bool:
    """Whether the content has a span with one of these marks."""
    return any(span.style in marks and span.end > span.start for span in content.spans)


WordSpans = Mapping[int, Sequence[tuple[int, int]]]
"""Character spans (start, end) by line number."""
_LEFT_ONLY = "(?:‹[^›]*› ?|[‹›])?"


def find_words(lines: Sequence[Line], words: str) -> WordSpans:
    """Where the words are, ignoring case; any white space may be between them, also line ends.

    In a diff, what only the left text has may be between the characters, as in "Reply ‹4› 5".
    """
    if not words.split():
        return {}
    texts = [line.content.plain for line in lines]
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    between = _LEFT_ONLY if any("‹" in text for text in texts) else ""
    letters = (between.join(map(re.escape, word)) for word in words.split())
    pattern = re.compile(rf"{between}\s+{between}".join(letters), re.IGNORECASE)
    spans: dict[int, list[tuple[int, int]]] = {}
    for match in pattern.finditer("\n".join(texts)):
        for number, start, end in _by_line(texts, starts, *match.span()):
            spans.setdefault(number, []).append((start, end))
    return spans


def with_words_marked(content: Content, words: str, style: str) -> Content:
    """The content with the beginnings of words marked that a search for cases compares."""
    for word in words.split():
        for match in re.finditer(rf"(?<!\w){re.escape(word)}", content.plain, re.IGNORECASE):
            content = content.stylize(style, *match.span())
    return content


def _by_line(
    texts: Sequence[str], starts: Sequence[int], begin: int, end: int
) -> Iterator[tuple[int, int, int]]:
    """The part of a match on each line, without the indent of continuation lines."""
    first, last = bisect_right(starts, begin) - 1, bisect_right(starts, end - 1) - 1
    for number in range(first, last + 1):
        text = texts[number]
        start = begin - starts[number] if number == first else len(text) - len(text.lstrip())
        stop = min(len(text), end - starts[number])
        if start < stop:
            yield number, start, stop
