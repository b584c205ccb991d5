"""Search: the screen below shows the matches while words are typed."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from reviewer.tui.rendering.literal import literal_line
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.key_hints import in_one_line, keys_by_id, offered
from reviewer.tui.widgets.label import PlainLabel

# Cells for the words, and for the number of matches, however narrow the screen is.
_LEAST_TYPED, _LEAST_FOUND = 28, 12


class SearchDialog(StyledOnce, ModalScreen[str]):
    """A line at the bottom; returns the words to keep marked, "" for none.

    ``mark`` marks words on the screen below and returns a short text about where they were found.
    ``elsewhere`` looks for words in the rater's answers to all cases; None if there is nobody's.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "clear", id="search.clear", priority=True, tooltip="Remove the marks"),
        Binding(
            "tab",
            "elsewhere",
            "my answers",
            id="search.elsewhere",
            priority=True,
            tooltip="Look for the words in your answers to all cases",
        ),
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
        #found, #keys { width: auto; padding-left: 2; color: $foreground 65%; }
    }
    """

    def __init__(
        self,
        words: str,
        mark: Callable[[str], str],
        elsewhere: Callable[[str], None] | None = None,
        placeholder: str = "words to find in this case",
    ) -> None:
        super().__init__()
        self._words, self._mark, self._elsewhere = words, mark, elsewhere
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        """The words to find, and where they are."""
        with Horizontal():
            yield Static("/", classes="slash")
            yield Input(self._words, placeholder=self._placeholder, select_on_focus=True)
            yield PlainLabel(id="found")
            yield PlainLabel(id="keys")

    def on_mount(self) -> None:
        """Name the key for answers to all cases, where there are any."""
        hints = offered(keys_by_id(self), [("search.elsewhere", "in my answers")])
        self.query_one("#keys", PlainLabel).put(in_one_line(hints, (), _LEAST_TYPED))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Mark the words while they are typed."""
        room = max(_LEAST_FOUND, self.size.width - _LEAST_TYPED)
        self.query_one("#found", PlainLabel).put(literal_line(self._mark(event.value), room))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the marks."""
        self.dismiss(event.value.strip())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Answers are searched only where somebody answers."""
        return action != "elsewhere" or self._elsewhere is not None

    def action_elsewhere(self) -> None:
        """Look for the words in the rater's answers to all cases."""
        words = self.query_one(Input).value.strip()
        self.dismiss("")
        if self._elsewhere is not None:
            self._elsewhere(words)

    def action_cancel(self) -> None:
        """Remove the marks."""
        self.dismiss("")
