"""A list of items, each a few lines of content that are made when they become visible."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widgets import OptionList
from textual.widgets.option_list import Option

Item = TypeVar("Item")


class ListedLines(Visual):
    """A number of lines and a function that makes them: only visible items are made, of thousands."""

    def __init__(self, lines: int, content: Callable[[], Content], *, heading: bool = False) -> None:
        """A ``heading`` cannot be chosen."""
        self._lines, self._content, self.heading = lines, content, heading

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        """The lines at a width in cells."""
        return self._content().render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """All the width that there is."""
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        """The declared number of lines: no line is wrapped."""
        return self._lines


class ItemList(OptionList):
    """Fills the screen between head and keys; keeps its highlight when its items change."""

    DEFAULT_CSS = """
    ItemList, ItemList:focus {
        height: 1fr; border: none; padding: 0; background: $background; background-tint: $background 0%;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    ItemList > .option-list--option { padding: 0 1; }
    ItemList > .option-list--option-disabled { color: $foreground 60%; }
    ItemList > .option-list--option-highlighted { background: $foreground 8%; text-style: none; }
    ItemList:focus > .option-list--option-highlighted { background: $foreground 12%; text-style: none; }
    """

    def __init__(self, items: Iterable[ListedLines] = ()) -> None:
        super().__init__(*map(Option, items), markup=False)

    def show(self, items: Iterable[ListedLines], highlight: int | None = None) -> None:
        """List these items, with the highlight at one of them."""
        at = self.highlighted if highlight is None else highlight
        listed = list(items)
        self.set_options(Option(item, disabled=item.heading) for item in listed)
        if listed:
            at = min(at or 0, len(listed) - 1)
            self.highlighted = next(
                (place for place in range(at, len(listed)) if not listed[place].heading), at
            )

    def chosen_of(self, listed: Sequence[Item]) -> Item | None:
        """What is highlighted, of the values that the items are about; None if nothing of them is."""
        at = self.highlighted
        return listed[at] if at is not None and at < len(listed) else None
