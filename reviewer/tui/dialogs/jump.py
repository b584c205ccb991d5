"""Jump: every pane shows a letter, and pressing the letter goes to the pane."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Click, Key
from textual.geometry import Offset
from textual.screen import ModalScreen
from textual.widgets import Static

from reviewer.tui.rendering.literal import literal
from reviewer.tui.styles import StyledOnce

_LETTERS = "asdfghjkl" + "".join(letter for letter in ascii_lowercase if letter not in "asdfghjkl")


class JumpDialog(StyledOnce, ModalScreen[int | None]):
    """Returns the index of the place whose letter was pressed, or None for any other key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "stay", id="jump.cancel", tooltip="Stay where you are"),
    ]
    DEFAULT_CSS = """
    JumpDialog {
        background: $background 30%;
        .letter {
            position: absolute; width: 2; height: 1;
            background: $foreground; color: $background; text-style: bold;
        }
    }
    """

    def __init__(self, places: Sequence[Offset]) -> None:
        """``places`` are the screen cells of the letters."""
        super().__init__()
        self._places = places[: len(_LETTERS)]

    def compose(self) -> ComposeResult:
        """A letter at every place: no wider than the blanks before a title, so that the title stays whole."""
        for letter, place in zip(_LETTERS, self._places, strict=False):
            badge = Static(literal(f"{letter} "), classes="letter")
            badge.styles.offset = place
            yield badge

    def on_key(self, event: Key) -> None:
        """Go to the place with this letter."""
        event.stop()
        index = _LETTERS.find(event.key) if len(event.key) == 1 else -1
        self._close(index if 0 <= index < len(self._places) else None)

    def on_click(self, event: Click) -> None:
        """Stay: with the mouse, nobody needs letters to reach a pane."""
        event.stop()
        self._close(None)

    def action_cancel(self) -> None:
        """Stay."""
        self._close(None)

    def _close(self, chosen: int | None) -> None:
        # A fast second key may be on its way when the first one closes this.
        if self.is_current:
            self.dismiss(chosen)
