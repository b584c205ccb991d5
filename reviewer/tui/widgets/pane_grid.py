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

RemarkOf = Callable[[PaneText, tuple[Line, ...]], frozenset[int]]
_PAPERS = {"first": 2, "aside": 3, "beside": 8, "tables": 4}


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
        self._papers = {
            place: [TextPane(id=f"{place}-{number}") for number in range(count)]
            for place, count in _PAPERS.items()
        }
        self._scrolls: dict[tuple[str, int], float] = {}
        self._difference: tuple[str, int] = ("", -1)
        self.link: str | None = None
        """The link whose places are marked."""
        self.words = ""
        """What is searched for in the case; "" for nothing."""
        self._match: tuple[int, int] | None = None
        self._remark: RemarkOf | None = None

    def compose(self) -> ComposeResult:
        """At the left what is asked about, over what stands beside it; at the right the question."""
        with Vertical(id="main"):
            yield Horizontal(*self._papers["first"], id="first")
            yield Horizontal(*self._papers["beside"], id="beside")
        with Vertical(id="side"):
            yield QuestionPanel()
            yield Vertical(*self._papers["aside"], id="aside", classes="stack")
            yield Vertical(*self._papers["tables"], id="tables", classes="stack")

    def on_mount(self) -> None:
        """Let the two halves of a pair scroll as one."""
        for paper in self._all_papers():
            scroll_with_partners(self, paper, self.papers)

    # -- showing -----------------------------------------------------------------------------------

    def show(self, arrangement: Layout, screen: Size, anew: bool, remark: RemarkOf | None = None) -> None:
        """Draw an arrangement on a screen of this size in cells; ``anew`` where it is of another case.

        ``remark`` says which lines of a leaf a comment is about.
        """
        self._remark = remark
        focused = self.focused_paper
        wanted = focused.leaf.key if focused and focused.leaf else None
        self._remember_scrolls(anew)
        self.set_class(arrangement.narrow, "-narrow")
        self.query_one("#aside").display = bool(arrangement.aside)
        self.query_one("#beside").display = bool(arrangement.beside)
        self.query_one("#tables").display = bool(arrangement.tables)
        self._set_widths(arrangement, screen.width)
        self._set_heights(arrangement, screen.height)
        for place in _PAPERS:
            self._fill(self._papers[place], getattr(arrangement, place), arrangement.narrow)
        if anew or self.link:
            self.show_link(None if anew else self.link)
        self._focus(wanted if not anew else None)

    def _fill(self, papers: Sequence[TextPane], leaves: Sequence[PaneText], bare: bool) -> None:
        for number, paper in enumerate(papers):
            paper.display = number < len(leaves)
            if paper.display:
                paper.set_class(bare, "-bare")
                paper.mark(self.words)
                leaf = leaves[number]
                paper.show(leaf, partial(self._remark, leaf) if self._remark else None)
                y = self._scrolls.get(leaves[number].key, 0)
                paper.scroll_to(y=y, animate=False, immediate=True)

    def _set_widths(self, arrangement: Layout, width: int) -> None:
        if arrangement.narrow:
            self._papers["first"][0].styles.width = "1fr"
            return
        for place in ("first", "beside"):
            leaves = getattr(arrangement, place)
            widths = column_widths(width - SIDE_WIDTH, leaves) if leaves else []
            for paper, cells in zip(self._papers[place], widths, strict=False):
                paper.styles.width = cells

    def _set_heights(self, arrangement: Layout, height: int) -> None:
        """What stands below the question is as high as it needs, as far as the question leaves room."""
        stacked = {place: getattr(arrangement, place) for place in ("aside", "tables")}
        leaves = [leaf for place in stacked.values() for leaf in place]
        needs = [len(leaf.lines(_SIDE_TEXT)) + _BORDER for leaf in leaves]
        roomy = height >= _ROOMY and len(needs) <= _FEW
        is_news = [leaf.pane in arrangement.news for leaf in leaves]
        heights = iter(_heights(needs, is_news, height - (_QUESTION if roomy else _LEAST_QUESTION)))
        for place, stack in stacked.items():
            for paper, _ in zip(self._papers[place], stack, strict=False):
                paper.styles.height = max(_BORDER + 1, next(heights))

    # -- scrolling and focus -----------------------------------------------------------------------

    @property
    def focused_paper(self) -> TextPane | None:
        """The pane that has the keys."""
        focused: Widget | None = self.screen.focused
        return focused if isinstance(focused, TextPane) else None

    def papers(self) -> list[TextPane]:
        """What is in sight, in reading order."""
        return [paper for paper in self._all_papers() if paper.display and paper.leaf]

    def text_widths(self) -> dict[str, list[int]]:
        """The room for text of the papers in sight at each place, in cells."""
        return {
            place: [paper.text_width for paper in papers if paper.display]
            for place, papers in self._papers.items()
        }

    def step_difference(self, step: int) -> bool:
        """Point at the next difference (the one before: step -1) of the focused pane, else of the first
        that has one; False where nothing differs."""
        focused = self.focused_paper
        panes = [paper.leaf.pane for paper in ([focused] if focused else []) + self.papers() if paper.leaf]
        return any(self._point(pane, step) for pane in panes)

    def _point(self, pane: str, step: int) -> bool:
        halves = [paper for paper in self.papers() if paper.leaf and paper.leaf.pane == pane]
        starts = sorted({start for paper in halves for start in paper.differences()})
        if not starts:
            return False
        target = _following(starts, self._difference[1] if self._difference[0] == pane else None, step)
        self._difference = pane, target
        for paper in halves:
            paper.point_at(target)
        says_it = [paper for paper in halves if paper.lines[target].sign != " "]
        if self.focused_paper in halves and self.focused_paper not in says_it:
            # What the very next key does, such as a comment, is about what is pointed at.
            self.screen.set_focus(says_it[0], scroll_visible=False)
        return True

    # -- links -------------------------------------------------------------------------------------

    def step_link(self, step: int) -> str | None:
        """Show the next link of the focused pane, else of the first that has one; None behind the last."""
        papers = [paper for paper in (self.focused_paper, *self.papers()) if paper and paper.link_lines()]
        names = [*papers[0].link_lines()] if papers else []
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
        for paper in self.papers():
            paper.show_link(name)

    # -- searching ---------------------------------------------------------------------------------

    def mark(self, words: str) -> None:
        """Mark these words in every pane, now and as panes change; none for ""."""
        self.words, self._match = words, None
        for paper in self.papers():
            paper.mark(words)

    def step_match(self, step: int, *, around: bool = True) -> bool:
        """Point at the next marked place (the one before: step -1); False where there is none.

        Not going ``around``, the last is the last.
        """
        papers = self.papers()
        places = [(order, number) for order, paper in enumerate(papers) for number in paper.matching_lines()]
        at = self._match
        if not places or (not around and at is not None and at == places[-1 if step > 0 else 0]):
            return False
        order, number = self._match = _following(places, at, step)
        papers[order].focus(scroll_visible=False)
        papers[order].point_at(number)
        return True

    def _all_papers(self) -> Iterator[TextPane]:
        for papers in self._papers.values():
            yield from papers

    def _remember_scrolls(self, anew: bool) -> None:
        if anew:
            self._scrolls.clear()
            self._difference = ("", -1)
            return
        for paper in self.papers():
            if paper.leaf:
                self._scrolls[paper.leaf.key] = paper.scroll_y

    def _focus(self, wanted: tuple[str, int] | None) -> None:
        """The pane that had the keys keeps them while it is in sight; else the first gets them."""
        if wanted is not None and wanted[0] == "guideline":
            return
        papers = self.papers()
        chosen = next((paper for paper in papers if paper.leaf and paper.leaf.key == wanted), papers[0])
        if self.screen.focused is not chosen:
            chosen.focus(scroll_visible=False)


def _heights(needs: Sequence[int], is_news: Sequence[bool], room: int) -> list[int]:
    """What each gets of a room in lines: what was just revealed first, of half of it at most."""
    news = shared([need * new for need, new in zip(needs, is_news, strict=True)], room // 2)
    others = [need * (not new) for need, new in zip(needs, is_news, strict=True)]
    return [sum(both) for both in zip(news, shared(others, room - sum(news)), strict=True)]


def layouts(arrangement: Layout, widths: Mapping[str, Sequence[int]]) -> Iterator[tuple[PaneText, int]]:
    """At which widths showing an arrangement lays its leaves out, on papers with such room for text."""
    for place in _PAPERS:
        yield from zip(getattr(arrangement, place), widths[place], strict=False)
    yield from ((leaf, _SIDE_TEXT) for leaf in (*arrangement.aside, *arrangement.tables))


def _following(places: Sequence[P], at: P | None, step: int) -> P:
    """The place behind ``at`` in the direction of the step, round the end; the first where ``at`` is None."""
    if step > 0:
        return next((place for place in places if at is not None and place > at), places[0])
    return next((place for place in reversed(places) if at is not None and place < at), places[-1])
