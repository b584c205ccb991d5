"""Where each pane of the review screen goes: a pure function of what is shown and of the screen's size."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from reviewer.core.pane import Pair, Pane, Sheet, Text, Tree, Variants
from reviewer.core.table import Table
from reviewer.study.session.verdicts import State
from reviewer.tui.rendering.line import Trail
from reviewer.tui.rendering.pane_parts import PaneParts, count_with_parts
from reviewer.tui.rendering.pane_text import PairForm, PaneText, one_line_text, pane_texts_of
from reviewer.tui.rendering.view_state import GUIDELINE, ViewState

SIDE_WIDTH = 42
SIDE_TEXT = SIDE_WIDTH - 6
"""The width at the right of the texts, and that for text there, in cells."""
ROOMY = 118
"""From this width in cells, panes are side by side."""
_NARROW_BELOW = (ROOMY, 30)
_LEAST_COLUMN = 30
_LEAST_ON_TOP = 2
_MOST_ON_A_PAGE = 4
# Of a pane: its border, and the cells that are not for text (border, margin, scroll bar, padding).
_BORDER, _FRAME = 2, 6
# The same for a pane that fills a small screen, and the lines around it there: heading, question, tabs,
# answers and notice. A tab holds two panes at most.
_NARROW_FRAME, _NARROW_AROUND, _PANES_OF_A_TAB = 4, 6, 2
# Lines of the screen around the panes, and the least height of the question and of a row of panes.
AROUND, _LEAST_UPPER, _LEAST_ROW = 2, 17, 5
_FIRST_PERCENT = 55


@dataclass(frozen=True, slots=True)
class Layout:
    """Pane texts by place. In the narrow layout ``tabs`` lists all panes; only ``first`` has one, and
    ``below`` if a question is about two.

    ``first`` stand at the left with those ``beside`` them below; at the right the question with those
    ``aside`` and the ``tables``. A derivation stands ``below`` these in the whole width, with programs
    ``last`` if there is room, and what is ``folded`` to one line each. Heights are in cells; 0 takes what
    the others leave.
    """

    first: tuple[PaneText, ...]
    aside: tuple[PaneText, ...] = ()
    beside: tuple[PaneText, ...] = ()
    tables: tuple[PaneText, ...] = ()
    below: tuple[PaneText, ...] = ()
    last: tuple[PaneText, ...] = ()
    folded: tuple[PaneText, ...] = ()
    upper_height: int = 0
    first_height: int = 0
    last_height: int = 0
    tabs: tuple[Pane, ...] = ()
    tab: str = ""
    news: frozenset[str] = frozenset()
    """The keys of the panes that an answer reveals."""
    can_fold: bool = False
    """Whether a key shows other panes, or hides those beside the first ones."""

    @property
    def narrow(self) -> bool:
        """Whether one pane is shown at a time."""
        return bool(self.tabs)

    @property
    def shown_tabs(self) -> list[str]:
        """The keys of the tabs whose panes are shown, in their order."""
        return list(dict.fromkeys(text.pane for text in (*self.first, *self.below))) if self.tabs else []

    @property
    def panes(self) -> frozenset[str]:
        """The keys of the case's panes that are shown; the guideline does not count."""
        return frozenset(pane_text.pane for pane_text in self._texts()) - {GUIDELINE}

    @property
    def parts(self) -> tuple[PaneParts, ...]:
        """The parts of the panes that are shown, if they have parts."""
        return tuple(dict.fromkeys(text.parts for text in self._texts() if text.parts))

    def _texts(self) -> Iterator[PaneText]:
        for place in (self.first, self.aside, self.beside, self.tables, self.below, self.last, self.folded):
            yield from place


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What the user chose: programs hidden, another page of panes, one pane zoomed, one tab shown (each by
    pane key), trees in words, branches of trees folded or unfolded (by pane key and trail), and other parts
    of panes (by pane key, each with a position, see ``PaneParts``)."""

    folded: bool = False
    page: int = 0
    zoomed: str | None = None
    tab: str | None = None
    in_words: bool = False
    toggled: frozenset[tuple[str, Trail]] = frozenset()
    positions: frozenset[tuple[str, int]] = frozenset()

    def texts_of(self, pane: Pane, form: PairForm) -> tuple[PaneText, ...]:
        """The texts of a pane, as the user chose to see it."""
        toggled = frozenset(trail for key, trail in self.toggled if key == pane.key)
        position = dict(self.positions).get(pane.key, 0)
        return pane_texts_of(pane, form, toggled, in_words=self.in_words, position=position)

    def at_position(self, pane: str, position: int) -> "ViewOptions":
        """The same with other parts of a pane."""
        others = {(key, there) for key, there in self.positions if key != pane}
        return replace(self, positions=frozenset(others | {(pane, position)}))

    def for_next_case(self, tab: str | None) -> "ViewOptions":
        """What stays as it is when another case is shown."""
        return ViewOptions(self.folded, zoomed=self.zoomed, tab=tab, in_words=self.in_words)


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


def is_narrow(width: int, height: int) -> bool:
    """Whether a screen of this size shows one pane at a time."""
    return width < _NARROW_BELOW[0] or height < _NARROW_BELOW[1]


def arrange(view: ViewState, width: int, height: int, options: ViewOptions) -> Layout:
    """The panes of a view, laid out on a screen of this size in cells."""
    if is_narrow(width, height):
        guideline = (view.guideline,) if view.question.guideline else ()
        layout = _tabs((*view.sheet, *guideline), options)
        room = height - _NARROW_AROUND - count_with_parts(view.sheet.first)
        return _with_others_asked(layout, view.sheet.first, room, width, options)
    height -= count_with_parts(view.sheet)
    panes = {pane.key: pane for pane in (*view.sheet, view.guideline)}
    columns = _Columns(_columns_on_top(view, width), options)
    # A pair has its columns before anything else; then the order is that of the protocol.
    others = [pane for pane in sorted(view.sheet.first, key=_is_no_pair) if not columns.take(pane)]
    first, aside = tuple(columns.pane_texts), _unified(others, options)
    zoomed = panes.get(options.zoomed or "")
    if zoomed is not None and not zoomed.held_back:
        return _zoomed(zoomed, view, aside, options)
    if revealed := _revealed(view, first, others, width, options):
        return _with_revealed(revealed, (width, height), options)
    if options.folded:
        return Layout(first, aside, can_fold=bool(view.sheet.beside))
    room = width - SIDE_WIDTH
    folded = tuple(one_line_text(pane) for pane in view.sheet.beside if pane.held_back)
    sources = [pane for pane in view.sheet.beside if not isinstance(pane.body, Table | Tree)]
    beside = _side_by_side(sources, room // _LEAST_COLUMN, options)
    return Layout(
        first,
        aside,
        beside,
        _at_the_side(view, options, (Table, Tree)),
        folded=folded,
        first_height=_first_height(first, room, height - AROUND - len(folded)) if beside else 0,
        news=frozenset(view.question.reveals),
        can_fold=bool(view.sheet.beside),
    )


def _first_height(pane_texts: Sequence[PaneText], width: int, height: int) -> int:
    """The height of the first panes above programs: the same for every case whose texts fit into it."""
    usual = height * _FIRST_PERCENT // 100
    return min(max(usual, _height(pane_texts, width)), height - _LEAST_ROW)


@dataclass(frozen=True, slots=True)
class _Revealed:
    """What there is to see after an answer: the texts, panes asked about that have no column, a derivation if
    it may be seen, programs, and what folds to a line each.
    """

    first: tuple[PaneText, ...]
    others: tuple[Pane, ...]
    steps: tuple[PaneText, ...]
    sources: tuple[PaneText, ...]
    folded: tuple[Pane, ...]


def _revealed(
    view: ViewState, first: tuple[PaneText, ...], others: Sequence[Pane], width: int, options: ViewOptions
) -> _Revealed | None:
    """The panes of a view with findings or a derivation after its answer; None without them.

    Without a derivation or programs, which need the room, nothing has to fold.
    """
    panes = view.sheet.beside
    tree = next((pane for pane in panes if isinstance(pane.body, Tree) and not pane.held_back), None)
    nothing_new = tree is None and not any(pane.key in view.question.reveals for pane in panes)
    if nothing_new or view.verdict.state is not State.LABELLED:
        return None
    folded = tuple(pane for pane in panes if isinstance(pane.body, Table | Tree) and pane is not tree)
    programs = [pane for pane in panes if pane is not tree and pane not in folded]
    steps = options.texts_of(tree, "columns") if tree else ()
    sources = _side_by_side(programs, width // _LEAST_COLUMN, options)
    return _Revealed(first, tuple(others), steps, sources, folded) if steps or sources else None


def _with_revealed(revealed: _Revealed, size: tuple[int, int], options: ViewOptions) -> Layout:
    """A derivation in the whole width below the texts, which are as high as they need.

    Programs have the room that is left. Where there is none, the key for other panes shows them in place of
    the derivation.
    """
    width, height = size
    steps, sources, folded = revealed.steps, revealed.sources, revealed.folded
    aside = _unified(revealed.others, options)
    upper = max(_LEAST_UPPER, _height(revealed.first, width - SIDE_WIDTH))
    if sum(len(text.lines(SIDE_TEXT)) + _BORDER for text in aside) > upper - _LEAST_UPPER:
        aside, folded = (), (*revealed.others, *folded)
    room = height - AROUND - len(folded)
    upper = min(upper, room - _LEAST_ROW)
    left = room - upper - _height(steps, width)
    layout = Layout(
        revealed.first,
        aside,
        folded=tuple(map(one_line_text, folded)),
        upper_height=upper,
        can_fold=bool(sources),
    )
    if not steps:
        return replace(layout, below=() if options.folded else sources)
    if left < _LEAST_ROW:
        return replace(layout, below=sources if sources and options.page % 2 else steps)
    last = () if options.folded else sources
    return replace(layout, below=steps, last=last, last_height=min(left, _height(last, width)))


def _height(pane_texts: Sequence[PaneText], width: int) -> int:
    """The height that pane texts side by side need in a width in cells, with their border."""
    if not pane_texts:
        return 0
    widths = column_widths(width, pane_texts)
    return _BORDER + max(
        len(text.lines(cells - _FRAME)) for text, cells in zip(pane_texts, widths, strict=True)
    )


def pages(sheet: Sheet, width: int, height: int, options: ViewOptions) -> Layout:
    """All panes of a sheet without a question: in groups that fit side by side, or one tab each."""
    panes = tuple(sheet)
    if width < ROOMY:
        return _tabs(panes, options, can_fold=len(panes) > 1)
    zoomed = next((pane for pane in panes if pane.key == options.zoomed), None)
    if zoomed is not None:
        return Layout(options.texts_of(zoomed, "columns"), can_fold=True)
    groups = [*_groups(sheet.first, options), *_groups(sheet.beside, options)]
    group = groups[options.page % len(groups)] if groups else []
    return Layout(tuple(group), can_fold=len(groups) > 1)


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
    return max(_LEAST_ON_TOP, (width - SIDE_WIDTH) // _LEAST_COLUMN)


def _zoomed(pane: Pane, view: ViewState, aside: tuple[PaneText, ...], options: ViewOptions) -> Layout:
    """One pane alone. Beside a tree the tables stay, since the tree explains their numbers."""
    pane_texts = options.texts_of(pane, "columns")
    tables = _at_the_side(view, options, (Table,)) if isinstance(pane.body, Tree) else ()
    others = tuple(pane_text for pane_text in aside if pane_text.pane != pane.key)
    return Layout(pane_texts, others, tables=tables, can_fold=bool(view.sheet.beside))


def _at_the_side(view: ViewState, options: ViewOptions, bodies: tuple[type, ...]) -> tuple[PaneText, ...]:
    """The panes below the question whose bodies are of these kinds."""
    panes = [pane for pane in view.sheet.beside if isinstance(pane.body, bodies) and not pane.held_back]
    return _unified(panes, options)


def _unified(panes: Sequence[Pane], options: ViewOptions) -> tuple[PaneText, ...]:
    return tuple(pane_text for pane in panes for pane_text in options.texts_of(pane, "unified"))


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
    """Pairs and variants in columns where there is room. Prose, which reads well as one text, becomes one
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
