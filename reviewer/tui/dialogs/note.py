"""Notes on the work: the earlier ones to read again, and one more."""

from collections.abc import Sequence

from textual.content import Content

from reviewer.study.notes import Note
from reviewer.tui.dialogs.writing import WritingDialog
from reviewer.tui.literal import literal_line

_SHOWN = 8


class NoteDialog(WritingDialog[str]):
    """Returns the new note ("" for none), or None."""

    def __init__(self, notes: Sequence[Note], text: str = "", wrong: Content | None = None) -> None:
        super().__init__("✐ notes on your work", text, wrong)
        self._notes = notes

    def above(self) -> Content:
        """The newest notes, oldest first."""
        if not self._notes:
            return Content.styled("No notes yet. They are yours, and go into the export.", "$foreground 60%")
        lines = [
            Content.assemble(
                Content.styled(note.at[:16].replace("T", " "), "$foreground 60%"),
                "  ",
                literal_line(note.text, 88),
            )
            for note in self._notes[-_SHOWN:]
        ]
        return Content("\n").join(lines)

    def written(self, text: str) -> str:
        """The note."""
        return text
