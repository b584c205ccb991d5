"""A line for each pane that shows some of its parts: the names of all, and the keys that show others."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.message import Message
from textual.style import Style

from reviewer.tui.rendering.layout import ROOMY
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_parts import PaneParts
from reviewer.tui.rendering.table import shared
from reviewer.tui.widgets.key_hints import clickable, offered
from reviewer.tui.widgets.label import PlainLabel

# Cells at the ends of the line, between two names, and around a name with its gap; the most cells of a name.
_PADDING, _GAP, _AROUND, _LONGEST = 2, 1, 4, 60


class PartLine(PlainLabel):
    """Marks the parts that are shown; a click on a name shows that part."""

    DEFAULT_CSS = """
    PartLine { height: auto; padding: 0 1; color: $foreground 75%; display: none; }
    """

    class Chosen(Message):
        """The name of a part was clicked; ``position`` shows it in the pane with this key."""

        def __init__(self, pane: str, position: int) -> None:
            self.pane, self.position = pane, position
            super().__init__()

    def show(self, parts: Sequence[PaneParts], keys: Mapping[str, str], width: int) -> None:
        """Draw the parts of each pane in a line; ``keys`` are the keys by binding id."""
        self._parts = tuple(parts)
        self.display = bool(parts)
        if parts:
            rows = (_row(number, pane, keys, width - _PADDING) for number, pane in enumerate(parts))
            self.put(Content("\n").join(rows))

    def action_choose(self, row: int, number: int) -> None:
        """Show the part with this number."""
        parts = self._parts[row]
        self.post_message(self.Chosen(parts.pane, parts.position_of(number)))


def _row(row: int, parts: PaneParts, keys: Mapping[str, str], width: int) -> Content:
    """Title, names and keys; the longest names are cut where there is no room."""
    is_wide = width + _PADDING >= ROOMY
    whole, room = [part.name for part in parts.parts], 0
    for has_room in (True, False):
        before, after = _key_hints(parts, keys, has_room)
        if is_wide:
            before = Content.assemble(literal_line(parts.title, _LONGEST, "$foreground 60%"), "  ", before)
        around = sum(_AROUND + len(part.sign + part.count) for part in parts.parts)
        room = width - before.cell_length - after.cell_length - around
        if is_wide or sum(map(cell_len, whole)) <= room:
            break
    names = _names(whole, room)
    words = [_word(row, number, parts, name) for number, name in enumerate(names)]
    return Content.assemble(before, Content(" " * _GAP).join(words), after)


def _names(names: Sequence[str], room: int) -> list[Content]:
    """The names in a room in cells. Without room, the words that all begin with go first; then the longest
    names are cut.
    """
    if sum(map(cell_len, names)) > room:
        words = [name.split() for name in names]
        same = [len(set(place)) == 1 for place in zip(*words, strict=False)]
        begin = (*same, False).index(False)
        names = [" ".join(name[begin:] or name[-1:]) for name in words]
    cells = [literal_line(name, _LONGEST).cell_length for name in names]
    return [literal_line(name, kept) for name, kept in zip(names, shared(cells, max(0, room)), strict=True)]


def _key_hints(parts: PaneParts, keys: Mapping[str, str], has_room: bool) -> tuple[Content, Content]:
    """The keys before and after the names; shorter words where names would be cut."""
    if parts.kind == "speakers":
        words = ("next", "next speaker") if parts.shown else ("alone", "one speaker")
        word = words[has_room]
        return Content(""), Content.assemble("   ", *offered(keys, (("review.next-speaker", word),)))
    back, on = (
        clickable(Content.styled(word.format(keys[name]), "bold $foreground"), name) if name in keys else ""
        for name, word in (("review.previous-variant", "{} ‹"), ("review.next-variant", "› {}"))
    )
    return Content.assemble(back, " "), Content.assemble("  ", on)


def _word(row: int, number: int, parts: PaneParts, name: Content) -> Content:
    """The sign and the name of a part, marked if it is shown, and a count where it has one."""
    part, is_shown = parts.parts[number], number in parts.shown
    shown = literal(part.sign)
    shown = shown if name.plain == part.sign else Content.assemble(shown, " ", name)
    shown = shown.stylize("bold underline $foreground") if is_shown else shown
    whole = Content.assemble("▸" if is_shown else " ", shown, f" {part.count}" if part.count else "")
    return whole.stylize(Style.from_meta({"@click": f"choose({row}, {number})"}))
