"""Search in the case: the panes mark the words while they are typed."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from reviewer.tui.rendering.literal import literal_line
from reviewer.tui.widgets.label import PlainLabel

# Cells for the words, and for the number of matches, however narrow the screen is.
_LEAST_TYPED, _LEAST_FOUND = 28, 12


class SearchDialog(ModalScreen[str]):
    """A line at the bottom; returns the words to keep marked, "" for none.

    ``mark`` marks words in the panes and returns a short text about where they were found.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "clear", id="search.clear", priority=True, tooltip="Remove the marks"),
    ]
    DEFAULT_CSS = """
    SearchDialog {
        align: left bottom; background: $background 0%;
        Horizontal { height: 1; width: 100%; background: $background; padding: 0 1; }
        .slash { width: 2; text-style: bold; }
        Input, Input:focus {
            width: 1fr; height: 1; border: none; padding: 0;
            background: $background; background-tint: $background 0%;
        }
        #found { width: auto; padding-left: 2; color: $foreground 65%; }
    }
    """

    def __init__(self, words: str, mark: Callable[[str], str]) -> None:
        super().__init__()
        self._words, self._mark = words, mark

    def compose(self) -> ComposeResult:
        """The words to find, and where they are."""
        with Horizontal():
            yield Static("/", classes="slash")
            yield Input(self._words, placeholder="words to find in this case", select_on_focus=True)
            yield PlainLabel(id="found")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Mark the words while they are typed."""
        room = max(_LEAST_FOUND, self.size.width - _LEAST_TYPED)
        self.query_one("#found", PlainLabel).put(literal_line(self._mark(event.value), room))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the marks."""
        self.dismiss(event.value.strip())

    def action_cancel(self) -> None:
        """Remove the marks."""
        self.dismiss("")
