"""Which file lists the cases that count."""

from pathlib import Path

from textual.app import ComposeResult

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.tui.dialogs.form import Form, labelled
from reviewer.tui.widgets.path_input import PathInput


class CaseFileDialog(Form[Path]):
    """Returns the path of a file that exists; its lines are checked when it is read."""

    TITLE_LINE = "count the cases of a file"
    DONE = "Count these"

    def fields(self) -> ComposeResult:
        """The path."""
        hint = "CSV with the columns dataset and key, or one key a line"
        yield from labelled("The file", PathInput(id="path", placeholder=hint))

    def answer(self) -> Path:
        """The path; raises RequestError where there is no such file."""
        path = self.query_one("#path", PathInput).path
        try:
            exists = path is not None and path.is_file()
        except (OSError, ValueError):
            exists = False
        if path is None or not exists:
            raise RequestError(f"there is no file {one_line(self.text_of('path'))!r}; check the path.")
        return path
