"""One item of a list at a time: statements about it, above the panes of its case."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from reviewer.core.errors import ReviewerError
from reviewer.core.pane import Pane, Sheet, Text
from reviewer.core.sanitize import counted
from reviewer.tui.dialogs.key_sheet import KeySheet
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.line import plain_lines
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PairForm, PaneText, pane_texts_of
from reviewer.tui.screens.store_retry import StoreRetryScreen
from reviewer.tui.widgets.key_hints import in_one_line, keys_by_id, offered
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.pane_row import PaneRow
from reviewer.tui.widgets.text_pane import TextPane

ROOMY = 118
"""From this width in cells, panes are side by side."""
_HINTS = (
    ("walk.panes", "panes"),
    ("walk.keys", "keys"),
    ("walk.leave", "back"),
    ("walk.next", "next"),
    ("walk.previous", "before"),
)
_MOST_COLUMNS = 4


_key = partial(named_key, "walk")


class CaseScreen(StoreRetryScreen):
    """Draws one item; subclasses say what is in each place, and which items there are."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("n,right", "step(1)", "next", "next", "Show the next item"),
        _key("b,left", "step(-1)", "before", "previous", "Show the item before"),
        _key("p", "other_panes", "other panes", "panes", "Show the case's other panes, then the first again"),
        _key("tab", "pane(1)", "next pane", "next-pane", "Go to the next pane"),
        _key("shift+tab", "pane(-1)", "pane before", "previous-pane", "Go to the pane before"),
        _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
        _key("q,escape", "leave", "back", "leave", "Go back to the list"),
    ]
    DEFAULT_CSS = """
    CaseScreen {
        background: $background;
        #head { height: 1; padding: 0 1; color: $foreground 75%; }
        #question { height: auto; max-height: 4; padding: 0 1; text-style: bold; }
        #notice { height: auto; max-height: 3; padding: 0 1; }
        #notice.-failed { color: $text-error; background: $error 20%; }
        #keys { dock: bottom; height: 1; padding: 0 1; color: $foreground 60%; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._group = 0
        self._notice = ""

    # -- what subclasses provide -------------------------------------------------------------------

    def heading(self) -> str:
        """Which item of how many, and of which case."""
        raise NotImplementedError

    def wording(self) -> str:
        """The question, or another sentence on the item."""
        raise NotImplementedError

    def statements(self) -> Sequence[PaneText]:
        """Statements about the item, shown side by side above its case."""
        raise NotImplementedError

    def sheet(self) -> Sheet:
        """The panes of the case."""
        raise NotImplementedError

    def step(self, by: int) -> None:
        """Go to another item, if there is one."""
        raise NotImplementedError

    def hints(self) -> Sequence[tuple[str, str]]:
        """Keys for the bottom line, as many as fit: binding id and word."""
        return _HINTS

    # -- drawing -----------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Head, question, statements, case, the latest notice, keys."""
        yield Static(id="head")
        yield Static(id="question")
        yield PaneRow(id="said", classes="-low")
        yield PaneRow(id="panes")
        yield Static(id="notice")
        yield PlainLabel(id="keys")

    def on_mount(self) -> None:
        """Show the item that was chosen."""
        self.draw()

    def on_resize(self, event: Resize) -> None:
        """Draw panes side by side where there is room, or else one at a time."""
        self.draw()

    def draw(self) -> None:
        """Draw the item."""
        width = max(20, self.app.size.width - 2)
        self.query_one("#head", Static).update(literal_line(self.heading(), width))
        self.query_one("#question", Static).update(literal(self.wording()))
        self.query_one("#said", PaneRow).show(self.statements())
        groups = self._groups()
        pane_texts = groups[self._group % len(groups)]
        panes = self.query_one("#panes", PaneRow)
        panes.show(pane_texts)
        panes.query(TextPane).first().focus(scroll_visible=False)
        keys = keys_by_id(self)
        self.query_one("#keys", PlainLabel).put(in_one_line(offered(keys, self.hints()), (), width))

    def tell(self, sentence: str, failed: bool = False) -> None:
        """Show a notice."""
        notice = self.query_one("#notice", Static)
        notice.set_class(failed, "-failed")
        notice.update(literal(sentence))

    def tell_waiting(self) -> None:
        """Say that another program is writing."""
        self.tell("… waiting for the store: another program is writing to it")

    def tell_rescued(self, sentence: str) -> None:
        """Say what was written to a new file."""
        self.tell(sentence)

    def tell_dropped(self, keys: int) -> None:
        """Say that keys did nothing, since they were meant for what was shown before."""
        self.tell(f"The store was busy; {counted(keys, 'key')} pressed meanwhile did nothing.")

    def _sheet(self) -> Sheet:
        """The panes of the case, or one that says why they cannot be read from the store."""
        try:
            return self.sheet()
        except ReviewerError as error:
            return Sheet((Pane("unreadable", "this case cannot be shown", Text(f"✗ {error}")),))

    def _groups(self) -> list[tuple[PaneText, ...]]:
        """Groups of panes that are shown together: first those of the question, then the others."""
        sheet = self._sheet()
        if self.app.size.width < ROOMY:
            return [pane_texts_of(pane, "unified") for pane in sheet]
        groups = [*_fitting(sheet.first), *_fitting(sheet.beside)]
        return [tuple(pane_text for pane_texts in group for pane_text in pane_texts) for group in groups]

    # -- keys --------------------------------------------------------------------------------------

    def action_step(self, by: int) -> None:
        """Show another item."""
        self._group = 0
        self.tell("")
        self.step(by)
        self.draw()

    def action_other_panes(self) -> None:
        """Show the next group of panes."""
        self._group += 1
        self.draw()

    def action_pane(self, by: int) -> None:
        """Go to another pane."""
        self.focus_next(TextPane) if by > 0 else self.focus_previous(TextPane)

    def action_keys(self) -> None:
        """Show what every key does."""
        self.app.push_screen(KeySheet.of(self))

    def action_leave(self) -> None:
        """Go back to the list."""
        self.dismiss()


def _fitting(panes: Sequence[Pane]) -> list[list[tuple[PaneText, ...]]]:
    """Panes in groups of at most as many columns as are readable, in their order."""
    form: PairForm = "columns"
    groups: list[list[tuple[PaneText, ...]]] = []
    for pane in panes:
        pane_texts = pane_texts_of(pane, form)
        if not groups or sum(map(len, groups[-1])) + len(pane_texts) > _MOST_COLUMNS:
            groups.append([])
        groups[-1].append(pane_texts)
    return groups


def statement(part: int, title: str, content: Content) -> PaneText:
    """A statement as a pane text; it scrolls if it is long."""
    return PaneText(f"said-{part}", 0, title, lambda width: plain_lines(content, width))
