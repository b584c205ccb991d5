"""Notes on the work: shows the earlier ones, and asks for a new one."""

from collections.abc import Sequence

from textual.content import Content

from reviewer.study.session.notes import Note
from reviewer.tui.dialogs.text_dialog import TextDialog
from reviewer.tui.rendering.line import hanging
from reviewer.tui.rendering.literal import literal_line

_SHOWN, _LONGEST = 8, 160


class NoteDialog(TextDialog[str]):
    """Returns the new note ("" for none), or None."""

    def __init__(self, notes: Sequence[Note], text: str = "", wrong: Content | None = None) -> None:
        super().__init__("✐ notes on your work", text, wrong)
        self._notes = notes

    def above(self, width: int) -> list[Content]:
        """The newest notes, oldest first."""
        if not self._notes:
            return [
                Content.styled("No notes yet. They are yours, and go into the export.", "$foreground 60%")
            ]
        return [line for note in self._notes[-_SHOWN:] for line in _lines(note, width)][-_SHOWN:]

    def written(self, text: str) -> str:
        """The note."""
        return text


def _lines(note: Note, width: int) -> list[Content]:
    at = Content.styled(note.at[:16].replace("T", " ") + "  ", "$foreground 60%")
    return hanging(at, literal_line(note.text, _LONGEST), width)
