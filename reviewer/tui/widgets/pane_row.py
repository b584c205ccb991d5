"""Text panes side by side, as many as there are texts to show."""

from collections.abc import Sequence

from textual.containers import Horizontal

from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.widgets.scroll_lock import scroll_with_partners
from reviewer.tui.widgets.text_pane import TextPane

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
