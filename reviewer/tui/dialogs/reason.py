"""Why a dispute is decided so."""

from textual.widgets import Static, TextArea

from reviewer.tui.dialogs.comment import CommentDialog
from reviewer.tui.literal import literal, literal_line


class ReasonDialog(CommentDialog):
    """Returns the reason, never an empty one; None where nothing is to be decided."""

    HINT = "enter saves the decision   ctrl+j new line   escape decides nothing"

    def __init__(self, label: str, reason: str) -> None:
        super().__init__(0, reason)
        self._label = label

    def on_mount(self) -> None:
        """Say what is being decided."""
        super().on_mount()
        self.query_one("#box").border_title = literal_line(f"why {self._label}?", 60)

    def action_save(self) -> None:
        """Return the reason, if there is one."""
        if self.query_one(TextArea).text.strip():
            super().action_save()
        else:
            self.query_one("#hint", Static).update(
                literal("✗ A decision needs a reason; say in a few words why.")
            )
