"""The list of keys that work on a screen, in groups, and what else the screen tells again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from reviewer.study.session.briefing import Card
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.card import card_lines
from reviewer.tui.rendering.line import hanging
from reviewer.tui.rendering.literal import literal
from reviewer.tui.styles import StyledOnce

_WIDEST = 92
# Cells of a row without text: border, padding and scroll bar.
_FRAME = 7


def _ids(screen: str, names: str) -> tuple[str, ...]:
    return tuple(f"{screen}.{name}" for name in names.split())


_ANSWERS = "review.answer-"
_GROUPS = {
    "Answer": (_ANSWERS, *_ids("review", "undo proceed reason skip reveal comment flag note")),
    "Go to a case": _ids("review", "next previous next-open only everything own-answers"),
    "Look at the case": _ids(
        "review",
        "guideline next-pane previous-pane jump zoom fold next-variant previous-variant next-speaker "
        "in-words copy",
    ),
    "Find in the case": _ids(
        "review",
        "next-difference previous-difference next-link previous-link search next-match previous-match",
    ),
    "In the pane": ("pane.",),
    "Everywhere": (*_ids("review", "final pace keys leave"), "app.", "list."),
}
"""Group → the ids of its keys, or what they begin with."""
_OTHERS = "On this screen"


@dataclass(frozen=True, slots=True)
class Row:
    """One action: its group, its keys, its label, and what it does."""

    group: str
    keys: str
    label: str
    description: str


def group_of(name: str) -> str:
    """The group of a binding, by its id."""
    for group, known in _GROUPS.items():
        if any(name == each or (each[-1] in ".-" and name.startswith(each)) for each in known):
            return group
    return _OTHERS


def sheet_order(name: str) -> tuple[int, bool, bool]:
    """Sort key for ids of bindings: what is special to the screen, then by group, answers first.

    Of the answers, the labels come before what else answers.
    """
    is_label = name.removeprefix(_ANSWERS).isdecimal()
    return [_OTHERS, *_GROUPS].index(group_of(name)), not name.startswith(_ANSWERS), not is_label


class KeySheet(StyledOnce, ModalScreen[None]):
    """Groups of keys, and below them the ``cards`` that the screen showed before; escape closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "close", "close", id="keys.close", tooltip="Close this list"),
    ]
    DEFAULT_CSS = """
    KeySheet {
        align: center middle; background: $background 40%;
        #box {
            width: 100%; max-width: 92; height: auto; max-height: 100%; padding: 0 2;
            background: $background; border: round $foreground 45%;
            border-title-color: $foreground; border-subtitle-color: $foreground 60%;
        }
        VerticalScroll { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
    }
    """

    def __init__(self, rows: Sequence[Row], cards: Sequence[Card] = ()) -> None:
        super().__init__()
        self.rows, self._cards = rows, cards

    @classmethod
    def of(cls, screen: Screen[None], cards: Sequence[Card] = (), enter: str = "") -> "KeySheet":
        """The keys of a screen that work now, after remapping; ``enter``: what that key does in a list."""
        app = base_app(screen)
        keys: dict[str, list[str]] = {}
        words: dict[str, tuple[str, str]] = {}
        for active in screen.active_bindings.values():
            binding = active.binding
            if binding.id and binding.description and active.enabled:
                keys.setdefault(binding.id, []).append(app.get_key_display(binding))
                words[binding.id] = app.label_of(binding), binding.tooltip
        ordered = sorted(words, key=sheet_order)
        rows = [Row(group_of(name), " ".join(keys[name]), *words[name]) for name in ordered]
        first = [Row(_OTHERS, app.get_key_display(Binding("enter", "")), "open", enter)] if enter else []
        return cls([*first, *rows], cards)

    def compose(self) -> ComposeResult:
        """A line for each binding, or more on a narrow screen."""
        with Vertical(id="box") as box:
            box.border_title = literal("keys")
            more = "what you were told is below · " if self._cards else ""
            box.border_subtitle = literal(f"{more}escape closes")
            with VerticalScroll():
                yield Static(id="rows")

    def on_resize(self, event: Resize) -> None:
        """Lay the rows out for the new width."""
        lines = self._lines(min(_WIDEST, event.size.width) - _FRAME)
        self.query_one("#rows", Static).update(Content("\n").join(lines))

    def _lines(self, room: int) -> Iterator[Content]:
        width = max((len(row.keys) for row in self.rows), default=0)
        label = max((len(row.label) for row in self.rows), default=0)
        for group, rows in groupby(self.rows, attrgetter("group")):
            yield Content.styled(group, "bold")
            for row in rows:
                cap = Content.styled(row.keys.rjust(width), "bold $foreground")
                head = Content.assemble(cap, "  ", literal(row.label.ljust(label)), "  ")
                yield from hanging(head, literal(row.description, "$foreground 60%"), room)
            yield Content("")
        for card in self._cards:
            yield literal(card.title, "bold underline")
            yield from card_lines(card, room)
            yield Content("")

    def action_close(self) -> None:
        """Close."""
        self.dismiss()
