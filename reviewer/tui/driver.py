"""The driver of a terminal, and the app that uses it."""

import os
import re
import select
import signal
from typing import Any, ClassVar

from textual import constants
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Event, Resize

from reviewer.tui.ascii_signs import shows_only_ascii
from reviewer.tui.cell_widths import count_cells_as_terminals_do
from reviewer.tui.drawn_cells import DrawnCells

_CHANGES_NO_CELL = re.compile(
    r"(?:\x1b\[\?(?!47|104[79])\d+(?:[hl]|\$p)|\x1b\[[<>]\d*u|\x1b\](?!8;)[^\x07\x1b]*(?:\x07|\x1b\\)|\x07)*"
)
"""Modes, questions to the terminal, the clipboard, the pointer's shape, the bell."""
_LOOK_AT_TERMINAL_SECONDS = 2.0


def is_gone(terminal: int) -> bool:
    """Whether the other end of an open terminal was closed."""
    poll = select.poll()
    poll.register(terminal, 0)
    return any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


class ChangesDriver(LinuxDriver):
    """The driver of a terminal; where the app draws what the terminal shows already, it sends nothing."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._cells = app.drawn_cells if isinstance(app, TerminalApp) else DrawnCells()

    def start_application_mode(self) -> None:
        """Take the terminal, and notice if it goes away."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._app.set_interval(_LOOK_AT_TERMINAL_SECONDS, self.leave_if_gone)

    def leave_if_gone(self) -> None:
        """End as when told to once the terminal is gone.

        The system tells only the first program of a terminal, such as make, which then waits for this one;
        and its signal, a hangup, may be ignored.
        """
        if is_gone(self.fileno):
            os.kill(os.getpid(), signal.SIGTERM)

    def write(self, data: str) -> None:
        """Send data, or what it changes of the cells. Anything unknown is sent as it is."""
        if not _CHANGES_NO_CELL.fullmatch(data):
            data = self._cells.changes(data)
        if data:
            super().write(data)


class TerminalApp(App[None], inherit_bindings=False):
    """An app that sends to a terminal only what changed. In a browser, Textual's driver stays."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+l",
            "redraw",
            "redraw",
            show=False,
            id="app.redraw",
            priority=True,
            tooltip="Draw the whole screen again",
        )
    ]

    def __init__(self) -> None:
        count_cells_as_terminals_do()
        self.drawn_cells = DrawnCells(only_ascii=shows_only_ascii(os.environ))
        super().__init__()

    def get_driver_class(self) -> type[Driver]:
        """Our driver where Textual chooses the one of a terminal; a driver named by the environment stays."""
        chosen = super().get_driver_class()
        return ChangesDriver if chosen is LinuxDriver and constants.DRIVER is None else chosen

    def get_key_display(self, binding: Binding) -> str:
        """The sign of a key, or its name where the terminal cannot show the sign."""
        shown = super().get_key_display(binding)
        return shown if shown.isascii() or not self.drawn_cells.only_ascii else binding.key

    async def on_event(self, event: Event) -> None:
        """Handle an event. A terminal that has another size, or had it for a moment, may show anything."""
        if isinstance(event, Resize):
            self.drawn_cells.resize(*event.size)
            self.refresh()
        await super().on_event(event)

    def action_redraw(self) -> None:
        """Send the whole screen, as after something else has written to the terminal."""
        self.drawn_cells.forget()
        self.refresh()
