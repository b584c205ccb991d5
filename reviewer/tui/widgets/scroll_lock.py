"""The halves of a pair scroll as one, wherever they are shown."""

from collections.abc import Callable, Iterable

from textual.widget import Widget

from reviewer.tui.widgets.text_pane import TextPane


def scroll_with_partners(owner: Widget, paper: TextPane, in_sight: Callable[[], Iterable[TextPane]]) -> None:
    """Whenever the paper scrolls, scroll what is in sight of the same pane, as long as ``owner`` is there."""

    def follow() -> None:
        if paper.leaf is None or not paper.display:
            return
        for other in in_sight():
            same = other is not paper and other.leaf and other.leaf.pane == paper.leaf.pane
            if same and other.scroll_y != paper.scroll_y:
                other.scroll_to(y=paper.scroll_y, animate=False, immediate=True)

    owner.watch(paper, "scroll_y", follow, init=False)
