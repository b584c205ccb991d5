"""The rows that the panes of a layout have, and those that their texts need; all in cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer.tui.rendering.columns import BORDER, MOST_EMPTY, column_widths, needed_heights
from reviewer.tui.rendering.pane_layout import FOLDED_FRAME, Layout
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.rendering.table_lines import shared

AROUND = 2
"""Lines of the screen around the panes."""
# The height of the question, with the lines around the panes.
_QUESTION, _LEAST_QUESTION = 24, 19
# From this height the question has all the room that it needs, unless it has more than a few panes below.
_ROOMY, _FEW = 44, 3


@dataclass(frozen=True, slots=True)
class PaneRows:
    """A pane by its key, the rows that its text needs, and those that it has."""

    pane: str
    needed: int
    height: int

    @property
    def hidden(self) -> int:
        """How many rows of its text can only be seen by scrolling."""
        return max(0, self.needed - self.height)

    @property
    def is_roomy(self) -> bool:
        """Whether more rows are empty than a pane may leave empty while others scroll."""
        return self.height - self.needed > MOST_EMPTY


def wasted(rows: Sequence[PaneRows]) -> int:
    """How many rows panes leave empty beyond a few, if any pane scrolls; 0 if they are shared well."""
    scrolls = any(row.hidden for row in rows)
    return sum(row.height - row.needed for row in rows if row.is_roomy) if scrolls else 0


def hidden_rows(rows: Sequence[PaneRows]) -> int:
    """How many rows of texts can only be seen by scrolling."""
    return sum(row.hidden for row in rows)


def rows_of(layout: Layout, width: int, height: int) -> list[PaneRows]:
    """The rows of each pane of a layout on a screen of this size; a pane with two texts counts once."""
    folded = sum(len(text.lines(width - FOLDED_FRAME)) for text in layout.folded)
    left = height - AROUND - folded
    upper = layout.upper_height or left
    first = layout.first_height if layout.beside else upper
    main = width - layout.side_width
    places = (
        (layout.first, "first", main, first),
        (layout.beside, "beside", main, upper - first),
        (layout.below, "below", width, left - upper - layout.last_height),
        (layout.last, "last", width, layout.last_height),
    )
    rows = [
        PaneRows(pane, needed, room)
        for texts, name, cells, room in places
        if texts
        for pane, needed in needed_heights(
            layout.widths.get(name) or column_widths(cells, texts), texts
        ).items()
    ]
    return [*rows, *_rows_at_the_side(layout, upper, height)]


def _rows_at_the_side(layout: Layout, upper: int, height: int) -> Iterator[PaneRows]:
    stacked = (*layout.aside, *layout.tables)
    heights = stack_heights(layout, height)
    for text, rows in zip(stacked, heights, strict=True):
        yield PaneRows(text.pane, _needed(text, layout), rows)
    if layout.has_guideline:
        # The question ends after its guideline, so it leaves no row of it empty.
        room = upper - sum(heights) - layout.question_rows
        yield PaneRows("guideline", layout.guideline_rows, min(room, layout.guideline_rows))


def stack_heights(layout: Layout, height: int) -> list[int]:
    """The heights of the panes below the question on a screen of this height.

    They are as high as they need, as far as the question leaves room.
    """
    stacked = (*layout.aside, *layout.tables)
    needs = [_needed(text, layout) for text in stacked]
    is_news = [text.pane in layout.news for text in stacked]
    roomy = height >= _ROOMY and len(needs) <= _FEW
    room = height - (_QUESTION if roomy else _LEAST_QUESTION)
    if layout.upper_height:
        room = layout.upper_height - layout.question_height
    return [max(BORDER + 1, rows) for rows in _heights(needs, is_news, room)]


def _needed(text: PaneText, layout: Layout) -> int:
    return len(text.lines(layout.side_text)) + BORDER


def _heights(needs: Sequence[int], is_news: Sequence[bool], room: int) -> list[int]:
    """How a room in lines is shared: panes just revealed come first, with half of it at most."""
    news = shared([need * new for need, new in zip(needs, is_news, strict=True)], room // 2)
    others = [need * (not new) for need, new in zip(needs, is_news, strict=True)]
    return [sum(both) for both in zip(news, shared(others, room - sum(news)), strict=True)]
