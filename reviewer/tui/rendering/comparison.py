"""Two texts as lines with marked differences, in two aligned columns or as one text."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import accumulate, chain, pairwise, zip_longest

from textual.content import Content, Span

from reviewer.core.clause_diff import ClauseSpan, diff_clauses
from reviewer.core.pane import Code, Pair, Text, TitledText
from reviewer.core.prose_diff import diff_prose, diff_reworded
from reviewer.core.text_diff import TextDiff, at_boundaries, diff_texts
from reviewer.tui.rendering.colouring import coloured
from reviewer.tui.rendering.line import (
    EMPTY,
    Line,
    display_offsets,
    display_text,
    has_mark,
    is_link,
    link_style,
    number_cells,
    numbered,
    plain_lines,
    signed_line,
    source_rows,
    wrapped,
)
from reviewer.tui.rendering.signed_text import signed_text

_TEXT_ON_LINE = re.compile(r"\S(?:[^\n]*\S)?")
"""The text on a line, without the blanks around it."""
TITLE = "title"
"""In place of a text's name, for the lines of its title."""
Columns = tuple[tuple[Line, ...], tuple[Line, ...]]


def body_content(body: Text | Code) -> Content:
    """A text or source as content, with its links named; source is coloured."""
    if isinstance(body, Text) and body.marking:
        signed = signed_text(body.text, body.marking)
        text, at = signed.displayed, signed.places
        spans = [*signed.spans, *_link_spans(body, at), *_mark_spans(body, at), *_head_spans(body, at)]
        return Content(text, spans=spans)
    text, at = display_text(body.text), display_offsets(body.text)
    content = coloured(text, body.language) if isinstance(body, Code) else Content(text)
    spans = [*_link_spans(body, at), *_mark_spans(body, at), *_head_spans(body, at)]
    return Content(text, spans=[*content.spans, *spans]) if spans else content


def _mark_spans(body: Text | Code, at: Sequence[int]) -> Iterator[Span]:
    """The passages of a source that a finding is about, or those of a text that were filled in."""
    mark = "finding" if isinstance(body, Code) else "filled"
    for start, end in body.marks:
        for text in _TEXT_ON_LINE.finditer(body.text, start, end):
            yield Span(at[text.start()], at[text.end()], mark)


def _head_spans(body: Text | Code, at: Sequence[int]) -> Iterator[Span]:
    if isinstance(body, Text):
        yield from (Span(at[start], at[end], "title") for start, end in body.heads)


def _link_spans(body: Text | Code, at: Sequence[int]) -> Iterator[Span]:
    for link in body.links:
        start, end = at[link.start], at[link.end]
        yield Span(start, end, link_style(link.name))
        if link.alone:
            yield Span(start, min(start + 1, end), "alone")


@lru_cache(maxsize=256)
def column_lines(pair: Pair, width: int) -> Columns:
    """Both sides, each at this width in cells, padded so that matching passages are on the same rows."""
    left, right, starts = _marked_passages(pair)
    ours = _laid_out(pair.left, left, [start for start, _ in starts], width)
    theirs = _laid_out(pair.right, right, [start for _, start in starts], width)
    rows: list[tuple[Line, Line]] = []
    for here, there in zip(ours, theirs, strict=True):
        rows.extend(zip_longest(_signed(here), _signed(there), fillvalue=EMPTY))
    return tuple(row[0] for row in rows), tuple(row[1] for row in rows)


@lru_cache(maxsize=64)
def _marked_passages(pair: Pair) -> tuple[Content, Content, Sequence[tuple[int, int]]]:
    """Both sides with their differences marked, and where the passages begin that stand side by side."""
    left, right, diff = _marked(pair)
    return left, right, tuple(_common_line_starts(left.plain, right.plain, diff))


def _laid_out(body: Text | Code, content: Content, starts: list[int], width: int) -> Iterator[list[Content]]:
    """The lines of each passage of one side, numbered as in the source if the body is."""
    for part, first in _parts(body, content, starts):
        yield numbered(part, width, first) if first else wrapped(part, width, source=isinstance(body, Code))


def _parts(body: Text | Code, content: Content, starts: list[int]) -> Iterator[tuple[Content, int]]:
    """The passages of one side, each with the number of its first line, or 0 where lines have none."""
    parts = _without_line_ends(content, starts)
    yield from zip(parts, _first_numbers(body, content.plain, starts), strict=True)


def _first_numbers(body: Text | Code, text: str, starts: list[int]) -> Iterator[int]:
    has_numbers = isinstance(body, Code) and body.numbered
    for begin, end in pairwise((0, *starts, len(text))):
        # A passage that only the other side has stands on none of these lines.
        yield text.count("\n", 0, begin) + 1 if has_numbers and end > begin else 0


