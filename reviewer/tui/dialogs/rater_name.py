"""The name of the person at the keyboard."""

from textual.app import ComposeResult
from textual.widgets import Input

from reviewer.core.names import checked_name
from reviewer.tui.dialogs.form import Form, labelled


class RaterDialog(Form[str]):
    """Returns the rater's name."""

    TITLE_LINE = "your name"
    DONE = "Go on"

    def __init__(self, rater: str) -> None:
        super().__init__()
        self._rater = rater

    def fields(self) -> ComposeResult:
        """One name."""
        yield from labelled("The name that your verdicts are saved under", Input(self._rater, id="rater"))

    def answer(self) -> str:
        """The name; raises ReviewerError where it is not allowed."""
        return checked_name("rater", self.text_of("rater"))
