"""Whether a scroll bar looks as it was painted last: Textual asks for a new paint at every layout."""

from collections.abc import Hashable
from functools import partial
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from textual.scrollbar import ScrollBar, ScrollBarRender


def looks_as_painted(bar: ScrollBar) -> bool:
    """Whether a paint of this bar would change nothing; False where no paint was seen yet."""
    looks = bar.render()
    if isinstance(looks, _Looks):
        return looks.are_painted
    bar.renderer = partial(_Looks, [])  # type: ignore[misc, assignment]  # Textual allows it for each bar
    return False


class _Looks(ScrollBarRender):
    """A bar as it looks now; ``painted`` keeps how it looked in its last paint, if any."""

    def __init__(self, painted: list[Hashable], **looks: Any) -> None:
        super().__init__(**looks)
        self._painted = painted

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self._painted[:] = [self._key]
        yield from super().__rich_console__(console, options)

    @property
    def are_painted(self) -> bool:
        """Whether the last paint had the same looks."""
        return self._painted == [self._key]

    @property
    def _key(self) -> Hashable:
        where = (self.virtual_size, self.window_size, self.position) if self.window_size else ()
        return where, self.thickness, self.style
