"""Where each pane of the review screen goes: a pure function of what is shown and of the screen's size."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from reviewer.core.pane import Pair, Pane, Sheet, Text, Tree
from reviewer.core.table import Table
from reviewer.tui.rendering.line import Trail
from reviewer.tui.rendering.pane_text import PairForm, PaneText, pane_texts_of
from reviewer.tui.rendering.view_state import GUIDELINE, ViewState

SIDE_WIDTH = 42
ROOMY = 118
"""From this width in cells, panes are side by side."""
_NARROW_BELOW = (ROOMY, 30)
_LEAST_COLUMN = 30
_LEAST_ON_TOP = 2
_MOST_ON_A_PAGE = 4


@dataclass(frozen=True, slots=True)
class Layout:
    """Pane texts by place. In the narrow layout only ``first`` has one, and ``tabs`` lists all panes."""

    first: tuple[PaneText, ...]
    aside: tuple[PaneText, ...] = ()
    beside: tuple[PaneText, ...] = ()
    tables: tuple[PaneText, ...] = ()
    tabs: tuple[Pane, ...] = ()
    tab: str = ""
    news: frozenset[str] = frozenset()
    """The keys of the panes that an answer reveals."""
    can_fold: bool = False
    """Whether a key shows other panes, or hides those beside the first ones."""
    low: bool = False
    """Whether the first panes are no higher than their texts need."""

    @property
    def narrow(self) -> bool:
        """Whether one pane is shown at a time."""
        return bool(self.tabs)

    @property
    def panes(self) -> frozenset[str]:
        """The keys of the case's panes that are shown; the guideline does not count."""
        pane_texts = (*self.first, *self.aside, *self.beside, *self.tables)
        return frozenset(pane_text.pane for pane_text in pane_texts) - {GUIDELINE}


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What the user chose: programs hidden, another page of panes, one pane zoomed, one tab shown (each by
    pane key), and branches of trees folded or unfolded (by pane key and trail)."""

    folded: bool = False
    page: int = 0
    zoomed: str | None = None
    tab: str | None = None
    toggled: frozenset[tuple[str, Trail]] = frozenset()

    def toggled_in(self, pane: str) -> frozenset[Trail]:
        """The branches of a pane's tree whose folding the rater has changed."""
        return frozenset(trail for key, trail in self.toggled if key == pane)


@dataclass
class _Columns:
    """Panes put side by side, in ``most`` columns at most."""

    most: int
    pane_texts: list[PaneText] = field(default_factory=list)

    def take(self, pane: Pane) -> bool:
        new = pane_texts_of(pane, "columns")
        if self.pane_texts and len(self.pane_texts) + len(new) > self.most:
            return False
        self.pane_texts.extend(new)
        return True


def is_narrow(width: int, height: int) -> bool:
    """Whether a screen of this size shows one pane at a time."""
    return width < _NARROW_BELOW[0] or height < _NARROW_BELOW[1]