@lru_cache(maxsize=64)
def column_rows(pair: Pair) -> Callable[[int], int]:
    """Counts the rows of two sources in columns at a width, much sooner than they are laid out."""
    left, right, starts = _marked_passages(pair)
    ours = _source_lines(pair.left, left.plain, [start for start, _ in starts])
    theirs = _source_lines(pair.right, right.plain, [start for _, start in starts])
    passages = tuple(zip(ours, theirs, strict=True))
    return cache(lambda width: sum(max(_rows(here, width), _rows(there, width)) for here, there in passages))


@lru_cache(maxsize=64)
def unified_rows(pair: Pair) -> Callable[[int], int] | None:
    """The same of sources as one text; None where their sides stay whole."""
    if pair.reworded or not pair.compared:
        return None
    lines = [(line, 0) for line in _unified_pair(pair).plain.split("\n")]
    return cache(partial(_rows, lines))


@lru_cache(maxsize=64)
def body_rows(body: Code) -> Callable[[int], int]:
    """The same of one source."""
    (lines,) = _source_lines(body, body_content(body).plain, [])
    return cache(partial(_rows, lines))


def _source_lines(body: Text | Code, text: str, starts: list[int]) -> Iterator[list[tuple[str, int]]]:
    """The lines of each passage of a source, each with the cells of its number."""
    firsts = _first_numbers(body, text, starts)
    for (begin, end), first in zip(_places_without_line_ends(len(text), starts), firsts, strict=True):
        lines = enumerate(text[begin:end].split("\n"), first)
        yield [(line, number_cells(number) if first else 0) for number, line in lines]


def _rows(lines: Sequence[tuple[str, int]], width: int) -> int:
    return sum(source_rows(line, width - cells) for line, cells in lines)


@lru_cache(maxsize=256)
def unified_lines(pair: Pair, width: int) -> tuple[Line, ...]:
    """Both sides as one text: what only the left has in ‹…›, struck out, then what only the right has.

    The sides of a reworded pair stay whole, one below the other, passage by passage. Sides that are not
    compared are one after the other.
    """
    if not pair.compared:
        sides = {"left": (pair.left_title, pair.left), "right": (pair.right_title, pair.right)}
        return texts_in_turn(sides, width)
    if pair.reworded:
        return tuple(_sides_in_turn(pair, width))
    return _with_signs(_unified_pair(pair), width, source=isinstance(pair.left, Code))


@lru_cache(maxsize=64)
def _unified_pair(pair: Pair) -> Content:
    left, right = body_content(pair.left), body_content(pair.right)
    diff = _compared(pair, left.plain, right.plain)
    return _unified(left, right, diff, source=isinstance(pair.left, Code))


def unified_diff(
    left: Content, right: Content, diff: TextDiff, width: int, *, source: bool
) -> tuple[Line, ...]:
    """Two compared contents as one text, at a width in cells."""
    return _with_signs(_unified(left, right, diff, source=source), width, source=source)


def _with_signs(content: Content, width: int, *, source: bool) -> tuple[Line, ...]:
    return tuple(signed_line(line, _sign(line)) for line in wrapped(content, width, source=source))


def _unified(left: Content, right: Content, diff: TextDiff, *, source: bool) -> Content:
    parts: list[Content] = []
    ours = left.divide(list(accumulate(len(change.left) for change in diff.changes)))
    theirs = right.divide(list(accumulate(len(change.right) for change in diff.changes)))
    for change, here, there in zip(diff.changes, ours, theirs, strict=False):
        if change.equal:
            parts.append(_of_both(here, there))
            continue
        parts.extend(_left_only(here))
        if not source and _touch(here.plain, there.plain):
            parts.append(Content(" "))
        parts.extend(_right_only(there))
    return Content.assemble(*parts)


def _touch(left: str, right: str) -> bool:
    """Whether struck words and the words in their place would stand side by side without a blank."""
    return bool(left.strip() and right) and not (left[-1].isspace() or right[0].isspace())


def texts_in_turn(texts: Mapping[str, TitledText], width: int) -> tuple[Line, ...]:
    """Whole texts by their names, each below its title."""
    lines: list[Line] = []
    for name, (title, body) in texts.items():
        lines += [EMPTY] if lines else []
        head = wrapped(Content.styled(display_text(title), "title"), width)
        lines += [Line(part, text=TITLE) for part in head]
        lines += [replace(line, text=name) for line in body_lines(body, width)]
    return tuple(lines)


@lru_cache(maxsize=256)
def body_lines(body: Text | Code, width: int) -> tuple[Line, ...]:
    """A text or source as lines; source with numbers where it asks for them."""
    content = body_content(body)
    if isinstance(body, Code) and body.numbered:
        return tuple(signed_line(line) for line in numbered(content, width))
    return plain_lines(content, width, source=isinstance(body, Code))


