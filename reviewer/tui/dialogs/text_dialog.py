"""What all dialogs share in which people write a text."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea

from reviewer.core.sanitize import strange_character, too_long
from reviewer.tui.rendering.literal import literal
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.key_hints import keys_by_id, offers
from reviewer.tui.widgets.label import PlainLabel

_WIDEST = 110
# Cells of a line without text: border and padding.
_FRAME = 4
DialogValue = TypeVar("DialogValue")


class TextDialog(StyledOnce, ModalScreen[DialogValue | None]):
    """A box at the bottom, so that the case stays visible; returns None where it is cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "save", "save", id="writing.save", priority=True, tooltip="Save the text"),
        Binding(
            "ctrl+j,alt+enter",
            "new_line",
            "new line",
            id="writing.new-line",
            priority=True,
            tooltip="Begin a new line",
        ),
        Binding(
            "escape",
            "cancel",
            "leave as it was",
            id="writing.cancel",
            priority=True,
            tooltip="Close this and change nothing",
        ),
    ]
    DEFAULT_CSS = """
    TextDialog {
        align: center bottom; background: $background 40%;
        #box {
            width: 100%; max-width: 110; height: auto; max-height: 100%; margin-bottom: 1; padding: 0 1;
            background: $background; border: round $foreground 45%; border-title-color: $foreground;
        }
        TextArea, TextArea:focus { height: 7; border: none; padding: 0; background: $background; }
        #above { height: auto; max-height: 8; color: $foreground 75%; }
        #hint { height: auto; max-height: 3; color: $foreground 60%; }
    }
    """
    HINTS: ClassVar[tuple[str, ...]] = ("writing.save", "writing.new-line", "writing.cancel")
    WORDS: ClassVar[Mapping[str, str]] = {}
    """Words for keys that do something else here than their label says, by id."""

    def __init__(self, title: str, text: str = "", wrong: Content | None = None) -> None:
        """``wrong`` says why the text could not be saved before."""
        super().__init__()
        self._title, self._text, self._wrong = title, text, wrong

    def compose(self) -> ComposeResult:
        """The subject, the text, the keys."""
        with Vertical(id="box") as box:
            box.border_title = literal(self._title)
            yield Static(id="above")
            yield TextArea(self._text, highlight_cursor_line=False)
            yield PlainLabel(id="hint")

    def on_mount(self) -> None:
        """Put the cursor at the end of the text."""
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)
        area.focus()
        self.query_one("#hint", PlainLabel).put(self._wrong or self._keys())

    def on_resize(self, event: Resize) -> None:
        """Lay out the lines above the text for the new width."""
        self.set_above()

    def set_above(self) -> None:
        """Show the lines above the text."""
        room = min(_WIDEST, self.app.size.width) - _FRAME
        self.query_one("#above", Static).update(Content("\n").join(self.above(room)))

    def above(self, width: int) -> Sequence[Content]:
        """The lines above the text, at most this many cells wide."""
        raise NotImplementedError

    def written(self, text: str) -> DialogValue:
        """The value to return for a text."""
        raise NotImplementedError

    def action_save(self) -> None:
        """Return the text, or show why it cannot be stored."""
        text = self.query_one(TextArea).text.strip()
        if strange := strange_character(text):
            self.query_one("#hint", PlainLabel).put(literal(f"The text holds {strange}; take it out."))
        elif long := too_long(text):
            self.query_one("#hint", PlainLabel).put(literal(f"The text has {long}; shorten it."))
        else:
            self.dismiss(self.written(text))

    def action_new_line(self) -> None:
        """Begin a new line."""
        self.query_one(TextArea).insert("\n")

    def action_cancel(self) -> None:
        """Return None."""
        self.dismiss(None)

    def _keys(self) -> Content:
        keys = keys_by_id(self)
        active = [active.binding for active in self.active_bindings.values()]
        known = {binding.id: self.WORDS.get(binding.id or "", binding.description) for binding in active}
        return offers(keys, [(name, known[name]) for name in self.HINTS if name in known])
