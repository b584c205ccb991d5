"""Keys and their effects, as content."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from textual.content import Content
from textual.keys import key_to_character
from textual.screen import Screen
from textual.style import Style

from reviewer.core.answer_keys import beside_key
from reviewer.tui.rendering.literal import literal

Hint = tuple[str, str]
"""The id of a binding, and its word on the bottom line."""
_GAP = "   "
_NAMES = {
    "↓": "down",
    "?": "question_mark",
    "/": "slash",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
}
"""The names of keys that are shown by a sign."""


def keys_by_id(screen: Screen[Any]) -> dict[str, str]:
    """The displayed name of the first key of each binding that works now, by the binding's id.

    Where somebody types, a letter is text and no key.
    """
    keys: dict[str, str] = {}
    focused = screen.focused
    for key, active in screen.active_bindings.items():
        binding = active.binding
        typed = focused is not None and focused.check_consume_key(key, key_to_character(key))
        if binding.id and active.enabled and (binding.priority or not typed):
            keys.setdefault(binding.id, screen.app.get_key_display(binding))
    return keys


def hint(key: str, word: str) -> Content:
    """One key, bold, and its word. A click presses the key."""
    shown = Content.assemble(Content.styled(key, "bold $foreground"), " ", literal(word))
    return _clicked(shown, "press", _NAMES.get(key, key))


def clickable(content: Content, action: str) -> Content:
    """The content, which does an action (by id) when it is clicked.

    Use it in labels and in other widgets that do not style links themselves.
    """
    return _clicked(content, "do", action)


def _clicked(content: Content, action: str, what: str) -> Content:
    return content.stylize(Style.from_meta({"@click": f"app.{action}({what!r})"}))


def offered(keys: Mapping[str, str], known: Iterable[Hint]) -> list[Content]:
    """The keys of ``known`` (ids and words) that work now; each can also be clicked.

    A label that begins with its own key is shown without it.
    """
    working = ((keys[name], name, word) for name, word in known if name in keys)
    return [clickable(hint(key, beside_key(word, key)), name) for key, name, word in working]


def offers(keys: Mapping[str, str], known: Iterable[Hint], gap: str = _GAP) -> Content:
    """The keys of ``known`` that work now, in a row."""
    return Content(gap).join(offered(keys, known))


def hints(pairs: Iterable[tuple[str, str]], gap: str = _GAP) -> Content:
    """Several keys with their words, in a row."""
    return Content(gap).join([hint(key, word) for key, word in pairs])


def in_one_line(items: Iterable[Content], last: Sequence[Content], width: int, gap: str = _GAP) -> Content:
    """As many items as fit into a width, followed by the ``last`` ones, which are always shown."""
    room = width - sum(len(gap) + item.cell_length for item in last)
    kept: list[Content] = []
    for item in items:
        room -= item.cell_length + len(gap) * bool(kept)
        if room < 0:
            break
        kept.append(item)
    return Content(gap).join([*kept, *last])


def in_lines(items: Iterable[Content], width: int, gap: str = _GAP) -> list[Content]:
    """All items, in as many lines of this width as they need; no item is broken across lines."""
    lines: list[Content] = []
    for item in items:
        if lines and lines[-1].cell_length + len(gap) + item.cell_length <= width:
            lines[-1] = Content.assemble(lines[-1], gap, item)
        else:
            lines.append(item)
    return lines
