"""Where each pane of the review screen goes: a pure function of the shown sheet and the screen's size."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

from reviewer.core.pane import Pair, Pane, Sheet, Text, Tree, Variants
from reviewer.core.table import Table
from reviewer.study.session.verdicts import State
from reviewer.tui.rendering.columns import (
    BORDER,
    LEAST_COLUMN,
    MANY_SCREENS,
    MOST_EMPTY,
    column_widths,
    fitted_widths,
    height_of,
    needed_heights,
)
from reviewer.tui.rendering.pane_layout import FOLDED_FRAME, ROOMY, SIDE_WIDTH, Layout, ViewOptions, is_narrow
from reviewer.tui.rendering.pane_parts import count_with_parts, is_uncompared
from reviewer.tui.rendering.pane_rows import AROUND, PaneRows, hidden_rows, rows_of, wasted
from reviewer.tui.rendering.pane_text import PairForm, PaneText, one_line_text, pane_texts_of, unfolded_text
from reviewer.tui.rendering.view_state import BLOCK_ROWS, ViewState

_SIDE_SHARE = 4
"""The question has a quarter of a wide screen."""
_LEAST_ON_TOP = 2
_MOST_ON_A_PAGE = 4
# The cells of a pane that fills a small screen which are not for text, and the lines around it there:
# heading, question, tabs, answers and notice. A tab holds two panes at most.
_NARROW_FRAME, _NARROW_AROUND, _PANES_OF_A_TAB = 4, 6, 2
_LIST_OF_QUESTIONS = 1
"""The line that says there which of several questions about a case the keys answer."""
_SIDE_FRAME = 6
# The least height of the question and of a row of panes.
_LEAST_UPPER, _LEAST_ROW = 17, 5
_FIRST_PERCENT = 55
# For a guideline: the least width that it leaves to each text; how much wider the question becomes at once;
# cells beside it in the question; and lines of the question but for wording, guideline and more labels.
_LEAST_TEXT, _WIDER, _GUIDELINE_FRAME, _QUESTION_LINES = 45, 4, 5, 10
# The lines of a remark with its keys.
_REMARK_LINES = 6


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to share the room of a screen among its panes."""

    balanced: bool = False
    """Whether a row of panes is no higher than its shortest text needs, but for a few rows."""
    fewer_columns: bool = False
    """Whether one pair of programs less is in two columns."""
    low_question: bool = False
    """Whether programs stand below the texts only, and the question beside both."""
    others_below: bool = False
    """Whether panes that have no column on top stand below the texts, in place of below the question."""
    guideline_below: bool = False
    """Whether the guideline stands below the texts in the whole width, in place of in the question."""


_USUAL = _Way()
_OTHER_WAYS = (
    _Way(balanced=True),
    _Way(balanced=True, fewer_columns=True),
    _Way(balanced=True, low_question=True),
    _Way(balanced=True, low_question=True, fewer_columns=True),
    _Way(balanced=True, others_below=True),
    _Way(balanced=True, guideline_below=True),
    _Way(balanced=True, others_below=True, guideline_below=True),
)


@dataclass
class _Columns:
    """Panes put side by side, in ``most`` columns at most. Variants become one column if two have no room."""

    most: int
    options: ViewOptions
    pane_texts: list[PaneText] = field(default_factory=list)

    def take(self, pane: Pane) -> bool:
        forms: tuple[PairForm, ...] = ("columns",)
        for form in (*forms, "unified") if isinstance(pane.body, Variants) else forms:
            new = self.options.texts_of(pane, form)
            if not self.pane_texts or len(self.pane_texts) + len(new) <= self.most:
                self.pane_texts.extend(new)
                return True
        return False


def arrange(view: ViewState, width: int, height: int, options: ViewOptions) -> Layout:
    """The panes of a view, laid out on a screen of this size in cells; all variants, if they have room."""
    return _with_all_variants(
        view.sheet.first, width, height, options, partial(_arrange, view, width, height)
    )


def _with_all_variants(
    panes: Iterable[Pane],
    width: int,
    height: int,
    options: ViewOptions,
    make: Callable[[ViewOptions], Layout],
) -> Layout:
    """The layout with all variants that are not compared below each other, unless it hides more rows."""
    usual = make(options)
    if not any(map(is_uncompared, panes)):
        return usual
    layout = make(replace(options, all_variants=True))
    return layout if _hidden(layout, width, height) <= _hidden(usual, width, height) else usual