def _sides_in_turn(pair: Pair, width: int) -> Iterator[Line]:
    """Each passage of the left side, then that of the right side, unless both are equal."""
    for here, there in _passages(*_marked(pair)):
        if here.plain == there.plain:
            yield from (signed_line(line) for line in wrapped(_of_both(here, there), width))
            continue
        for sign, part in (("−", here), ("+", there)):
            yield from (signed_line(line, sign if line else " ") for line in wrapped(part, width) if part)


def _of_both(here: Content, there: Content) -> Content:
    """What both sides have, as the right writes it, with the links of both sides."""
    whole = len(there.rstrip())
    same = here.plain == there.plain
    links = [span if same else Span(0, whole, span.style) for span in here.spans if is_link(span)]
    return Content(there.plain, spans=[*there.spans, *links]) if links and there else there


def _left_only(part: Content) -> Iterator[Content]:
    """The part in brackets, with its line ends outside the brackets."""
    if not part.plain.strip():
        yield from ([part] if "\n" not in part.plain else [])
        return
    body = part.rstrip()
    yield Content.assemble(Content("‹"), body, Content("›")).stylize("left-only")
    yield part[len(body) :]


def _right_only(part: Content) -> Iterator[Content]:
    if part:
        yield part.stylize("right-only") if part.plain.strip() else part


def _sign(line: Content) -> str:
    left, right = has_mark(line, "left-only"), has_mark(line, "right-only")
    return "±" if left and right else "−" if left else "+" if right else " "


def _marked(pair: Pair) -> tuple[Content, Content, TextDiff]:
    left, right = body_content(pair.left), body_content(pair.right)
    diff = _compared(pair, left.plain, right.plain)
    ours = [Span(mark.start, mark.end, "difference") for mark in diff.left_marks]
    theirs = [Span(mark.start, mark.end, "difference") for mark in diff.right_marks]
    return Content(left.plain, [*left.spans, *ours]), Content(right.plain, [*right.spans, *theirs]), diff


def _compared(pair: Pair, left: str, right: str) -> TextDiff:
    """The difference by clauses where both sides know their clauses, otherwise by words."""
    if not pair.compared:
        return TextDiff(())
    if pair.reworded:
        return diff_reworded(left, right)
    if isinstance(pair.left, Text):
        return diff_prose(left, right)
    ours, theirs = _display_clauses(pair.left), _display_clauses(pair.right)
    if ours and theirs:
        return diff_clauses(left, ours, right, theirs)
    return at_boundaries(diff_texts(left, right))


def _display_clauses(body: Text | Code) -> tuple[ClauseSpan, ...]:
    if isinstance(body, Text) or not body.clauses:
        return ()
    at = display_offsets(body.text)
    return tuple(ClauseSpan(at[clause.start], at[clause.end], clause.shape) for clause in body.clauses)


def _passages(left: Content, right: Content, diff: TextDiff) -> Iterator[tuple[Content, Content]]:
    """Both texts, cut wherever both begin a line at the same place of the comparison."""
    starts = list(_common_line_starts(left.plain, right.plain, diff))
    yield from zip(
        _without_line_ends(left, [start for start, _ in starts]),
        _without_line_ends(right, [start for _, start in starts]),
        strict=True,
    )


def _without_line_ends(content: Content, starts: list[int]) -> list[Content]:
    """The passages between the starts of lines, each without its last line end.

    All are cut in one call: each slice examines every span, which is slow for thousands of lines.
    """
    edges = chain.from_iterable(_places_without_line_ends(len(content), starts))
    return content.divide([*edges])[1::2]


def _places_without_line_ends(length: int, starts: list[int]) -> list[tuple[int, int]]:
    begins = [0, *starts]
    # A side without text here has no line end to leave out.
    ends = [*(max(begin, start - 1) for begin, start in zip(begins, starts, strict=False)), length]
    return [*zip(begins, ends, strict=True)]


def _common_line_starts(left: str, right: str, diff: TextDiff) -> Iterator[tuple[int, int]]:
    at_left = at_right = 0
    for change in diff.changes:
        if change.left == change.right:
            ends = (offset for offset, character in enumerate(change.left, 1) if character == "\n")
            yield from ((at_left + offset, at_right + offset) for offset in ends)
        at_left, at_right = at_left + len(change.left), at_right + len(change.right)
        if change.left != change.right and _starts_line(left, at_left) and _starts_line(right, at_right):
            yield at_left, at_right


def _starts_line(text: str, position: int) -> bool:
    return position < len(text) and (position == 0 or text[position - 1] == "\n")


def _signed(parts: list[Content]) -> list[Line]:
    return [signed_line(part, "▌" if has_mark(part, "difference") else " ") for part in parts]
