"""All labels of a question: a list that gets shorter as one types, with the definition of one below it."""

from collections.abc import Collection
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click, MouseScrollDown, MouseScrollUp, Resize
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input

from reviewer.core.answer_keys import LabelSearch
from reviewer.core.question import Question
from reviewer.core.sanitize import counted
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.key_hints import keys_by_id, offers
from reviewer.tui.widgets.label import PlainLabel, Unscrolled

_WIDEST = 64
# Cells of a line without text: border and padding.
_FRAME = 4
# Lines besides the list and the definition: borders, what is typed, keys, and one to spare.
_AROUND, _MOST_BELOW = 5, 6
_WHEEL = 3


class LabelRows(Unscrolled, Widget):
    """The labels in sight, one of them highlighted: only these are drawn, of a thousand."""

    DEFAULT_CSS = "LabelRows { height: 1fr; min-height: 1; }"

    class Pressed(Message):
        """A label was clicked."""

        def __init__(self, label: str) -> None:
            self.label = label
            super().__init__()

    class Moved(Message):
        """The mouse moved the highlight."""

    def __init__(self, given: Collection[str]) -> None:
        super().__init__()
        self._given, self._labels = given, list[str]()
        self._at = self._top = 0

    @property
    def highlighted(self) -> str | None:
        """The highlighted label; None if no label is listed."""
        return self._labels[self._at] if self._labels else None

    def list_labels(self, labels: list[str]) -> None:
        """List these labels, with the first highlighted."""
        self._labels, self._at, self._top = labels, 0, 0
        self.refresh()

    def step(self, by: int) -> None:
        """Move the highlight, and the rows so that it stays in sight."""
        self._at = max(0, min(self._at + by, len(self._labels) - 1))
        self._keep_in_sight()

    def page(self) -> int:
        """The number of rows in sight."""
        return max(1, self.size.height)

    def _keep_in_sight(self) -> None:
        self._top = min(max(self._top, self._at - self.page() + 1), self._at)
        self.refresh()

    def on_resize(self, event: Resize) -> None:
        """Keep the highlight in sight."""
        self._keep_in_sight()

    def render(self) -> Content:
        """The rows in sight, each with a sign where it is the answer."""
        rows = range(self._top, min(self._top + self.page(), len(self._labels)))
        if not rows:
            return Content.styled("  no label has these words", "$foreground 60%")
        return Content("\n").join(self._row(index) for index in rows)

    def _row(self, index: int) -> Content:
        label, width = self._labels[index], self.size.width
        sign = "✓ " if label in self._given else "  "
        line = literal_line(sign + label.strip(), width)
        if index != self._at:
            return line
        return line.pad_right(max(0, width - line.cell_length)).stylize("bold on $foreground 15%")

    def on_click(self, event: Click) -> None:
        """Choose the label at the mouse."""
        index = self._top + event.get_content_offset_capture(self).y
        if index < len(self._labels):
            self.post_message(self.Pressed(self._labels[index]))

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Move down."""
        self.step(_WHEEL)
        self.post_message(self.Moved())

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Move up."""
        self.step(-_WHEEL)
        self.post_message(self.Moved())


class LabelListDialog(StyledOnce, ModalScreen[str | None]):
    """Returns the chosen label, or None to leave the answer as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "choose", id="labels.choose", priority=True, tooltip="Take this label"),
        Binding(
            "escape",
            "cancel",
            "leave as it was",
            id="labels.cancel",
            priority=True,
            tooltip="Close this and change nothing",
        ),
        Binding("down", "step(1)", "down", id="labels.down", priority=True, tooltip="Go to the next label"),
        Binding("up", "step(-1)", "up", id="labels.up", priority=True, tooltip="Go to the label before"),
        Binding(
            "pagedown", "page(1)", "page down", id="labels.page-down", priority=True, tooltip="A page down"
        ),
        Binding("pageup", "page(-1)", "page up", id="labels.page-up", priority=True, tooltip="A page up"),
    ]
    DEFAULT_CSS = """
    LabelListDialog {
        align: right middle; background: $background 40%;
        #box {
            width: 100%; max-width: 64; max-height: 100%; padding: 0 1;
            background: $background; border: round $foreground 45%;
            border-title-color: $foreground; border-subtitle-color: $foreground 62%;
        }
        Input, Input:focus {
            width: 1fr; height: 1; border: none; padding: 0;
            background: $foreground 8%; background-tint: $background 0%;
        }
        #definition { color: $foreground 75%; }
        #hint { height: 1; color: $foreground 60%; }
    }
    """

    def __init__(self, question: Question, given: Collection[str], word: str = "choose") -> None:
        """``given`` are the labels of the answer so far; ``word`` is the effect of enter on a label."""
        super().__init__()
        self._question, self._given, self._word = question, given, word
        self._search = LabelSearch(question.labels)

    def compose(self) -> ComposeResult:
        """The words, the labels, the definition, the keys."""
        with Vertical(id="box") as box:
            number = counted(len(self._question.labels), "label")
            box.border_title = literal(f"{self._question.title} · {number}")
            yield Input(placeholder="letters of the label")
            yield LabelRows(self._given)
            yield PlainLabel(id="definition")
            yield PlainLabel(id="hint")

    def on_mount(self) -> None:
        """List all labels."""
        self.watch(self.query_one(Input), "value", self._list)  # a message comes after the letter is painted
        words = {"labels.choose": self._word, "labels.down": "down", "labels.cancel": "leave as it was"}
        self.query_one("#hint", PlainLabel).put(offers(keys_by_id(self), words.items()))

    def on_resize(self, event: Resize) -> None:
        """Give the list the lines that it needs, as far as there are."""
        self._fit()

    def on_label_rows_pressed(self, event: LabelRows.Pressed) -> None:
        """Take the clicked label."""
        self.dismiss(event.label)

    def on_label_rows_moved(self) -> None:
        """Show the definition of the label that is highlighted now."""
        self._define()

    def action_choose(self) -> None:
        """Take the highlighted label."""
        if label := self._rows.highlighted:
            self.dismiss(label)

    def action_cancel(self) -> None:
        """Return None."""
        self.dismiss(None)

    def action_step(self, by: int) -> None:
        """Move the highlight."""
        self._rows.step(by)
        self._define()

    def action_page(self, by: int) -> None:
        """Move the highlight by a page."""
        self.action_step(by * self._rows.page())

    @property
    def _rows(self) -> LabelRows:
        return self.query_one(LabelRows)

    def _list(self, typed: str) -> None:
        self._rows.list_labels(self._search.found(typed))
        self._define()

    def _define(self) -> None:
        self.query_one("#definition", PlainLabel).put(self._below(self._rows.highlighted or ""))

    def _below(self, label: str) -> Content:
        """A label whole where its row is cut, and its definition."""
        parts = [] if len(label) + 2 <= self._room else [label]
        parts += [definition] if (definition := self._question.definition(label)) else []
        return literal("\n".join(parts))

    @property
    def _room(self) -> int:
        return min(_WIDEST, self.app.size.width) - _FRAME

    def _fit(self) -> None:
        """Give the definition the lines of the longest one, so that the list keeps its height."""
        labels, room = self._question.labels, self._room
        texts = filter(None, map(self._below, labels))
        below = min(max((len(text.wrap(room)) for text in texts), default=1), _MOST_BELOW)
        self.query_one("#definition").styles.height = below
        self.query_one("#box").styles.height = min(len(labels) + _AROUND + below, self.app.size.height)
