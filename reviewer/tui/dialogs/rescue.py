"""The store is gone: asks where to write the work of this session."""

from pathlib import Path

from textual.app import ComposeResult
from textual.widgets import Static

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.exchange.packs.pack import Session, free_name, rescue
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.tui.dialogs.form import Form, labelled
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.form_fields import PathInput

_WHY = (
    "The store was moved or deleted, and your last key was not saved. Nothing more is saved here. "
    "All {what} that {who} has saved can be written to a new file."
)


class RescueDialog(Form[str]):
    """Returns a sentence on the written work, its file and the next step; None if nothing was written."""

    TITLE_LINE = "the store is gone"
    DONE = "Write the file"

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def fields(self) -> ComposeResult:
        """Why, and the name of the new file."""
        yield Static(literal(_why(self._session)))
        yield from labelled("The new file", PathInput(str(free_name(self._session)), id="file"))

    def answer(self) -> str:
        """Write the file and say so; raises ReviewerError where that fails."""
        name = self.text_of("file")
        if not name:
            raise RequestError("give the name of a new file.")
        return rescue(self._session, Path(name).expanduser())


def _why(session: Session) -> str:
    what = "decisions" if isinstance(session, AdjudicationSession) else "answers"
    who = f"{one_line(session.assignment.rater, 40)} in study {one_line(session.bundle.study.name, 40)}"
    return _WHY.format(what=what, who=who)
