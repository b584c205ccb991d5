"""Fields of forms beside plain inputs: a checkbox, a choice on one line, and the path of a file."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input

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


class PathInput(Input):
    """Shows how the path could go on; the right arrow takes that."""

    def __init__(self, value: str = "", *, id: str, placeholder: str = "") -> None:
        super().__init__(value, id=id, placeholder=placeholder, suggester=_PathSuggester())

    @property
    def path(self) -> Path | None:
        """The path, with the home folder for ~; None where nothing was entered."""
        text = self.value.strip()
        try:
            return Path(text).expanduser() if text else None
        except RuntimeError:  # there is nobody of that name
            return Path(text)


class _PathSuggester(Suggester):
    """The first name in the folder that begins with the typed text; folders end in a slash."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """The path, completed; None if nothing fits. Reading a folder may take time: a thread does."""
        return await asyncio.to_thread(_completed, value)


def _completed(value: str) -> str | None:
    folder, slash, beginning = value.rpartition("/")
    if not beginning or value == "~":
        return None
    try:
        with os.scandir(Path(folder + slash or ".").expanduser()) as entries:
            fitting = [entry for entry in entries if entry.name.startswith(beginning)]
            first = min(fitting, key=lambda entry: entry.name, default=None)
            return first and f"{folder}{slash}{first.name}{'/' if first.is_dir() else ''}"
    except (OSError, RuntimeError, ValueError):
        return None
