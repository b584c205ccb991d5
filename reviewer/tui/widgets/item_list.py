"""A list of items to walk through, each a few lines of content."""

from collections.abc import Iterable

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option


class ItemList(OptionList):
    """Fills the screen between head and keys; drawn anew, its highlight stays where it was."""

    DEFAULT_CSS = """
    ItemList, ItemList:focus {
        height: 1fr; border: none; padding: 0; background: $background; background-tint: $background 0%;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    ItemList > .option-list--option-highlighted { background: $foreground 8%; text-style: none; }
    ItemList:focus > .option-list--option-highlighted { background: $foreground 12%; text-style: none; }
    """

    def __init__(self, items: Iterable[Content] = ()) -> None:
        super().__init__(*map(Option, items), markup=False)

    def show(self, items: Iterable[Content], highlight: int | None = None) -> None:
        """List these items, with the highlight at one of them."""
        at = self.highlighted if highlight is None else highlight
        self.set_options(map(Option, items))
        if self.option_count:
            self.highlighted = min(at or 0, self.option_count - 1)
