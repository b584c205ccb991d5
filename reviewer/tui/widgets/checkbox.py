"""A checkbox whose state shows as a sign, not as a colour."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from reviewer.tui.rendering.literal import literal


class Checkbox(Widget, can_focus=True):
    """One line: on or off, and a label."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "change", "tick", id="tick.change", tooltip="Tick or untick this")
    ]
    DEFAULT_CSS = """
    Checkbox { height: 1; width: 1fr; padding: 0 1; color: $foreground 85%; }
    Checkbox:focus { background: $foreground 16%; color: $foreground; }
    """
    on: reactive[bool] = reactive(False)

    class Changed(Message):
        """It was ticked or unticked."""

    def __init__(self, label: str, *, on: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self._label = label
        self.set_reactive(Checkbox.on, on)

    def render(self) -> Content:
        """Sign and label."""
        return Content.assemble("[✓] " if self.on else "[ ] ", literal(self._label))

    def action_change(self) -> None:
        """Switch it on or off."""
        self.on = not self.on
        self.post_message(self.Changed())

    def on_click(self, event: Click) -> None:
        """Do what the key does."""
        self.action_change()
