"""The store is gone: where to write what this session holds."""

from pathlib import Path

from textual.app import ComposeResult
from textual.widgets import Input, Static

from reviewer.core.errors import RequestError
from reviewer.exchange.packs.rescue import free_name, rescue
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.dialogs.form import Form, labelled
from reviewer.tui.rendering.literal import literal

_WHY = (
    "The store was moved or deleted, and your last key was not saved. Nothing more is taken here. "
    "All answers that this session has saved can be written to a new file."
)


class RescueDialog(Form[str]):
    """Returns what was written where, and how to go on; None where nothing was written."""

    TITLE_LINE = "the store is gone"
    DONE = "Write the file"

    def __init__(self, session: ReviewSession) -> None:
        super().__init__()
        self._session = session

    def fields(self) -> ComposeResult:
        """Why, and the name of the new file."""
        yield Static(literal(_WHY))
        yield from labelled("The new file", Input(str(free_name(self._session)), id="file"))

    def answer(self) -> str:
        """What was written; raises ReviewerError where it could not be."""
        name = self.text_of("file")
        if not name:
            raise RequestError("give the name of a new file.")
        return rescue(self._session, Path(name).expanduser())
