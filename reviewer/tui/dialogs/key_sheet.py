"""Sheets to read: the keys of a screen in groups, and cards, such as the briefing or a guideline."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content, Span
from textual.events import Click, Key, Resize
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from reviewer.study.session.briefing import Card
from reviewer.tui.base_app import base_app
from reviewer.tui.rendering.comparison import body_lines
from reviewer.tui.rendering.line import hanging
from reviewer.tui.rendering.literal import literal
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.key_hints import in_lines, keys_by_id

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
    """One action: its group, its keys, its label and its effect."""

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


_KEYS = "Keys"


class CardDialog(StyledOnce, ModalScreen[None]):
    """Shows a card until a key goes on. Answer keys do nothing here, so that none is given by mistake.

    ``keys`` are keys with their words, which work after the card.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space,escape", "close", "go on", id="card.close", tooltip="Put this card away"),
        Binding("down,j", "scroll(1)", "down", id="card.down", tooltip="Read on", show=False),
        Binding("up,k", "scroll(-1)", "up", id="card.up", tooltip="Read back", show=False),
    ]
    DEFAULT_CSS = """
    CardDialog {
        align: center middle; background: $background 40%;
        #box {
            width: 100%; max-width: 92; height: auto; max-height: 100%; padding: 0 2;
            background: $background; border: round $foreground 45%;
            border-title-color: $foreground; border-title-style: bold; border-subtitle-color: $foreground 75%;
        }
        VerticalScroll { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
    }
    """

    def __init__(self, card: Card, keys: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._card, self._keys = card, keys

    def compose(self) -> ComposeResult:
        """The paragraphs below each other."""
        with Vertical(id="box") as box:
            box.border_title = literal(self._card.title)
            with VerticalScroll(can_focus=False):
                yield Static(self._content(self.app.size.width), id="parts")

    def on_resize(self, event: Resize) -> None:
        """Lay the paragraphs out for the new width."""
        self.query_one("#parts", Static).update(self._content(event.size.width))
        self._say_how_to_go_on()

    def _say_how_to_go_on(self, *, first: bool = False) -> None:
        """At the lower edge; ``first`` if somebody pressed a key that works only after the card."""
        key, then = keys_by_id(self)["card.close"], " first" if first else " or a click goes on"
        self.query_one("#box").border_subtitle = Content.assemble("press " * first, (key, "bold"), then)

    def on_key(self, event: Key) -> None:
        """Name the key to press instead of one that does nothing here."""
        if event.key not in self.active_bindings:
            self._say_how_to_go_on(first=True)

    def _content(self, width: int) -> Content:
        """The paragraphs and the keys, for a screen of this width in cells."""
        room = min(_WIDEST, width) - _FRAME
        lines = card_lines(self._card, room)
        if self._keys:
            keys = [Content.assemble((key, "bold"), " ", literal(word)) for key, word in self._keys]
            lines += [Content(""), Content.styled(_KEYS, "bold"), *in_lines(keys, room)]
        return Content("\n").join(lines)

    def action_scroll(self, step: int) -> None:
        """Scroll where the card is taller than the screen."""
        self.query_one(VerticalScroll).scroll_relative(y=step, animate=False)

    def on_click(self, event: Click) -> None:
        """Go on."""
        self.action_close()

    def action_close(self) -> None:
        """Go on."""
        self.dismiss()


def card_lines(card: Card, width: int) -> list[Content]:
    """The paragraphs of a card, each below its heading and wrapped to a width in cells."""
    lines: list[Content] = []
    for heading, body in card.parts:
        lines += [Content("")] if lines else []
        lines.append(Content.styled(heading, "bold"))
        lines += [_with_bold_heads(line.content) for line in body_lines(body, width)]
    return lines


def _with_bold_heads(line: Content) -> Content:
    """A line of a pane for this dialog, where styles of panes have no name."""
    return Content(line.plain, spans=[Span(head.start, head.end, "bold") for head in line.spans])
