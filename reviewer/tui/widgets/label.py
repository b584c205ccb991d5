"""A few lines of text that costs the screen no more than it must."""

from textual.content import Content
from textual.reactive import Reactive
from textual.widgets import Static


class PlainLabel(Static):
    """Paints only what has changed, and has the screen laid out anew only where its size has to change."""

    auto_links = Reactive(False)  # what can be clicked here wears its own look
    # Most of what a key costs is layout and paint of what looks the same afterwards.
    _shown: Content | None = None

    def put(self, content: Content) -> None:
        """Show a text."""
        if self._shown is not None and self._shown.is_same(content):
            return
        self._shown = content
        width, height = self.content_size
        wide = content.cell_length if self.styles.is_auto_width else width
        same_height = not self.styles.is_auto_height or len(content.wrap(width or 1)) == height
        same_size = width and wide == width and same_height
        self.update(content, layout=not same_size)
