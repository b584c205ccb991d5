"""Screens with a list: over the whole width, or beside a text about the highlighted item."""

from collections.abc import Callable, Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from reviewer.tui.keys.case_keys import LIST_KEYS
from reviewer.tui.rendering.literal import literal
from reviewer.tui.screens.app_screen import AppScreen
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.key_hints import Hint
from reviewer.tui.widgets.label import PlainLabel, StatusLine


class ListScreen(AppScreen):
    """Shows items. Enter calls ``choose`` with the index of one.

    ``enter`` is its word on the bottom line, "" if it does nothing.
    """

    SIDES = 4
    BINDINGS: ClassVar[list[BindingType]] = [*LIST_KEYS]
    HINTS: ClassVar[tuple[Hint, ...]] = ()
    """Further actions on the bottom line, by id, each with its word."""

    def __init__(self, enter: str, choose: Callable[[int], None]) -> None:
        super().__init__()
        self._enter, self._choose = enter, choose

    def compose(self) -> ComposeResult:
        """Head, list, what stands in its place, the latest notice, keys."""
        yield Static(id="head")
        yield ItemList()
        yield Static(id="nothing")
        yield StatusLine()
        yield PlainLabel(id="keys")

    def show_items(
        self, head: str, items: Iterable[ListedLines], highlight: int | None = None, nothing: str = ""
    ) -> None:
        """List these items, or say ``nothing`` where there are none."""
        listed = [*items]
        self.put_head(head)
        self.query_one("#nothing", Static).update(literal(nothing))
        self.set_class(not listed, "-nothing")
        leave = ("list.leave", "leave" if self._is_first else "back")
        self.query_one(ItemList).show(listed, highlight)
        if listed:
            self.query_one(ItemList).focus()
        self.put_keys([*self.HINTS, ("list.keys", "keys"), leave], enter=self._enter if listed else "")

    # -- keys --------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose an item."""
        event.stop()
        self._choose(event.option_index)

    def action_leave(self) -> None:
        """Back to the screen below, or out."""
        if self._is_first:
            self.app.exit()
        else:
            self.dismiss()

    @property
    def _is_first(self) -> bool:
        return len(self.app.screen_stack) == 1


class ListBesideTextScreen(AppScreen):
    """Subclasses read the items, list them, and give the text of each."""

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
        yield from self.below()
        yield PlainLabel(id="keys")

    def below(self) -> ComposeResult:
        """What stands between the list and the keys; by default nothing."""
        yield from ()

    def text(self) -> Content:
        """The text of the highlighted item, or a sentence where there is none; each screen has its own."""
        raise NotImplementedError

    def draw_text(self) -> None:
        """Draw the text of the highlighted item, from its beginning."""
        self.query_one("#text", Static).update(self.text())
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def on_option_list_option_highlighted(self) -> None:
        """Draw the text of the highlighted item."""
        self.draw_text()
