"""Where each pane of the review screen goes: a pure function of what is shown and of the screen's size."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from reviewer.core.pane import Pair, Pane, Text, Tree
from reviewer.core.table import Table
from reviewer.tui.rendering.line import Trail
from reviewer.tui.rendering.pane_text import PairForm, PaneText, pane_texts_of
from reviewer.tui.rendering.view_state import GUIDELINE, ViewState

SIDE_WIDTH = 42
_NARROW_BELOW = (118, 30)
_LEAST_COLUMN = 30
_COLUMNS_ON_TOP = 2


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
    """What the rater chose: programs hidden, one pane zoomed, one tab shown (each by pane key), and branches
    of trees folded or unfolded (by pane key and trail)."""

    folded: bool = False
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
        return _narrow(view, options)
    panes = {pane.key: pane for pane in (*view.sheet, view.guideline)}
    columns, aside = _Columns(_COLUMNS_ON_TOP), list[PaneText]()
    for pane in view.sheet.first:
        if not columns.take(pane):
            aside.extend(pane_texts_of(pane, "unified"))
    if options.zoomed is not None and options.zoomed in panes:
        return _zoomed(panes[options.zoomed], view, tuple(aside), options)
    if options.folded:
        return Layout(tuple(columns.pane_texts), tuple(aside))
    others = [pane for pane in view.sheet.beside if not isinstance(pane.body, Table | Tree)]
    return Layout(
        tuple(columns.pane_texts),
        tuple(aside),
        _side_by_side(others, (width - SIDE_WIDTH) // _LEAST_COLUMN),
        _at_the_side(view, options, (Table, Tree)),
        news=frozenset(view.question.reveals),
    )


def _zoomed(pane: Pane, view: ViewState, aside: tuple[PaneText, ...], options: ViewOptions) -> Layout:
    """One pane alone. Beside a tree the tables stay, since the tree explains their numbers."""
    pane_texts = pane_texts_of(pane, "columns", options.toggled_in(pane.key))
    tables = _at_the_side(view, options, (Table,)) if isinstance(pane.body, Tree) else ()
    return Layout(
        pane_texts, tuple(pane_text for pane_text in aside if pane_text.pane != pane.key), tables=tables
    )


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


def _narrow(view: ViewState, options: ViewOptions) -> Layout:
    tabs = (*view.sheet, view.guideline)
    chosen = next((pane for pane in tabs if pane.key == (options.zoomed or options.tab)), tabs[0])
    return Layout(pane_texts_of(chosen, "unified", options.toggled_in(chosen.key)), tabs=tabs, tab=chosen.key)


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
