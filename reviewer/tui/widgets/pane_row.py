"""Text panes side by side, as many as there are texts to show; panes of one pane scroll together."""

from collections.abc import Callable, Iterable, Sequence

from textual.containers import Horizontal
from textual.widget import Widget

from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.widgets.text_pane import TextPane


def scroll_with_partners(
    owner: Widget, text_pane: TextPane, in_sight: Callable[[], Iterable[TextPane]]
) -> None:
    """Scroll the visible partners of a pane along with it, for as long as ``owner`` exists."""

    def follow() -> None:
        if text_pane.pane_text is None or not text_pane.display:
            return
        for other in in_sight():
            same = (
                other is not text_pane
                and other.pane_text
                and other.pane_text.pane == text_pane.pane_text.pane
            )
            if same and other.scroll_y != text_pane.scroll_y:
                other.scroll_to(y=text_pane.scroll_y, animate=False, immediate=True)

    owner.watch(text_pane, "scroll_y", follow, init=False)


_BORDER, _MOST_PERCENT = 2, 40


class PaneRow(Horizontal):
    """Shows pane texts side by side. Its widgets are reused, so that no key on its way to one is lost.

    With the class ``-low`` they are no higher than their texts need.
    """

    DEFAULT_CSS = """
    PaneRow { height: 1fr; }
    PaneRow.-low { max-height: 40%; }
    """

    height_of_texts = 0
    """The height in cells that the texts have, if the row is no higher than they need."""

    def in_sight(self) -> list[TextPane]:
        """The panes that show a text."""
        return [text_pane for text_pane in self.query(TextPane) if text_pane.display and text_pane.pane_text]

    def show(self, pane_texts: Sequence[PaneText], width: int = 0) -> None:
        """Show each text in a pane, from its top; the row has ``width`` cells (0: those of the screen)."""
        text_panes = [*self.query(TextPane)]
        if missing := len(pane_texts) - len(text_panes):
            new = [TextPane() for _ in range(missing)]
            self.mount_all(new)
            text_panes += new
            for text_pane in new:
                scroll_with_partners(self, text_pane, self.in_sight)
        for number, text_pane in enumerate(text_panes):
            text_pane.display = number < len(pane_texts)
            if text_pane.display:
                text_pane.show(pane_texts[number])
                text_pane.scroll_to(y=0, animate=False, immediate=True)
        if self.has_class("-low"):
            pane_width = (width or self.app.size.width) // max(1, len(pane_texts)) - _BORDER
            needs = [
                text_pane.get_content_height(self.size, self.size, pane_width)
                for text_pane in self.in_sight()
            ]
            needed = max(needs, default=-_BORDER) + _BORDER
            self.height_of_texts = min(needed, self.app.size.height * _MOST_PERCENT // 100)
            self.styles.height = needed
