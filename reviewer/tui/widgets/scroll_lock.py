"""Panes that show the same pane of a case scroll together."""

from collections.abc import Callable, Iterable

from textual.widget import Widget

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
