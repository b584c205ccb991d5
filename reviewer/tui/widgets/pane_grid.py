"""Where the panes of a case lie. The same sheets of paper serve every case, so nothing moves but the text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.widget import Widget

from reviewer.tui.rendering.layout import SIDE_WIDTH, Layout, column_widths
from reviewer.tui.rendering.line import Line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.rendering.table import shared
from reviewer.tui.widgets.question_panel import QuestionPanel
from reviewer.tui.widgets.scroll_lock import scroll_with_partners
from reviewer.tui.widgets.text_pane import TextPane

# Cells at the side of the texts: of a line, of a border, of the question (with the lines around the board).
_SIDE_TEXT = SIDE_WIDTH - 6
_BORDER = 2
_QUESTION, _LEAST_QUESTION = 24, 19
# From this height on the question has all the room that it needs, unless more than a few stand below it.
_ROOMY, _FEW = 44, 3
P = TypeVar("P", int, tuple[int, int])

CommentedLinesOf = Callable[[PaneText, tuple[Line, ...]], frozenset[int]]
_PANE_COUNTS = {"first": 2, "aside": 3, "beside": 8, "tables": 4}


class PaneGrid(Horizontal):
    """Draws an arrangement on a fixed stock of papers: hiding one loses no key that is on its way to it."""

    DEFAULT_CSS = """
    PaneGrid {
        height: 1fr;
        #main { width: auto; }
        #first { height: 5fr; width: auto; }
        #beside { height: 4fr; width: auto; }
        #side { width: 1fr; }
        #side Vertical.stack { height: auto; }
        #side Vertical.stack TextPane { width: 1fr; }
        &.-narrow #side { display: none; }
        &.-narrow #main, &.-narrow #first { width: 1fr; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._text_panes = {
            place: [TextPane(id=f"{place}-{number}") for number in range(count)]
            for place, count in _PANE_COUNTS.items()
        }
        self._scrolls: dict[tuple[str, int], float] = {}
        self._difference: tuple[str, int] = ("", -1)
        self.link: str | None = None
        """The link whose places are marked."""
        self.words = ""
        """What is searched for in the case; "" for nothing."""
        self._match: tuple[int, int] | None = None
        self._remark: CommentedLinesOf | None = None

    def compose(self) -> ComposeResult:
        """At the left what is asked about, over what stands beside it; at the right the question."""
        with Vertical(id="main"):
            yield Horizontal(*self._text_panes["first"], id="first")
            yield Horizontal(*self._text_panes["beside"], id="beside")
        with Vertical(id="side"):
            yield QuestionPanel()
            yield Vertical(*self._text_panes["aside"], id="aside", classes="stack")
            yield Vertical(*self._text_panes["tables"], id="tables", classes="stack")

    def on_mount(self) -> None:
        """Let the two halves of a pair scroll as one."""
        for text_pane in self._all_text_panes():
            scroll_with_partners(self, text_pane, self.text_panes)

    # -- showing -----------------------------------------------------------------------------------

    def show(self, layout: Layout, screen: Size, anew: bool, remark: CommentedLinesOf | None = None) -> None:
        """Draw an arrangement on a screen of this size in cells; ``anew`` where it is of another case.

        ``remark`` says which lines of a leaf a comment is about.
        """
        self._remark = remark
        focused = self.focused_pane
        wanted = focused.pane_text.key if focused and focused.pane_text else None
        self._remember_scrolls(anew)
        self.set_class(layout.narrow, "-narrow")
        self.query_one("#aside").display = bool(layout.aside)
        self.query_one("#beside").display = bool(layout.beside)
        self.query_one("#tables").display = bool(layout.tables)
        self._set_widths(layout, screen.width)
        self._set_heights(layout, screen.height)
        for place in _PANE_COUNTS:
            self._fill(self._text_panes[place], getattr(layout, place), layout.narrow)
        if anew or self.link:
            self.show_link(None if anew else self.link)
        self._focus(wanted if not anew else None)

    def _fill(self, text_panes: Sequence[TextPane], pane_texts: Sequence[PaneText], bare: bool) -> None:
        for number, text_pane in enumerate(text_panes):
            text_pane.display = number < len(pane_texts)
            if text_pane.display:
                text_pane.set_class(bare, "-bare")
                text_pane.mark(self.words)
                pane_text = pane_texts[number]
                text_pane.show(pane_text, partial(self._remark, pane_text) if self._remark else None)
                y = self._scrolls.get(pane_texts[number].key, 0)
                text_pane.scroll_to(y=y, animate=False, immediate=True)

    def _set_widths(self, layout: Layout, width: int) -> None:
        if layout.narrow:
            self._text_panes["first"][0].styles.width = "1fr"
            return
        for place in ("first", "beside"):
            pane_texts = getattr(layout, place)
            widths = column_widths(width - SIDE_WIDTH, pane_texts) if pane_texts else []
            for text_pane, cells in zip(self._text_panes[place], widths, strict=False):
                text_pane.styles.width = cells

    def _set_heights(self, layout: Layout, height: int) -> None:
        """What stands below the question is as high as it needs, as far as the question leaves room."""
        stacked = {place: getattr(layout, place) for place in ("aside", "tables")}
        pane_texts = [pane_text for place in stacked.values() for pane_text in place]
        needs = [len(pane_text.lines(_SIDE_TEXT)) + _BORDER for pane_text in pane_texts]
        roomy = height >= _ROOMY and len(needs) <= _FEW
        is_news = [pane_text.pane in layout.news for pane_text in pane_texts]
        heights = iter(_heights(needs, is_news, height - (_QUESTION if roomy else _LEAST_QUESTION)))
        for place, stack in stacked.items():
            for text_pane, _ in zip(self._text_panes[place], stack, strict=False):
                text_pane.styles.height = max(_BORDER + 1, next(heights))

    # -- scrolling and focus -----------------------------------------------------------------------

    @property
    def focused_pane(self) -> TextPane | None:
        """The pane that has the keys."""
        focused: Widget | None = self.screen.focused
        return focused if isinstance(focused, TextPane) else None

    def text_panes(self) -> list[TextPane]:
        """What is in sight, in reading order."""
        return [
            text_pane for text_pane in self._all_text_panes() if text_pane.display and text_pane.pane_text
        ]

    def text_widths(self) -> dict[str, list[int]]:
        """The room for text of the papers in sight at each place, in cells."""
        return {
            place: [text_pane.text_width for text_pane in text_panes if text_pane.display]
            for place, text_panes in self._text_panes.items()
        }

    def step_difference(self, step: int) -> bool:
        """Point at the next difference (the one before: step -1) of the focused pane, else of the first
        that has one; False where nothing differs."""
        focused = self.focused_pane
        panes = [
            text_pane.pane_text.pane
            for text_pane in ([focused] if focused else []) + self.text_panes()
            if text_pane.pane_text
        ]
        return any(self._point(pane, step) for pane in panes)

    def _point(self, pane: str, step: int) -> bool:
        halves = [
            text_pane
            for text_pane in self.text_panes()
            if text_pane.pane_text and text_pane.pane_text.pane == pane
        ]
        starts = sorted({start for text_pane in halves for start in text_pane.differences()})
        if not starts:
            return False
        target = _following(starts, self._difference[1] if self._difference[0] == pane else None, step)
        self._difference = pane, target
        for text_pane in halves:
            text_pane.point_at(target)
        says_it = [text_pane for text_pane in halves if text_pane.lines[target].sign != " "]
        if self.focused_pane in halves and self.focused_pane not in says_it:
            # What the very next key does, such as a comment, is about what is pointed at.
            self.screen.set_focus(says_it[0], scroll_visible=False)
        return True

    # -- links -------------------------------------------------------------------------------------

    def step_link(self, step: int) -> str | None:
        """Show the next link of the focused pane, else of the first that has one; None behind the last."""
        text_panes = [
            text_pane
            for text_pane in (self.focused_pane, *self.text_panes())
            if text_pane and text_pane.link_lines()
        ]
        names = [*text_panes[0].link_lines()] if text_panes else []
        at = names.index(self.link) if self.link in names else (-1 if step > 0 else len(names))
        self.show_link(names[at + step] if 0 <= at + step < len(names) else None)
        return self.link

    def follow(self, names: Sequence[str]) -> str:
        """Show one of these links, another each time."""
        at = names.index(self.link) if self.link in names else -1
        self.show_link(names[(at + 1) % len(names)])
        return self.link or ""

    def show_link(self, name: str | None) -> None:
        """Mark what belongs to a link in every pane; None marks nothing."""
        self.link = name
        for text_pane in self.text_panes():
            text_pane.show_link(name)

    # -- searching ---------------------------------------------------------------------------------

    def mark(self, words: str) -> None:
        """Mark these words in every pane, now and as panes change; none for ""."""
        self.words, self._match = words, None
        for text_pane in self.text_panes():
            text_pane.mark(words)

    def step_match(self, step: int, *, around: bool = True) -> bool:
        """Point at the next marked place (the one before: step -1); False where there is none.

        Not going ``around``, the last is the last.
        """
        text_panes = self.text_panes()
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

    def _all_text_panes(self) -> Iterator[TextPane]:
        for text_panes in self._text_panes.values():
            yield from text_panes

    def _remember_scrolls(self, anew: bool) -> None:
        if anew:
            self._scrolls.clear()
            self._difference = ("", -1)
            return
        for text_pane in self.text_panes():
            if text_pane.pane_text:
                self._scrolls[text_pane.pane_text.key] = text_pane.scroll_y

    def _focus(self, wanted: tuple[str, int] | None) -> None:
        """The pane that had the keys keeps them while it is in sight; else the first gets them."""
        if wanted is not None and wanted[0] == "guideline":
            return
        text_panes = self.text_panes()
        chosen = next(
            (
                text_pane
                for text_pane in text_panes
                if text_pane.pane_text and text_pane.pane_text.key == wanted
            ),
            text_panes[0],
        )
        if self.screen.focused is not chosen:
            chosen.focus(scroll_visible=False)


def _heights(needs: Sequence[int], is_news: Sequence[bool], room: int) -> list[int]:
    """What each gets of a room in lines: what was just revealed first, of half of it at most."""
    news = shared([need * new for need, new in zip(needs, is_news, strict=True)], room // 2)
    others = [need * (not new) for need, new in zip(needs, is_news, strict=True)]
    return [sum(both) for both in zip(news, shared(others, room - sum(news)), strict=True)]


def text_widths_of(layout: Layout, widths: Mapping[str, Sequence[int]]) -> Iterator[tuple[PaneText, int]]:
    """At which widths showing an arrangement lays its leaves out, on papers with such room for text."""
    for place in _PANE_COUNTS:
        yield from zip(getattr(layout, place), widths[place], strict=False)
    yield from ((pane_text, _SIDE_TEXT) for pane_text in (*layout.aside, *layout.tables))


def _following(places: Sequence[P], at: P | None, step: int) -> P:
    """The place behind ``at`` in the direction of the step, round the end; the first where ``at`` is None."""
    if step > 0:
        return next((place for place in places if at is not None and place > at), places[0])
    return next((place for place in reversed(places) if at is not None and place < at), places[-1])
