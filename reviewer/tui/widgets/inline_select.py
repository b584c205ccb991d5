"""A choice of one option, on one line."""

from collections.abc import Mapping
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from reviewer.tui.rendering.literal import literal


class InlineSelect(Widget, can_focus=True):
    """Shows the chosen option between angles, at first ``chosen`` or else the first one.

    ``options`` are words by value.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "step(1)", "next", id="choice.next", tooltip="Choose the next option"),
        Binding("left", "step(-1)", "before", id="choice.before", tooltip="Choose the option before"),
    ]
    DEFAULT_CSS = """
    InlineSelect { height: 1; width: 1fr; padding: 0 1; color: $foreground 85%; }
    InlineSelect:focus { background: $foreground 16%; color: $foreground; }
    """
    at: reactive[int] = reactive(0)

    class Changed(Message):
        """Another option was chosen."""

    def __init__(self, options: Mapping[str, str], *, id: str, chosen: str | None = None) -> None:
        super().__init__(id=id)
        self._options = tuple(options.items())
        if chosen is not None and chosen in options:
            self.set_reactive(InlineSelect.at, list(options).index(chosen))

    @property
    def chosen(self) -> str:
        """The value of the chosen option."""
        return self._options[self.at][0]

    def render(self) -> Content:
        """The chosen option in words."""
        return Content.assemble("‹ ", literal(self._options[self.at][1]), " ›")

    def action_step(self, by: int) -> None:
        """Choose another option; after the last comes the first."""
        self.at = (self.at + by) % len(self._options)
        self.post_message(self.Changed())

    def on_click(self, event: Click) -> None:
        """Do what the key does."""
        self.action_step(1)
