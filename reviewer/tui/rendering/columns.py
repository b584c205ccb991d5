"""How panes side by side share a width, and the height that they then need; all in cells."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import lcm

from reviewer.tui.rendering.pane_text import PaneText

LEAST_COLUMN = 30
"""Narrower panes are hard to read."""
BORDER = 2
"""The rows of a pane's border."""
# Cells of a pane that are not for text: border, margin, scroll bar, padding.
_FRAME = 6
MOST_EMPTY = 3
"""Rows that a pane may leave empty while others scroll."""
MANY_SCREENS = 10
"""Texts that are longer than so many screens scroll whatever their width is."""
_LEAST_SCREEN = 10
"""Balanced panes are fitted for a height of 0, which says nothing about the rows of the screen."""


def column_widths(total: int, pane_texts: Sequence[PaneText]) -> list[int]:
    """A width shared among pane texts. Those of one pane are equally wide, so their rows align."""
    width, left = divmod(total, len(pane_texts))
    wider: set[str] = set()
    for pane, count in sorted(_counts(pane_texts).items(), key=lambda item: item[1]):
        if count <= left:
            wider.add(pane)
            left -= count
    return [width + (pane_text.pane in wider) for pane_text in pane_texts]


def fitted_widths(
    total: int, pane_texts: Sequence[PaneText], height: int, before: Sequence[int] = ()
) -> list[int]:
    """The same, but where a pane would be higher than this, it gets cells of one with more empty rows.

    The widths from ``before`` stay if they serve as well. Texts of many screens share the width as others do.
    """
    if not pane_texts:
        return []
    fitted = _fitted(total, pane_texts, height)
    if len(before) != len(pane_texts) or sum(before) != total:
        return fitted
    needs, others = needed_heights(before, pane_texts), needed_heights(fitted, pane_texts)
    return [*before] if _serve_as_well(needs.values(), others.values(), height) else fitted


def _serve_as_well(heights: Collection[int], others: Collection[int], height: int) -> bool:
    """Whether panes of these heights scroll only where others do, by a few rows more at most, and leave no
    more than a few rows empty beside.
    """
    hidden, least = (max(0, max(needed) - height) for needed in (heights, others))
    return hidden <= least + MOST_EMPTY * bool(least) and not (hidden and min(heights) < height - MOST_EMPTY)


def _fitted(total: int, pane_texts: Sequence[PaneText], height: int) -> list[int]:
    widths, counts = column_widths(total, pane_texts), _counts(pane_texts)
    best, needs = widths, needed_heights(widths, pane_texts)
    lowest, givers = max(needs.values()), set[str]()
    if lowest > MANY_SCREENS * max(height, _LEAST_SCREEN):
        return widths
    while not _serve(needs, height):
        tall, low = max(needs, key=needs.__getitem__), min(needs, key=needs.__getitem__)
        givers.add(low)
        step = lcm(counts[tall], counts[low])
        change = {tall: step // counts[tall], low: -step // counts[low]}
        widths = [cells + change.get(text.pane, 0) for cells, text in zip(widths, pane_texts, strict=True)]
        if min(widths) < LEAST_COLUMN or tall in givers:  # a pane that gave cells wants none back
            return best
        needs = needed_heights(widths, pane_texts)
        if max(needs.values()) < lowest:  # lines that end early need no more cells
            best, lowest = widths, max(needs.values())
    return widths


def _serve(needs: Mapping[str, int], height: int) -> bool:
    """Whether no pane scrolls in this height while another has more than a few empty rows."""
    return max(needs.values()) <= max(height, min(needs.values()) + MOST_EMPTY)


def height_of(widths: Sequence[int], pane_texts: Sequence[PaneText]) -> int:
    """The height that pane texts of these widths need, with their border; 0 without texts."""
    return max(needed_heights(widths, pane_texts).values(), default=0)


def needed_heights(widths: Sequence[int], pane_texts: Sequence[PaneText]) -> dict[str, int]:
    """The height that each pane needs, by its key."""
    needs: dict[str, int] = {}
    for cells, pane_text in zip(widths, pane_texts, strict=True):
        room, rows_at = cells - _FRAME, pane_text.all_rows
        rows = rows_at(room) if rows_at else len(pane_text.lines(room))
        needs[pane_text.pane] = max(rows + BORDER, needs.get(pane_text.pane, 0))
    return needs


def _counts(pane_texts: Sequence[PaneText]) -> Counter[str]:
    return Counter(pane_text.pane for pane_text in pane_texts)
