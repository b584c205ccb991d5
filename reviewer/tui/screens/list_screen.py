"""A list of items on a whole screen: a head, the list or why it is empty, the latest notice, the keys."""

from collections.abc import Callable, Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import OptionList, Static

from reviewer.tui.dialogs.key_sheet import KeySheet
from reviewer.tui.keys.case_keys import LIST_KEYS
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.key_hints import hint, in_one_line, keys_by_id, offered
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.widgets.status_line import StatusLine


class ListScreen(StyledOnce, Screen[None]):
    """Shows items. Enter calls ``choose`` with the index of one.

    ``enter`` is its word on the bottom line, "" if it does nothing.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*LIST_KEYS]
    HINTS: ClassVar[tuple[tuple[str, str], ...]] = ()
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
        listed, width = [*items], max(20, self.app.size.width - 4)
        self.query_one("#head", Static).update(literal_line(head, width))
        self.query_one("#nothing", Static).update(literal(nothing))
        self.set_class(not listed, "-nothing")
        keys = keys_by_id(self)
        leave = ("list.leave", "leave" if self._is_first else "back")
        hints = offered(keys, [*self.HINTS, ("list.keys", "keys"), leave])
        self.query_one(ItemList).show(listed, highlight)
        if listed:
            self.query_one(ItemList).focus()
            hints = [*([hint("enter", self._enter)] if self._enter else []), *hints]
        self.query_one("#keys", PlainLabel).put(in_one_line(hints, (), width))

    def say(self, sentence: str, failed: bool = False) -> None:
        """Show a sentence until the next one."""
        self.query_one(StatusLine).say(sentence, failed)

    # -- keys --------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose an item."""
        event.stop()
        self._choose(event.option_index)

    def action_keys(self) -> None:
        """Show what every key does."""
        self.app.push_screen(KeySheet.of(self))

    def action_leave(self) -> None:
        """Back to the screen below, or out."""
        if self._is_first:
            self.app.exit()
        else:
            self.dismiss()

    @property
    def _is_first(self) -> bool:
        return len(self.app.screen_stack) == 1