def arrange(view: ViewState, width: int, height: int, options: ViewOptions) -> Layout:
    """The panes of a view, laid out on a screen of this size in cells."""
    if is_narrow(width, height):
        return _tabs((*view.sheet, view.guideline), options)
    panes = {pane.key: pane for pane in (*view.sheet, view.guideline)}
    columns, aside = _Columns(_columns_on_top(view, width)), list[PaneText]()
    for pane in view.sheet.first:
        if not columns.take(pane):
            aside.extend(pane_texts_of(pane, "unified"))
    if options.zoomed is not None and options.zoomed in panes:
        return _zoomed(panes[options.zoomed], view, tuple(aside), options)
    if options.folded:
        return Layout(tuple(columns.pane_texts), tuple(aside), can_fold=bool(view.sheet.beside))
    others = [pane for pane in view.sheet.beside if not isinstance(pane.body, Table | Tree)]
    return Layout(
        tuple(columns.pane_texts),
        tuple(aside),
        _side_by_side(others, (width - SIDE_WIDTH) // _LEAST_COLUMN),
        _at_the_side(view, options, (Table, Tree)),
        news=frozenset(view.question.reveals),
        can_fold=bool(view.sheet.beside),
    )


def pages(sheet: Sheet, width: int, height: int, options: ViewOptions) -> Layout:
    """All panes of a sheet without a question: in groups that fit side by side, or one tab each."""
    panes = tuple(sheet)
    if width < ROOMY:
        return _tabs(panes, options, can_fold=len(panes) > 1)
    zoomed = next((pane for pane in panes if pane.key == options.zoomed), None)
    if zoomed is not None:
        return Layout(pane_texts_of(zoomed, "columns", options.toggled_in(zoomed.key)), can_fold=True)
    groups = [*_groups(sheet.first, options), *_groups(sheet.beside, options)]
    group = groups[options.page % len(groups)] if groups else []
    return Layout(tuple(group), can_fold=len(groups) > 1)


def _groups(panes: Sequence[Pane], options: ViewOptions) -> list[list[PaneText]]:
    """Panes in groups of at most as many columns as are readable, in their order."""
    groups: list[list[PaneText]] = []
    for pane in panes:
        pane_texts = pane_texts_of(pane, "columns", options.toggled_in(pane.key))
        if not groups or len(groups[-1]) + len(pane_texts) > _MOST_ON_A_PAGE:
            groups.append([])
        groups[-1] += pane_texts
    return groups


def _columns_on_top(view: ViewState, width: int) -> int:
    """Two columns for a pair, with anything else at the side; variants side by side as far as readable."""
    if any(isinstance(pane.body, Pair) for pane in view.sheet.first):
        return _LEAST_ON_TOP
    return max(_LEAST_ON_TOP, (width - SIDE_WIDTH) // _LEAST_COLUMN)


def _zoomed(pane: Pane, view: ViewState, aside: tuple[PaneText, ...], options: ViewOptions) -> Layout:
    """One pane alone. Beside a tree the tables stay, since the tree explains their numbers."""
    pane_texts = pane_texts_of(pane, "columns", options.toggled_in(pane.key))
    tables = _at_the_side(view, options, (Table,)) if isinstance(pane.body, Tree) else ()
    others = tuple(pane_text for pane_text in aside if pane_text.pane != pane.key)
    return Layout(pane_texts, others, tables=tables, can_fold=bool(view.sheet.beside))


def _at_the_side(view: ViewState, options: ViewOptions, bodies: tuple[type, ...]) -> tuple[PaneText, ...]:
    """The panes below the question whose bodies are of these kinds."""
    panes = [pane for pane in view.sheet.beside if isinstance(pane.body, bodies)]
    return tuple(
        pane_text
        for pane in panes
        for pane_text in pane_texts_of(pane, "unified", options.toggled_in(pane.key))
    )


def column_widths(total: int, pane_texts: Sequence[PaneText]) -> list[int]:
    """A width in cells, shared among pane texts. Those of one pane are equally wide, so their rows align."""
    width, left = divmod(total, len(pane_texts))
    wider: set[str] = set()
    for pane, count in sorted(
        Counter(pane_text.pane for pane_text in pane_texts).items(), key=lambda item: item[1]
    ):
        if count <= left:
            wider.add(pane)
            left -= count
    return [width + (pane_text.pane in wider) for pane_text in pane_texts]


def _tabs(tabs: tuple[Pane, ...], options: ViewOptions, can_fold: bool = False) -> Layout:
    chosen = next((pane for pane in tabs if pane.key == (options.zoomed or options.tab)), tabs[0])
    pane_texts = pane_texts_of(chosen, "unified", options.toggled_in(chosen.key))
    return Layout(pane_texts, tabs=tabs, tab=chosen.key, can_fold=can_fold)


def _side_by_side(panes: Sequence[Pane], most: int) -> tuple[PaneText, ...]:
    """Pairs in columns where there is room. Prose, which reads well as one text, becomes one first."""
    forms: dict[str, PairForm] = {pane.key: "columns" for pane in panes}
    pairs = [pane for pane in panes if isinstance(pane.body, Pair)]
    for pane in sorted(pairs, key=_is_source):
        if len(panes) + sum(forms[pair.key] == "columns" for pair in pairs) > most:
            forms[pane.key] = "unified"
    return tuple(pane_text for pane in panes for pane_text in pane_texts_of(pane, forms[pane.key]))


def _is_source(pane: Pane) -> bool:
    return isinstance(pane.body, Pair) and not isinstance(pane.body.left, Text)
