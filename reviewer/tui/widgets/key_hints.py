"""Keys and what they do, as content."""

from collections.abc import Iterable

from textual.content import Content
from textual.screen import Screen

from reviewer.tui.literal import literal

_GAP = "   "


def keys_by_id(screen: Screen[None]) -> dict[str, str]:
    """The first key of every binding that works now, as people read it, by the binding's id."""
    keys: dict[str, str] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.id and active.enabled:
            keys.setdefault(binding.id, screen.app.get_key_display(binding))
    return keys


def hint(key: str, word: str) -> Content:
    """One key, bold, and its word."""
    return Content.assemble(Content.styled(key, "bold $foreground"), " ", literal(word))


def hints(pairs: Iterable[tuple[str, str]], gap: str = _GAP) -> Content:
    """Several in a row."""
    return Content(gap).join([hint(key, word) for key, word in pairs])


def hint_lines(pairs: Iterable[tuple[str, str]], width: int) -> list[Content]:
    """As many lines of such a width as they take; none is broken in two."""
    lines: list[Content] = []
    for key, word in pairs:
        one = hint(key, word)
        if lines and lines[-1].cell_length + len(_GAP) + one.cell_length <= width:
            lines[-1] = Content.assemble(lines[-1], _GAP, one)
        else:
            lines.append(one)
    return lines
