"""The reason why a finding is dismissed."""

from typing import ClassVar

from textual.content import Content

from reviewer.tui.dialogs.reason import ReasonDialog


class DismissalDialog(ReasonDialog):
    """Returns the reason, never an empty one; None where the finding stays."""

    TITLE_OF: ClassVar[str] = "why is this nothing: {}?"

    def above(self, width: int) -> list[Content]:
        """What happens to the finding."""
        effect = "It is left out of lists and counts from now on, and kept with your name and reason."
        return [Content.styled(effect, "$foreground 60%")]
