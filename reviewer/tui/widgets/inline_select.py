"""One of several, chosen on one line."""

from collections.abc import Mapping
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.reactive import reactive
from textual.widget import Widget

from reviewer.tui.rendering.literal import literal


class InlineSelect(Widget, can_focus=True):
    """Shows the chosen one between angles; the first one to begin with. ``offers`` are words by value."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space,enter", "step(1)", "next", id="choice.next", tooltip="Choose the next one"),
        Binding("left", "step(-1)", "before", id="choice.before", tooltip="Choose the one before"),
    ]
    DEFAULT_CSS = """
    InlineSelect { height: 1; width: 1fr; padding: 0 1; color: $foreground 85%; }
    InlineSelect:focus { background: $foreground 16%; color: $foreground; }
    """
    at: reactive[int] = reactive(0)

    def __init__(self, offers: Mapping[str, str], *, id: str) -> None:
        super().__init__(id=id)
        self._offers = tuple(offers.items())

    @property
    def chosen(self) -> str:
        """The value."""
        return self._offers[self.at][0]

    def render(self) -> Content:
        """What is chosen, in words."""
        return Content.assemble("‹ ", literal(self._offers[self.at][1]), " ›")

    def action_step(self, by: int) -> None:
        """Go round."""
        self.at = (self.at + by) % len(self._offers)

    def on_click(self, event: Click) -> None:
        """As the key does."""
        self.action_step(1)
