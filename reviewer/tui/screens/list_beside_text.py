"""A list at the left and a text about the highlighted item at the right, below a head and above the keys."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from reviewer.tui.rendering.literal import literal_line
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.item_list import ItemList
from reviewer.tui.widgets.label import PlainLabel

_WIDTH = 80


class ListBesideTextScreen(StyledOnce, Screen[None]):
    """Subclasses read the items, list them, and say what the text of one is."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    ListBesideTextScreen {
        background: $background;
        #head, #keys { height: 1; padding: 0 1; color: $foreground 75%; }
        ItemList, ItemList:focus { width: 40%; max-width: 54; border: round $foreground 18%; }
        ItemList:focus { border: round $foreground 45%; }
        VerticalScroll { height: 1fr; padding: 0 1; border: round $foreground 18%; }
        VerticalScroll:focus { border: round $foreground 45%; }
    }
    """

    def compose(self) -> ComposeResult:
        """Head, items, the text of the highlighted one, keys."""
        yield Static(id="head")
        with Horizontal():
            yield ItemList()
            with VerticalScroll():
                yield Static(id="text")
        yield PlainLabel(id="keys")

    def text_of(self, index: int | None) -> Content:
        """The text of an item; of None, what stands there without any."""
        raise NotImplementedError

    def put_head(self, head: str) -> None:
        """Show the head in one line."""
        self.query_one("#head", Static).update(literal_line(head, self.size.width or _WIDTH))

    def draw_text(self) -> None:
        """Draw the text of the highlighted item, from its beginning."""
        self.query_one("#text", Static).update(self.text_of(self.query_one(ItemList).highlighted))
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def on_option_list_option_highlighted(self) -> None:
        """Draw the text of the highlighted item."""
        self.draw_text()

    def action_leave(self) -> None:
        """Go back."""
        self.dismiss()
