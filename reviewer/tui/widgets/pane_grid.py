"""The panes of a case. The same widgets serve every case, so only their text changes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TypeVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.widget import Widget

from reviewer.tui.rendering.columns import column_widths
from reviewer.tui.rendering.pane_layout import FOLDED_FRAME, Layout, is_narrow
from reviewer.tui.rendering.pane_rows import stack_heights
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.rendering.passages import CommentedLinesOf
from reviewer.tui.widgets.label import Covered
from reviewer.tui.widgets.pane_row import scroll_with_partners
from reviewer.tui.widgets.text_pane import TextPane

P = TypeVar("P", int, tuple[int, int])

_PLACES = ("first", "aside", "beside", "tables", "below", "last", "folded")
_IN_COLUMNS = ("first", "beside", "below", "last")


class _Row(Horizontal, Covered):
    """Panes side by side."""


class _Column(Vertical, Covered):
    """Panes below each other."""


class PaneGrid(_Column):
    """Draws a layout with text panes that are kept once they are there: hiding one loses no key on its way
    to it. ``side`` is a widget at the right of the first panes.
    """

    DEFAULT_CSS = """
    PaneGrid {
        height: 1fr;
        #upper { height: 1fr; }
        #main { width: auto; }
        #first { height: 1fr; width: auto; }
        #beside { height: 1fr; width: auto; }
        #below { height: 1fr; }
        #last { height: 1fr; }
        #folded { height: auto; }
        #folded TextPane { overflow-y: hidden; border: none; &:focus { background: $foreground 12%; } }
        #side { width: 1fr; }
        #side .stack { height: auto; }
        #side .stack TextPane { width: 1fr; }
        &.-narrow #side { display: none; }
        &.-narrow #main, &.-narrow #first { width: 1fr; }
        &.-narrow #below TextPane { border-top: solid $foreground 25%; }
        &.-alone #side { display: none; }
    }
    """

    def __init__(self, side: Widget | None = None) -> None:
        super().__init__()
        self._side = side
        self._text_panes = {place: [TextPane()] for place in _PLACES}
        self._scrolls: dict[tuple[str, int], float] = {}
        self._difference: tuple[str, int] = ("", -1)
        self.link: str | None = None
        """The link that is marked, by name."""
        self.words = ""
        """The words that are searched for in the case; "" for none."""
        self._match: tuple[int, int] | None = None
        self._wanted: tuple[str, int] | None = None
        self._commented: CommentedLinesOf | None = None

    def compose(self) -> ComposeResult:
        """At the left the first panes, others below them; at the right the question; below, a derivation."""
        self.set_class(is_narrow(*self.app.size), "-narrow")  # before there are panes to style again
        self.set_class(self._side is None, "-alone")
        with _Row(id="upper"):
            with _Column(id="main"):
                yield _Row(*self._text_panes["first"], id="first")
                yield _Row(*self._text_panes["beside"], id="beside")
            with _Column(id="side"):
                if self._side is not None:
                    yield self._side
                yield _Column(*self._text_panes["aside"], id="aside", classes="stack")
                yield _Column(*self._text_panes["tables"], id="tables", classes="stack")
        yield _Row(*self._text_panes["below"], id="below")
        yield _Row(*self._text_panes["last"], id="last")
        yield _Column(*self._text_panes["folded"], id="folded")

    def on_mount(self) -> None:
        """Let both halves of a pair scroll together."""
        for text_pane in self.all_text_panes():
            scroll_with_partners(self, text_pane, self.visible_panes)

    def _grow(self, place: str, count: int) -> None:
        """Have at least as many panes at a place as there are texts for it."""
        new = [TextPane() for _ in range(count - len(self._text_panes[place]))]
        if new:
            self.query_one(f"#{place}").mount_all(new)
            self._text_panes[place] += new
            for text_pane in new:
                scroll_with_partners(self, text_pane, self.visible_panes)

    # -- showing -----------------------------------------------------------------------------------

    def show(
        self, layout: Layout, screen: Size, is_new: bool, commented: CommentedLinesOf | None = None
    ) -> None:
        """Draw a layout on a screen of this size in cells; ``is_new`` where it is of another case.

        ``commented`` finds the lines of a text that a comment is about.
        """
        self._commented = commented
        focused = self.focused_pane
        self._wanted = focused.pane_text.key if focused and focused.pane_text and not is_new else None
        self._remember_scrolls(is_new)
        for place in _PLACES:
            self._grow(place, len(getattr(layout, place)))
        self.set_class(layout.narrow, "-narrow")
        self.set_class(self._side is None and not (layout.aside or layout.tables), "-alone")
        for place in _PLACES[1:]:
            self.query_one(f"#{place}").display = bool(getattr(layout, place))
        self._set_widths(layout, screen.width)
        self._set_heights(layout, screen)
        for place in _PLACES:
            self._fill(self._text_panes[place], getattr(layout, place), layout)
        if is_new or self.link:
            self.show_link(None if is_new else self.link)

    def _fill(self, text_panes: Sequence[TextPane], pane_texts: Sequence[PaneText], layout: Layout) -> None:
        for number, text_pane in enumerate(text_panes):
            text_pane.display = number < len(pane_texts)
            if text_pane.display:
                text_pane.set_class(layout.narrow, "-bare")
                text_pane.mark(self.words)
                pane_text = pane_texts[number]
                text_pane.limit_height(layout.ends.get(pane_text.pane))
                text_pane.show(pane_text, partial(self._commented, pane_text) if self._commented else None)
                y = self._scrolls.get(pane_texts[number].key, 0)
                text_pane.scroll_to(y=y, animate=False, immediate=True)
                if pane_text.is_marked:
                    text_pane.keep_cursor_in_sight()

    def _set_widths(self, layout: Layout, width: int) -> None:
        if layout.narrow:
            for place in ("first", "below"):
                self._text_panes[place][0].styles.width = "1fr"
            return
        for place in _IN_COLUMNS:
            pane_texts = getattr(layout, place)
            has_side = self._side is not None and place in ("first", "beside")
            room = width - layout.side_width if has_side else width
            widths = layout.widths.get(place) or (column_widths(room, pane_texts) if pane_texts else ())
            for text_pane, cells in zip(self._text_panes[place], widths, strict=False):
                text_pane.styles.width = cells

    def _set_heights(self, layout: Layout, screen: Size) -> None:
        for place in ("upper", "first", "last"):
            cells = getattr(layout, f"{place}_height")
            self.query_one(f"#{place}").styles.height = cells or "1fr"
        for text_pane, pane_text in zip(self._text_panes["folded"], layout.folded, strict=False):
            text_pane.styles.height = len(pane_text.lines(screen.width - FOLDED_FRAME))
        self._set_stack_heights(layout, screen.height)

    def _set_stack_heights(self, layout: Layout, height: int) -> None:
        heights = iter(stack_heights(layout, height))
        for place in ("aside", "tables"):
            for text_pane, _ in zip(self._text_panes[place], getattr(layout, place), strict=False):
                text_pane.styles.height = next(heights)

    # -- scrolling and focus -----------------------------------------------------------------------

    @property
    def focused_pane(self) -> TextPane | None:
        """The pane of this case that has the focus."""
        focused: Widget | None = self.screen.focused
        return focused if isinstance(focused, TextPane) and self in focused.ancestors else None

    def all_text_panes(self) -> Iterator[TextPane]:
        """The visible and the hidden panes, in reading order."""
        return chain.from_iterable(self._text_panes.values())

    def visible_panes(self) -> list[TextPane]:
        """The visible panes, in reading order."""
        return [text_pane for text_pane in self.all_text_panes() if text_pane.display and text_pane.pane_text]

    def turn_at_top(self, pane: str) -> int | None:
        """The number of the turn at the top of a pane with a dialogue; None elsewhere."""
        for text_pane in self._showing(pane):
            for line in text_pane.lines[round(text_pane.scroll_y) :]:
                if line.text.isdigit():
                    return int(line.text)
        return None

    def scroll_to_turn(self, pane: str, turn: int | None) -> None:
        """Have this turn of a dialogue at the top, or the first one after it that is shown."""
        for text_pane in self._showing(pane) if turn is not None else ():
            numbers = [int(line.text or 0) for line in text_pane.lines]
            y = next((y for y, number in enumerate(numbers) if turn and number >= turn), len(numbers))
            text_pane.scroll_to(y=y, animate=False, immediate=True)

    def _showing(self, pane: str) -> list[TextPane]:
        """The visible panes that show this pane of the case."""
        return [
            text_pane
            for text_pane in self.visible_panes()
            if text_pane.pane_text and text_pane.pane_text.pane == pane
        ]

    def text_widths(self) -> dict[str, list[int]]:
        """The width for text of the visible panes at each place, in cells."""
        return {
            place: [text_pane.text_width for text_pane in text_panes if text_pane.display]
            for place, text_panes in self._text_panes.items()
        }

    def step_difference(self, step: int) -> tuple[int, int] | None:
        """Point at the next difference (step -1: the one before) of the focused pane, or else of the first
        pane that has one. Returns its number and how many there are in this pane; None where nothing differs.
        """
        focused = self.focused_pane
        panes = [
            text_pane.pane_text.pane
            for text_pane in ([focused] if focused else []) + self.visible_panes()
            if text_pane.pane_text
        ]
        return next(filter(None, (self._point(pane, step) for pane in panes)), None)

    def _point(self, pane: str, step: int) -> tuple[int, int] | None:
        halves = self._showing(pane)
        starts = sorted({start for text_pane in halves for start in text_pane.differences()})
        if not starts:
            return None
        target = _following(starts, self._difference[1] if self._difference[0] == pane else None, step)
        self._difference = pane, target
        for text_pane in halves:
            text_pane.point_at(target)
        differing = [text_pane for text_pane in halves if text_pane.lines[target].sign != " "]
        if self.focused_pane in halves and self.focused_pane not in differing:
            # The next key, such as the one for a comment, is about the line that is pointed at.
            self.screen.set_focus(differing[0], scroll_visible=False)
        return starts.index(target) + 1, len(starts)

    # -- links -------------------------------------------------------------------------------------

    def step_link(self, step: int) -> str | None:
        """Show the next link of the focused pane, or of the first pane with links; None after the last."""
        text_panes = [
            text_pane
            for text_pane in (self.focused_pane, *self.visible_panes())
            if text_pane and text_pane.link_lines()
        ]
        names = [*text_panes[0].link_lines()] if text_panes else []
        at = names.index(self.link) if self.link in names else (-1 if step > 0 else len(names))
        self.show_link(names[at + step] if 0 <= at + step < len(names) else None)
        return self.link

    def follow(self, names: Sequence[str]) -> str:
        """Show one of these links; another one each time."""
        at = names.index(self.link) if self.link in names else -1
        self.show_link(names[(at + 1) % len(names)])
        return self.link or ""

    def show_link(self, name: str | None) -> None:
        """Mark the parts of a link in every pane; None marks nothing."""
        self.link = name
        for text_pane in self.visible_panes():
            text_pane.show_link(name)

    # -- searching ---------------------------------------------------------------------------------

    def mark(self, words: str) -> None:
        """Mark these words in every pane, also when panes change; "" marks none."""
        self.words, self._match = words, None
        for text_pane in self.visible_panes():
            text_pane.mark(words)

    def step_match(self, step: int, *, around: bool = True) -> bool:
        """Point at the next match (step -1: the one before); False where there is none.

        ``around`` says that the first match follows the last.
        """
        text_panes = self.visible_panes()
        places = [
            (order, number)
            for order, text_pane in enumerate(text_panes)
            for number in text_pane.matching_lines()
        ]
        at = self._match
        if not places or (not around and at is not None and at == places[-1 if step > 0 else 0]):
            return False
        order, number = self._match = _following(places, at, step)
        text_panes[order].focus(scroll_visible=False)
        text_panes[order].point_at(number)
        return True

    @property
    def matched_pane(self) -> str:
        """The key of the pane with the match that is pointed at; "" where none is."""
        text = self.visible_panes()[self._match[0]].pane_text if self._match else None
        return text.pane if text else ""

    @property
    def matches_before(self) -> int:
        """How many matches there are before the line that is pointed at."""
        if self._match is None:
            return 0
        order, number = self._match
        text_panes = self.visible_panes()
        return sum(text_pane.matches_above() for text_pane in text_panes[:order]) + text_panes[
            order
        ].matches_above(number)

    def _remember_scrolls(self, is_new: bool) -> None:
        if is_new:
            self._scrolls.clear()
            self._difference = ("", -1)
            for text_pane in self.visible_panes():
                text_pane.point_at_nothing()
            return
        for text_pane in self.visible_panes():
            if text_pane.pane_text:
                self._scrolls[text_pane.pane_text.key] = text_pane.scroll_y

    def keep_focus(self) -> None:
        """Leave the focus on the pane that had it while it is visible, or else give it to the first pane."""
        wanted = self._wanted
        if wanted is not None and wanted[0] == "guideline":
            return
        text_panes = self.visible_panes()
        chosen = next(
            (
                text_pane
                for text_pane in text_panes
                if text_pane.pane_text and text_pane.pane_text.key == wanted
            ),
            # Of two below each other on a small screen, the lower one scrolls.
            text_panes[-1 if self.has_class("-narrow") else 0],
        )
        if self.screen.focused is not chosen:
            # At once, since the keys that work now are drawn next.
            self.screen.set_focus(chosen, scroll_visible=False)


def text_widths_of(layout: Layout, widths: Mapping[str, Sequence[int]]) -> Iterator[tuple[PaneText, int]]:
    """Each text of a layout with the width at which these panes will lay it out."""
    for place in _PLACES:
        yield from zip(getattr(layout, place), widths[place], strict=False)
    yield from ((pane_text, layout.side_text) for pane_text in (*layout.aside, *layout.tables))


def _following(places: Sequence[P], at: P | None, step: int) -> P:
    """The place after ``at`` in the direction of the step, or from the start where there is none."""
    if step > 0:
        return next((place for place in places if at is not None and place > at), places[0])
    return next((place for place in reversed(places) if at is not None and place < at), places[-1])