def _hidden(layout: Layout, width: int, height: int) -> int:
    """How many rows of texts can only be seen by scrolling, also on a small screen."""
    if layout.narrow:
        lines = sum(len(text.lines(width - _NARROW_FRAME)) for text in (*layout.first, *layout.below))
        return max(0, lines - height + _NARROW_AROUND + _LIST_OF_QUESTIONS)
    return hidden_rows(rows_of(layout, width, height))


def _arrange(view: ViewState, width: int, height: int, options: ViewOptions) -> Layout:
    if is_narrow(width, height):
        guideline = (view.question.guideline_pane,) if view.question.guideline_parts else ()
        layout = _tabs((*view.sheet, *guideline), options)
        room = height - _NARROW_AROUND - _LIST_OF_QUESTIONS * bool(view.block)
        room -= count_with_parts(view.sheet.first, all_variants=options.all_variants)
        return _with_others_asked(layout, view.sheet.first, room, width, options)
    height -= count_with_parts(view.sheet, all_variants=options.all_variants)
    side = max(SIDE_WIDTH, width // _SIDE_SHARE)
    panes = {pane.key: pane for pane in (*view.sheet, view.question.guideline_pane)}
    columns = _Columns(_columns_on_top(view, width - side), options)
    # A pair has its columns before anything else; then the order is that of the protocol.
    others = [pane for pane in sorted(view.sheet.first, key=_is_no_pair) if not columns.take(pane)]
    shown = _Shown(view, options, tuple(columns.pane_texts), tuple(others), width, height, side)
    zoomed = panes.get(options.zoomed or "")
    if zoomed is not None and not zoomed.held_back:
        return _zoomed(zoomed, shown)
    return _fairest(shown)


def _fairest(shown: "_Shown") -> Layout:
    """The usual layout if no pane scrolls in it beside empty rows; else the first that hides no more rows and
    wastes none, or the one that hides and wastes fewest. Texts of many screens scroll in each: laying them
    out in all of these would delay the key by seconds.
    """
    usual = _arranged(shown)
    rows = rows_of(usual, shown.width, shown.height)
    if not wasted(rows):
        return usual
    if hidden_rows(rows) > MANY_SCREENS * shown.height:
        return _ended(usual, rows)
    tried = [(usual, rows)]
    before = shown.options.before
    for way in sorted(_OTHER_WAYS, key=lambda way: before is None or way != before.way):
        layout = replace(_arranged(replace(shown, way=way)), way=way)
        found = rows_of(layout, shown.width, shown.height)
        if not wasted(found) and hidden_rows(found) <= hidden_rows(rows):
            return layout
        tried.append((layout, found))
    return _ended(*min(tried, key=lambda one: wasted(one[1]) + hidden_rows(one[1])))


def _ended(layout: Layout, rows: Sequence[PaneRows]) -> Layout:
    """A layout whose panes end after their texts if they would leave rows empty while others scroll."""
    ends = {row.pane: row.needed for row in rows if row.is_roomy} if wasted(rows) else {}
    return replace(layout, ends=ends)


def _arranged(shown: "_Shown") -> Layout:
    lower = _lower(shown)
    if shown.revealed and lower is not None:
        return _above_each_other(shown, lower)
    if shown.options.folded:
        return _without_others(shown)
    in_question = shown.has_guideline and not shown.way.guideline_below
    if lower is None and shown.has_guideline and not in_question:
        return _without_others(shown)
    if lower is None or in_question or shown.way.low_question:
        return _beside_the_question(shown, lower)
    return _above_each_other(shown, lower)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A view with the texts of its first panes and ``others`` that have no column, on a screen of a width
    and height. The question is ``side`` wide.
    """

    view: ViewState
    options: ViewOptions
    first: tuple[PaneText, ...]
    others: tuple[Pane, ...]
    width: int
    height: int
    side: int
    way: _Way = _USUAL

    @property
    def below_texts(self) -> tuple[Pane, ...]:
        """The panes that stand below the texts if the question is beside both."""
        return (*(self.others if self.way.others_below else ()), *self.sources)

    @property
    def aside(self) -> tuple[PaneText, ...]:
        return () if self.way.others_below else _unified(self.others, self.options)

    @property
    def revealed(self) -> bool:
        """Whether the rater sees findings or a derivation after their answer."""
        told = (isinstance(pane.body, Tree) or pane.key in self.view.question.reveals for pane in self._seen)
        return self.view.verdict.state is State.LABELLED and any(told)

    @property
    def tables(self) -> tuple[Pane, ...]:
        return tuple(pane for pane in self._seen if isinstance(pane.body, Table))

    @property
    def trees(self) -> tuple[Pane, ...]:
        return tuple(pane for pane in self._seen if isinstance(pane.body, Tree))

    @property
    def sources(self) -> tuple[Pane, ...]:
        panes = self.view.sheet.beside
        return tuple(pane for pane in panes if not isinstance(pane.body, Table | Tree))

    @property
    def held_back(self) -> tuple[Pane, ...]:
        return tuple(pane for pane in self.view.sheet.beside if pane.held_back)

    @property
    def _seen(self) -> Iterator[Pane]:
        return (pane for pane in self.view.sheet.beside if not pane.held_back)

    @property
    def has_guideline(self) -> bool:
        """Whether the question has a guideline that the rater may still need at every case."""
        return bool(self.view.question.guideline_parts) and not (self.view.practised or self.revealed)

    @property
    def question_height(self) -> int:
        """The height that the question needs without a guideline."""
        return self.question_rows(self.side)

    def question_rows(self, side: int) -> int:
        """The same in a question of another width."""
        more = max(0, len(self.view.question.labels) - 2) + _REMARK_LINES * bool(self.view.remark)
        more += _block_height(self.view)
        return _QUESTION_LINES + 1 + len(self.view.wording) // (side - _SIDE_FRAME) + more

    def guideline_rows(self, side: int) -> int:
        """The rows that the guideline needs in a question of a width; 0 if it has none there."""
        shown = self.guideline_texts if self.has_guideline else ()
        return sum(len(text.lines(side - _GUIDELINE_FRAME)) for text in shown)

    @property
    def guideline_texts(self) -> tuple[PaneText, ...]:
        """The guideline of the question as a pane; none if it has no guideline."""
        question = self.view.question
        return pane_texts_of(question.guideline_pane, "unified") if question.guideline_parts else ()

    def stacked(self, *places: Sequence[PaneText]) -> int:
        """The height of panes below the question."""
        return sum(len(text.lines(self.side - _SIDE_FRAME)) + BORDER for place in places for text in place)

    def first_widths(self, side: int, height: int) -> list[int]:
        """The widths of the first panes beside a question of a width, for a height that others leave."""
        if self.way.balanced:
            return fitted_widths(self.width - side, self.first, 0)
        return fitted_widths(self.width - side, self.first, height, self.widths_before("first"))

    def in_columns(self, panes: Sequence[Pane], width: int) -> tuple[PaneText, ...]:
        """The texts of panes below others, side by side in a width."""
        texts = _side_by_side(panes, width // LEAST_COLUMN, self.options)
        return _side_by_side(panes, len(texts) - 1, self.options) if self.way.fewer_columns else texts

    def widths_before(self, place: str) -> Sequence[int]:
        """The widths of the panes at a place when the case before was shown."""
        before = self.options.before
        return before.widths.get(place, ()) if before else ()

    def first_height(self, needed: int, programs: Sequence[PaneText], width: int, height: int) -> int:
        """The height of the first panes above programs of a width, if both share a height.

        It is the same for every case in which all of both fit. Where programs need more, texts have at most a
        few empty rows: the border moves up only until that is so.
        """
        before, of_programs = self.options.before, _height(programs, width)
        if self.way.balanced and needed + of_programs > height:
            return self._balanced_height(programs, width, height)
        most = max(height - of_programs, needed + MOST_EMPTY)
        rows = min(most, (before.first_height or before.upper_height) if before else 0)
        for usual in (rows, height * _FIRST_PERCENT // 100):
            if needed <= usual <= most:
                return min(usual, height - _LEAST_ROW)
        return min(max(needed + 1, height - of_programs), height - _LEAST_ROW)

    def _balanced_height(self, programs: Sequence[PaneText], width: int, height: int) -> int:
        """The height of the first panes if no row is much higher than its shortest text needs."""
        needs = needed_heights(self.first_widths(self.width - width, height), self.first).values()
        first = min(max(needs), min(needs) + MOST_EMPTY, height - _LEAST_ROW)
        left = height - first
        below = needed_heights(fitted_widths(width, programs, left), programs).values()
        most = max(below) if max(below) <= left else min(below) + MOST_EMPTY
        return max(first, height - max(most, _LEAST_ROW))

    def own_height(self, widths: Sequence[int], height: int) -> int:
        """The height that the first panes need; if they are balanced, at most what their shortest text needs
        and a few rows, or what others leave.
        """
        needs = needed_heights(widths, self.first).values()
        most = max(height, min(needs) + MOST_EMPTY)
        return min(max(needs), most) if self.way.balanced else max(needs)

    def side_for_guideline(self, height: int) -> int | None:
        """The least width of the question in which its guideline is whole, while texts keep their least
        width; None if there is none.
        """
        if not self.has_guideline:
            return self.side
        question = self.view.question
        lines = height - _QUESTION_LINES - max(0, len(question.labels) - 2) - _block_height(self.view)
        return _side_for(
            question.guideline_pane, question.prompt, lines, range(self.side, self.widest + 1, _WIDER)
        )

    @property
    def widest(self) -> int:
        """The greatest width of the question."""
        return max(self.side, self.width - _LEAST_TEXT * _LEAST_ON_TOP)


def _block_height(view: ViewState) -> int:
    """The lines of the list of all questions about the case, with a blank one."""
    return min(len(view.block), BLOCK_ROWS) + 1 if view.block else 0


@lru_cache(maxsize=32)
def _side_for(guideline: Pane, prompt: str, lines: int, widths: range) -> int | None:
    """The least of these widths at which prompt and guideline have no more lines than these."""
    (text,) = pane_texts_of(guideline, "unified")

    def needed(cells: int) -> int:
        return len(text.lines(cells - _GUIDELINE_FRAME)) + 1 + len(prompt) // (cells - _GUIDELINE_FRAME)

    return next((cells for cells in widths if needed(cells) <= lines), None)


@dataclass(frozen=True, slots=True)
class _Lower:
    """The part below the texts: ``steps`` of a derivation, programs, and panes that fold to a line each."""

    steps: tuple[PaneText, ...]
    sources: tuple[PaneText, ...]
    folded: tuple[Pane, ...]


def _lower(shown: _Shown) -> _Lower | None:
    """None where there is neither a derivation nor a program: then nothing needs the room."""
    tree, *trees = shown.trees or (None,)
    steps = shown.options.texts_of(tree, "columns") if tree else ()
    sources = shown.in_columns(shown.sources, shown.width)
    if not (steps or sources):
        return None
    rest = {pane.key for pane in (*trees, *shown.tables, *shown.held_back) if pane not in shown.sources}
    return _Lower(steps, sources, tuple(pane for pane in shown.view.sheet.beside if pane.key in rest))


def _beside_the_question(shown: _Shown, lower: _Lower | None) -> Layout:
    """Programs below the texts, and at the right the question in the whole height, for its guideline."""
    options, sheet = shown.options, shown.view.sheet
    tables, folded = _unified((*shown.tables, *shown.trees), options), shown.held_back
    height = shown.height - AROUND - len(folded)
    side = shown.side_for_guideline(height - shown.stacked(shown.aside, tables))
    if lower is not None and side != shown.side:  # the guideline needs the room more than tables do
        tables, folded = _unified(shown.trees, options), (*shown.tables, *folded)
        height -= len(shown.tables)
        side = shown.side_for_guideline(height - shown.stacked(shown.aside, tables))
    side = side or shown.widest
    left = shown.width - side
    beside = shown.in_columns(shown.below_texts, left)
    widths, first_height = dict[str, Sequence[int]](), 0
    if beside:
        first = widths["first"] = shown.first_widths(side, height - _height(beside, left))
        first_height = shown.first_height(height_of(first, shown.first), beside, left, height)
        before = shown.widths_before("beside")
        widths["beside"] = fitted_widths(left, beside, height - first_height, before)
    return Layout(
        shown.first,
        shown.aside,
        beside,
        tables,
        folded=tuple(one_line_text(pane) for pane in folded),
        side_width=side,
        has_guideline=shown.has_guideline,
        guideline_rows=shown.guideline_rows(side),
        question_rows=shown.question_rows(side),
        widths=widths,
        first_height=first_height,
        news=frozenset(shown.view.question.reveals),
        can_fold=bool(sheet.beside),
    )


def _without_others(shown: _Shown) -> Layout:
    """The texts as high as they need, and the guideline in the rows of the panes that are hidden."""
    guideline = shown.guideline_texts
    most = shown.height - AROUND - _LEAST_ROW
    first = shown.first_widths(shown.side, most)
    upper = max(height_of(first, shown.first), shown.question_height + shown.stacked(shown.aside))
    return Layout(
        shown.first,
        shown.aside,
        below=guideline,
        side_width=shown.side,
        has_guideline=False,
        widths={"first": first},
        upper_height=min(upper, most) if guideline else 0,
        question_height=shown.question_height,
        can_fold=bool(shown.view.sheet.beside),
    )


def _above_each_other(shown: _Shown, lower: _Lower) -> Layout:
    """A derivation in the whole width below the texts, which are as high as they need.

    Programs have the room that is left. Where there is none, the key for other panes shows them in place of
    the derivation. Before the answer, when no derivation may be seen, programs have all of the width.
    """
    options, width, others = shown.options, shown.width, shown.others
    steps, sources, folded, aside = lower.steps, lower.sources, lower.folded, shown.aside
    programs = () if options.folded else sources
    guideline = shown.guideline_texts if shown.has_guideline else ()
    below, last = (steps, programs) if steps else (programs, guideline)
    rows = shown.height - AROUND - len(folded)
    first = shown.first_widths(shown.side, rows - _height(below, width) - _height(last, width))
    question, stacked = _LEAST_UPPER if shown.revealed else shown.question_height, shown.stacked(aside)
    upper = max(
        shown.own_height(first, rows - _height(below, width) - _height(last, width)),
        question if shown.revealed else question + stacked,
    )
    if stacked > upper - question:
        aside, folded = (), (*others, *folded)
        rows -= len(others)
    if not (shown.revealed or steps):
        upper = max(question + stacked, shown.first_height(upper, below, width, rows - _height(last, width)))
    upper = min(upper, rows - _LEAST_ROW)
    if steps and rows - upper - _height(steps, width) < _LEAST_ROW:
        below, last = sources if sources and options.page % 2 else steps, ()
    left = rows - upper - _height(below, width)
    empty = left - _height(last, width)
    news = frozenset(shown.view.question.reveals)
    lines = _unfolded(folded, news, (empty, (left - _LEAST_ROW) // 2), width - FOLDED_FRAME)
    more = sum(len(text.lines(width - FOLDED_FRAME)) for text in lines) - len(lines)
    last_height = max(0, min(left - more, _height(last, width)))
    return Layout(
        shown.first,
        aside,
        below=below,
        last=last,
        folded=lines,
        side_width=shown.side,
        has_guideline=False,
        widths={
            "first": first,
            "below": fitted_widths(
                width, below, rows - upper - more - last_height, shown.widths_before("below")
            ),
            "last": fitted_widths(width, last, last_height, shown.widths_before("last")),
        },
        upper_height=upper,
        question_height=question,
        last_height=last_height,
        can_fold=bool(sources),
    )


def _unfolded(
    panes: Sequence[Pane], news: frozenset[str], rows: tuple[int, int], width: int
) -> tuple[PaneText, ...]:
    """Panes of one line each, but for those whose other lines have room, the shortest first.

    ``rows`` counts the empty ones, and those that programs leave to panes that the answer revealed.
    """
    whole = {pane.key: unfolded_text(pane) for pane in panes}
    more = {key: len(text.lines(width)) - 1 for key, text in whole.items()}
    texts = {pane.key: one_line_text(pane) for pane in panes}
    empty, for_news = rows
    for key in sorted(filter(more.get, texts), key=lambda key: (key not in news, more[key])):
        if more[key] <= (max(empty, for_news) if key in news else empty):
            texts[key] = whole[key]
            empty, for_news = empty - more[key], for_news - more[key]
    return tuple(texts.values())


def _height(pane_texts: Sequence[PaneText], width: int) -> int:
    """The height that pane texts side by side need in a width in cells, with their border."""
    return height_of(column_widths(width, pane_texts), pane_texts) if pane_texts else 0


def pages(sheet: Sheet, width: int, height: int, options: ViewOptions) -> Layout:
    """All panes of a sheet without a question: in groups that fit side by side, or one tab each."""
    return _with_all_variants(sheet, width, height, options, partial(_pages, sheet, width, height))


def _pages(sheet: Sheet, width: int, height: int, options: ViewOptions) -> Layout:
    panes = tuple(sheet)
    if width < ROOMY:
        return _tabs(panes, options, can_fold=len(panes) > 1)
    zoomed = next((pane for pane in panes if pane.key == options.zoomed), None)
    if zoomed is not None:
        return Layout(options.texts_of(zoomed, "columns"), can_fold=True)
    groups = [*_groups(sheet.first, options), *_groups(sheet.beside, options)]
    group = groups[options.page % len(groups)] if groups else []
    widths = fitted_widths(width, group, height - AROUND)
    layout = Layout(tuple(group), side_width=0, has_guideline=False, can_fold=len(groups) > 1)
    layout = replace(layout, widths={"first": widths} if group else {})
    return _ended(layout, rows_of(layout, width, height))


def _groups(panes: Sequence[Pane], options: ViewOptions) -> list[list[PaneText]]:
    """Panes in groups of at most as many columns as are readable, in their order."""
    groups: list[list[PaneText]] = []
    for pane in panes:
        pane_texts = options.texts_of(pane, "columns")
        if not groups or len(groups[-1]) + len(pane_texts) > _MOST_ON_A_PAGE:
            groups.append([])
        groups[-1] += pane_texts
    return groups


def _columns_on_top(view: ViewState, width: int) -> int:
    """Two columns for a pair, with anything else at the side; variants side by side as far as readable."""
    if any(isinstance(pane.body, Pair) for pane in view.sheet.first):
        return _LEAST_ON_TOP
    return max(_LEAST_ON_TOP, width // LEAST_COLUMN)


def _zoomed(pane: Pane, shown: _Shown) -> Layout:
    """One pane alone. Beside a tree the tables stay, since the tree explains their numbers.

    The question is at least as wide as beside all panes, so that zooming rarely wraps it again.
    """
    tables = _unified(shown.tables, shown.options) if isinstance(pane.body, Tree) else ()
    aside = tuple(pane_text for pane_text in shown.aside if pane_text.pane != pane.key)
    side = shown.side_for_guideline(shown.height - AROUND - shown.stacked(aside, tables))
    return Layout(
        shown.options.texts_of(pane, "columns"),
        aside,
        tables=tables,
        side_width=max(side or shown.widest, _arranged(shown).side_width),
        has_guideline=shown.has_guideline,
        can_fold=bool(shown.view.sheet.beside),
    )


def _unified(panes: Sequence[Pane], options: ViewOptions) -> tuple[PaneText, ...]:
    return tuple(pane_text for pane in panes for pane_text in options.texts_of(pane, "unified"))


def _tabs(tabs: tuple[Pane, ...], options: ViewOptions, can_fold: bool = False) -> Layout:
    chosen = next((pane for pane in tabs if pane.key == (options.tab or options.zoomed)), tabs[0])
    pane_texts = options.texts_of(chosen, "unified")
    return Layout(pane_texts, tabs=tabs, tab=chosen.key, can_fold=can_fold)


def _with_others_asked(
    layout: Layout, asked: Sequence[Pane], height: int, width: int, options: ViewOptions
) -> Layout:
    """Two panes that are asked about stand below each other if the first leaves half of the height."""
    if len(asked) != _PANES_OF_A_TAB or layout.tab not in {pane.key for pane in asked}:
        return layout
    upper, lower = (options.texts_of(pane, "unified") for pane in asked)
    lines = len(upper[0].lines(width - _NARROW_FRAME))
    if lines > height // 2:
        return layout
    titled = [replace(text, title=" · ".join(filter(None, (text.title, text.legend)))) for text in lower]
    return replace(layout, first=upper, below=tuple(titled), upper_height=lines, tab=asked[0].key)


def _side_by_side(panes: Sequence[Pane], most: int, options: ViewOptions) -> tuple[PaneText, ...]:
    """Pairs and variants in columns where there is shown. Prose, which reads well as one text, becomes one
    first.
    """
    forms: dict[str, PairForm] = {pane.key: "columns" for pane in panes}
    pairs = [pane for pane in panes if isinstance(pane.body, Pair | Variants)]
    for pane in sorted(pairs, key=_is_source):
        if len(panes) + sum(forms[pair.key] == "columns" for pair in pairs) > most:
            forms[pane.key] = "unified"
    return tuple(pane_text for pane in panes for pane_text in options.texts_of(pane, forms[pane.key]))


def _is_no_pair(pane: Pane) -> bool:
    return not isinstance(pane.body, Pair)


def _is_source(pane: Pane) -> bool:
    return isinstance(pane.body, Pair) and not isinstance(pane.body.left, Text)
