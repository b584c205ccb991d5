"""The list of keys that work on a screen."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from reviewer.tui.base_app import base_app
from reviewer.tui.keys.case_keys import CASE_KEYS
from reviewer.tui.rendering.line import hanging
from reviewer.tui.rendering.literal import literal

_WIDEST = 92
# Cells of a row without text: border, padding and scroll bar.
_FRAME = 7

Row = tuple[str, str, str]
"""Keys, label, what it does."""


_SHOWS_THE_CASE = {binding.id for binding in CASE_KEYS}


def sheet_order(name: str) -> int:
    """Sort key for ids of bindings: keys that answer come first, keys that show the case in another way near
    the end, keys that scroll last.
    """
    if name.startswith("review.answer"):
        return 0
    if name in _SHOWS_THE_CASE:
        return 2
    return 3 if name.startswith("pane.") else 1


class KeySheet(ModalScreen[None]):
    """A list of keys; escape closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "close", "close", id="keys.close", tooltip="Close this list"),
    ]
    DEFAULT_CSS = """
    KeySheet {
        align: center middle; background: $background 40%;
        #box {
            width: 100%; max-width: 92; height: auto; max-height: 100%; padding: 0 2;
            background: $background; border: round $foreground 45%;
            border-title-color: $foreground; border-subtitle-color: $foreground 60%;
        }
        VerticalScroll { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
    }
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        super().__init__()
        self.rows = rows

    @classmethod
    def of(cls, screen: Screen[None]) -> "KeySheet":
        """The keys of a screen that work now, after remapping."""
        app = base_app(screen)
        keys: dict[str, list[str]] = {}
        words: dict[str, tuple[str, str]] = {}
        for active in screen.active_bindings.values():
            binding = active.binding
            if binding.id and binding.description and active.enabled:
                keys.setdefault(binding.id, []).append(app.get_key_display(binding))
                words[binding.id] = app.label_of(binding), binding.tooltip
        ordered = sorted(words, key=sheet_order)
        return cls([(" ".join(keys[name]), *words[name]) for name in ordered])

    def compose(self) -> ComposeResult:
        """A line for each binding, or more on a narrow screen."""
        with Vertical(id="box") as box:
            box.border_title = literal("keys")
            box.border_subtitle = literal("escape closes")
            with VerticalScroll():
                yield Static(id="rows")

    def on_resize(self, event: Resize) -> None:
        """Lay the rows out for the new width."""
        lines = self._lines(min(_WIDEST, event.size.width) - _FRAME)
        self.query_one("#rows", Static).update(Content("\n").join(lines))

    def _lines(self, room: int) -> Iterator[Content]:
        width = max((len(keys) for keys, _, _ in self.rows), default=0)
        label = max((len(word) for _, word, _ in self.rows), default=0)
        for keys, word, description in self.rows:
            cap = Content.styled(keys.rjust(width), "bold $foreground")
            head = Content.assemble(cap, "  ", literal(word.ljust(label)), "  ")
            yield from hanging(head, literal(description, "$foreground 60%"), room)

    def action_close(self) -> None:
        """Close."""
        self.dismiss()
