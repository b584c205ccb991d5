"""The place of each pane of a case, and the user's choice of views: values that an arrangement makes."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reviewer.core.pane import Pane
from reviewer.core.question import GUIDELINE
from reviewer.tui.rendering.line import Trail
from reviewer.tui.rendering.pane_parts import PaneParts, is_uncompared
from reviewer.tui.rendering.pane_text import PairForm, PaneText, pane_texts_of

SIDE_WIDTH = 42
"""The least width of the question at the right of the texts, in cells."""
ROOMY = 118
"""From this width in cells, panes are side by side."""
_NARROW_BELOW = (ROOMY, 30)
FOLDED_FRAME = 3
"""Cells of a pane that is folded which are not for text. It has neither border nor scroll bar."""
_SIDE_FRAME = 6


@dataclass(frozen=True, slots=True)
class Layout:
    """Pane texts by place. In the narrow layout ``tabs`` lists all panes; only ``first`` has one, and
    ``below`` if a question is about two.

    ``first`` stand at the left with those ``beside`` them below; at the right the question with those
    ``aside`` and the ``tables``. A derivation, programs or a guideline stand ``below`` these in the whole
    width, with programs ``last`` if there is room for both, and panes ``folded`` to one line each, or with
    more where rows are empty. Heights are in cells; 0 takes what the others leave. ``widths`` are those
    of panes at places that do not share a width equally.
    """

    first: tuple[PaneText, ...]
    aside: tuple[PaneText, ...] = ()
    beside: tuple[PaneText, ...] = ()
    tables: tuple[PaneText, ...] = ()
    below: tuple[PaneText, ...] = ()
    last: tuple[PaneText, ...] = ()
    folded: tuple[PaneText, ...] = ()
    side_width: int = SIDE_WIDTH
    has_guideline: bool = True
    """Whether the question has its guideline."""
    guideline_rows: int = 0
    """The rows that the guideline needs in the question."""
    question_rows: int = 0
    """The rows of the question without its guideline."""
    way: Hashable = None
    """How room was shared, if not in the usual way; the next case is tried in the same way first."""
    ends: Mapping[str, int] = field(default_factory=dict)
    """The heights of panes, by their keys, that end after their text while others scroll."""
    widths: Mapping[str, Sequence[int]] = field(default_factory=dict)
    upper_height: int = 0
    question_height: int = 0
    """The height of the question where those of the upper panes are given."""
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
    def side_text(self) -> int:
        """The width for text of panes below the question, in cells."""
        return self.side_width - _SIDE_FRAME

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
    before: Layout | None = None
    """That of the case before: borders stay where they are as long as they serve."""
    all_variants: bool = False
    """Whether variants that are not compared are all shown, one below the other."""

    def texts_of(self, pane: Pane, form: PairForm) -> tuple[PaneText, ...]:
        """The texts of a pane, as the user chose to see it."""
        toggled = frozenset(trail for key, trail in self.toggled if key == pane.key)
        is_whole = self.all_variants and is_uncompared(pane)
        position = None if is_whole else dict(self.positions).get(pane.key, 0)
        return pane_texts_of(pane, form, toggled, in_words=self.in_words, position=position)

    def at_position(self, pane: str, position: int) -> "ViewOptions":
        """The same with other parts of a pane."""
        others = {(key, there) for key, there in self.positions if key != pane}
        return replace(self, positions=frozenset(others | {(pane, position)}))

    def for_next_case(self, tab: str | None, before: Layout | None = None) -> "ViewOptions":
        """What stays as it is when another case is shown, after a case with this layout."""
        return ViewOptions(self.folded, zoomed=self.zoomed, tab=tab, in_words=self.in_words, before=before)


def is_narrow(width: int, height: int) -> bool:
    """Whether a screen of this size shows one pane at a time."""
    return width < _NARROW_BELOW[0] or height < _NARROW_BELOW[1]
