"""The comment on a case."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static, TextArea

from reviewer.core.plaintext import strange_character
from reviewer.tui.literal import literal


class CommentDialog(ModalScreen[str | None]):
    """Returns the comment ("" takes it away), or None where it is to stay as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "save", "save", id="comment.save", priority=True, tooltip="Save the comment"),
        Binding(
            "ctrl+j,alt+enter",
            "new_line",
            "new line",
            id="comment.new-line",
            priority=True,
            tooltip="Begin a line",
        ),
        Binding(
            "escape",
            "cancel",
            "leave as it was",
            id="comment.cancel",
            priority=True,
            tooltip="Change nothing",
        ),
    ]
    DEFAULT_CSS = """
    CommentDialog {
        align: center bottom; background: $background 40%;
        #box {
            width: 100%; max-width: 110; height: 10; margin-bottom: 1; padding: 0 1;
            background: $background; border: round $foreground 45%; border-title-color: $foreground;
        }
        TextArea, TextArea:focus { height: 1fr; border: none; padding: 0; background: $background; }
        #hint { height: auto; max-height: 3; color: $foreground 60%; }
    }
    """
    HINT = "enter saves   ctrl+j new line   escape leaves it as it was   (empty removes the comment)"

    def __init__(
        self,
        case_number: int,
        comment: str,
        wrong: Content | None = None,
        title: str = "✎ comment on case {}",
    ) -> None:
        """``wrong`` says why the text could not be saved a moment ago; ``title`` takes the number."""
        super().__init__()
        self._title, self._comment = title.format(case_number), comment
        self._hint = wrong or literal(self.HINT)

    def compose(self) -> ComposeResult:
        """The text and the keys."""
        with Vertical(id="box") as box:
            box.border_title = literal(self._title)
            yield TextArea(self._comment, highlight_cursor_line=False)
            yield Static(self._hint, id="hint")

    def on_mount(self) -> None:
        """Write on at the end of what is there."""
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)

    def action_save(self) -> None:
        """Return the text, if it can be kept."""
        text = self.query_one(TextArea).text.strip()
        if strange := strange_character(text):
            self.query_one("#hint", Static).update(literal(f"The comment holds {strange}; take it out."))
        else:
            self.dismiss(text)

    def action_new_line(self) -> None:
        """Begin a new line."""
        self.query_one(TextArea).insert("\n")

    def action_cancel(self) -> None:
        """Return None."""
        self.dismiss(None)
