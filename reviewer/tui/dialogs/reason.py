"""Reasons: for a decision about a dispute, and for two answers that clash."""

from typing import ClassVar

from textual.content import Content
from textual.widgets import TextArea

from reviewer.core.sanitize import is_blank, one_line
from reviewer.tui.dialogs.text_dialog import TextDialog
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.label import PlainLabel


class ReasonDialog(TextDialog[str]):
    """Returns the reason, never an empty one; None to decide nothing."""

    TITLE_OF: ClassVar[str] = "why {}?"

    def __init__(self, what: str, reason: str = "") -> None:
        super().__init__(one_line(self.TITLE_OF.format(what), 60), reason)

    def above(self, width: int) -> list[Content]:
        """What the reason is for."""
        return [Content.styled("The reason is kept with the decision, and exported.", "$foreground 60%")]

    def written(self, text: str) -> str:
        """The reason."""
        return text

    def action_save(self) -> None:
        """Return the reason, or ask for one where it is empty."""
        if not is_blank(self.query_one(TextArea).text):
            super().action_save()
        else:
            self.query_one("#hint", PlainLabel).put(literal("✗ A reason is needed; say in a few words why."))


class WhyBothDialog(TextDialog[str]):
    """Returns why the rater keeps two answers that clash ("" for no reason), or None."""

    def above(self, width: int) -> list[Content]:
        """What the reason is for."""
        return [Content.styled("The reason is kept beside both answers, and exported.", "$foreground 60%")]

    def written(self, text: str) -> str:
        """The reason."""
        return text
