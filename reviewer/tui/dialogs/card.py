"""A card to read before going on: the briefing, what comes next, or a guideline."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content, Span
from textual.events import Click, Key, Resize
from textual.screen import ModalScreen
from textual.widgets import Static

from reviewer.study.session.briefing import Card
from reviewer.tui.rendering.comparison import body_lines
from reviewer.tui.rendering.literal import literal
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.key_hints import in_lines, keys_by_id

_WIDEST = 92
# Cells of a row without text: border, padding and scroll bar.
_FRAME = 7
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
        """Say what to press instead of a key that does nothing here."""
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
