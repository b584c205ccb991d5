"""What a run may cost, before anything is sent."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.widgets import Static

from reviewer.tui.dialogs.form import Form
from reviewer.tui.rendering.literal import literal

Started = TypeVar("Started")


class StartDialog(Form[Started], Generic[Started]):
    """Shows lines about a run below its head. Returns the form to start with; None to change it first."""

    TITLE_LINE = "nothing is sent yet"
    DONE = "Start"

    def __init__(self, form: Started, head: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._form, self._head, self._lines = form, head, lines

    def fields(self) -> ComposeResult:
        """The run, its cost estimate, its budget."""
        yield Static(literal(self._head, "bold"))
        for line in self._lines:
            yield Static(literal(line))

    def answer(self) -> Started:
        """The form as it was."""
        return self._form


def budget_line(budget: float | None, end: str) -> str:
    """What a budget does, or what ends a run without one."""
    if budget is None:
        return f"Budget: none. Only {end} ends the run; you can stop it at any time."
    return f"Budget: {budget:g}. No call is sent once that much is spent."
