"""Sheets of paper side by side, as many as there is something to put on."""

from collections.abc import Sequence

from textual.containers import Horizontal

from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.widgets.scroll_lock import scroll_with_partners
from reviewer.tui.widgets.text_pane import TextPane

_BORDER = 2


class PaneRow(Horizontal):
    """Shows leaves beside each other; sheets stay, so that no key on its way to one is lost.

    With the class ``-low`` they are no higher than what is on them needs.
    """

    DEFAULT_CSS = """
    PaneRow { height: 1fr; }
    PaneRow.-low { max-height: 40%; }
    """

    def in_sight(self) -> list[TextPane]:
        """The sheets that something is on."""
        return [paper for paper in self.query(TextPane) if paper.display and paper.leaf]

    def show(self, leaves: Sequence[PaneText], width: int = 0) -> None:
        """Put one leaf on each sheet, from their tops; all have this ``width``, that of the screen if 0."""
        papers = [*self.query(TextPane)]
        if missing := len(leaves) - len(papers):
            new = [TextPane() for _ in range(missing)]
            self.mount_all(new)
            papers += new
            for paper in new:
                scroll_with_partners(self, paper, self.in_sight)
        for number, paper in enumerate(papers):
            paper.display = number < len(leaves)
            if paper.display:
                paper.show(leaves[number])
                paper.scroll_to(y=0, animate=False, immediate=True)
        if self.has_class("-low"):
            each = (width or self.app.size.width) // max(1, len(leaves)) - _BORDER
            needs = [paper.get_content_height(self.size, self.size, each) for paper in self.in_sight()]
            self.styles.height = max(needs, default=-_BORDER) + _BORDER
