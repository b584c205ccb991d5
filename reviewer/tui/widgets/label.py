"""Lines of text, repainted only where needed: labels, and the latest notice."""

from textual.content import Content
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from reviewer.tui.rendering.literal import literal


class Unscrolled(Widget):
    """A widget that does not scroll. Textual lays out and paints the screen again for each new virtual size,
    which only scroll bars need. It stands last among the bases: Textual takes styles from the first.
    """

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False, repaint=False)


class Covered(Unscrolled):
    """A container without a border or a colour of its own. It draws nothing: where its widgets leave a gap,
    what is below it shows.

    Textual renders every line of every container, and cuts it at all widgets above, before it finds out that
    nobody sees it. That took a third of a first paint, and a fifth of each later one.
    """

    def render_lines(self, crop: Region) -> list[Strip]:
        """No lines."""
        return []


class PlainLabel(Static, Unscrolled):
    """Paints only changed content, and makes the screen lay itself out again only if its size changes."""

    auto_links = Reactive(False)  # clickable parts have a style of their own
    # Most of the time after a key goes into layout and paint of parts that look the same afterwards.
    _shown: Content | None = None

    def put(self, content: Content) -> None:
        """Show a text."""
        if self._shown is not None and self._shown.is_same(content):
            return
        self._shown = content
        width, height = self.content_size
        wide = content.cell_length if self.styles.is_auto_width else width
        least = self.styles.min_height
        rows = max(len(content.wrap(width or 1)), int(least.value) if least else 0)
        same_height = not self.styles.is_auto_height or rows == height
        same_size = width and wide == width and same_height
        self.update(content, layout=not same_size)


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
