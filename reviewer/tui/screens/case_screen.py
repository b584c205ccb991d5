"""One item of a list at a time: statements about it, above the panes of its case."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Resize
from textual.geometry import Offset, Size
from textual.widgets import Static

from reviewer.core.errors import ReviewerError
from reviewer.core.pane import Pane, Sheet, Text
from reviewer.tui.base_app import base_app
from reviewer.tui.case.view import CaseView
from reviewer.tui.keys.case_keys import CASE_KEYS, STEP_KEYS
from reviewer.tui.rendering.arrangement import pages
from reviewer.tui.rendering.line import plain_lines, wrapped
from reviewer.tui.rendering.literal import literal
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.rendering.passages import CommentedLinesOf
from reviewer.tui.screens.app_screen import AppScreen
from reviewer.tui.screens.store_retry import StoreRetry
from reviewer.tui.widgets.key_hints import Hint
from reviewer.tui.widgets.label import PlainLabel, StatusLine
from reviewer.tui.widgets.pane_row import PaneRow

# Cells beside the question, and the most lines that it has.
_SIDES, _LINES_OF_QUESTION = 2, 4
_HINTS = (
    ("review.fold", "panes"),
    ("review.keys", "keys"),
    ("review.leave", "back"),
    ("review.next", "next"),
    ("review.previous", "before"),
)


@dataclass(frozen=True)
class ShownItem:
    """What stands where for one item. ``key`` is another one for each item and each state of it.

    ``sheet`` makes the panes of the case for a width in cells; it may raise ReviewerError. ``hints`` come
    before those that every item has, ``last_hints`` after them.
    """

    key: Hashable
    heading: str
    wording: str
    statements: Sequence[PaneText]
    sheet: Callable[[int], Sheet]
    hints: Sequence[Hint] = ()
    last_hints: Sequence[Hint] = ()
    commented: CommentedLinesOf | None = None
    """Finds the lines of a text that comments are about."""


class CaseScreen(AppScreen):
    """Draws one of ``count`` items, at first that at ``index``; subclasses add keys that act on them."""

    BINDINGS: ClassVar[list[BindingType]] = [*STEP_KEYS]

    def __init__(self, count: int, index: int, item: Callable[[int], ShownItem]) -> None:
        super().__init__()
        self._count, self.index, self._item = count, index, item
        self._case = CaseView(self.draw, self._note)
        self.store = StoreRetry(self, self.say)

    def compose(self) -> ComposeResult:
        """Head, question, statements, case, the latest notice, keys."""
        yield Static(id="head")
        yield Static(id="question")
        yield PaneRow(id="said", classes="-low")
        yield self._case
        yield StatusLine()
        yield PlainLabel(id="keys")

    def on_mount(self) -> None:
        """Show the item that was chosen."""
        own = [binding for base in type(self).__mro__ for binding in vars(base).get("BINDINGS", ())]
        given = base_app(self).keys_given_to(binding.id for binding in own if isinstance(binding, Binding))
        taken = (binding for binding in CASE_KEYS if given & set(binding.key.split(",")))
        self._case.gives_way = {binding.id or "" for binding in taken}
        self.draw()

    def on_resize(self, event: Resize) -> None:
        """Draw panes side by side where there is room, or else one at a time."""
        self.draw()

    def draw(self) -> None:
        """Draw the item."""
        item = self._item(self.index)
        self.put_head(item.heading)
        self.query_one("#question", Static).update(literal(item.wording))
        self.query_one("#said", PaneRow).show(item.statements)
        sheet = _readable(item.sheet, self.app.size.width)
        self._case.show(
            item.key, partial(pages, sheet), commented=item.commented, size=self._size_of_case(item)
        )
        self.put_keys((*item.hints, *_HINTS, *item.last_hints))

    def _size_of_case(self, item: ShownItem) -> Size:
        """The screen without the question and the statements above the case, and the keys below it."""
        size = self.app.size
        wording = wrapped(literal(item.wording), size.width - _SIDES) if item.wording else ()
        statements = self.query_one("#said", PaneRow).height_of_texts
        return size - Offset(0, min(_LINES_OF_QUESTION, len(wording)) + statements + 1)

    def _note(self, notice: Notice) -> None:
        self.query_one(StatusLine).show(notice.content)

    # -- keys --------------------------------------------------------------------------------------

    def action_next(self) -> None:
        """Show the next item."""
        self._step(1)

    def action_previous(self) -> None:
        """Show the item before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        self.say("")
        self.step(by)
        self.draw()

    def step(self, by: int) -> None:
        """Go to another item, if there is one."""
        self.index = max(0, min(self._count - 1, self.index + by))


def _readable(sheet: Callable[[int], Sheet], width: int) -> Sheet:
    """The panes of the case, or one that says why they cannot be read from the store."""
    try:
        return sheet(width)
    except ReviewerError as error:
        return Sheet((Pane("unreadable", "this case cannot be shown", Text(f"✗ {error}")),))


def statement(part: int, title: str, content: Content) -> PaneText:
    """A statement as a pane text; it scrolls if it is long."""
    return PaneText(f"said-{part}", 0, title, lambda width: plain_lines(content, width))
