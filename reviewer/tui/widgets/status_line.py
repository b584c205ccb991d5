"""One line that says what just happened, or what failed; the same on every screen."""

from textual.content import Content
from textual.widgets import Static

from reviewer.tui.rendering.literal import literal


class StatusLine(Static):
    """Shows a sentence until the next one; a failed one begins with ✗ and has a colour of its own."""

    def __init__(self) -> None:
        super().__init__(id="status")

    def say(self, sentence: str, failed: bool = False) -> None:
        """Show a sentence."""
        self.show(literal(f"✗ {sentence}" if failed else sentence), failed)

    def show(self, content: Content, failed: bool = False) -> None:
        """Show content, such as a bar with words."""
        self.set_class(failed, "-failed")
        self.update(content)
