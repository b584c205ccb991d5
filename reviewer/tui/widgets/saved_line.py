"""The bottom line: what was just saved (shown only once it is durable), or why it was not."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Resize

from reviewer.study.transfer.sync import SyncStatus
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.widgets.key_hints import in_one_line, offered
from reviewer.tui.widgets.label import PlainLabel, Unscrolled

_HINTS = (
    ("review.previous", "back"),
    ("review.reveal", "findings"),
    ("review.guideline", "guideline"),
    ("review.zoom", "zoom"),
    ("review.next-difference", "next difference"),
    ("review.in-words", "in words"),
    ("review.fold", "other panes"),
    ("review.next-open", "next open"),
    ("review.next-pane", "pane"),
)
_ALWAYS = (("review.keys", "keys"), ("review.leave", "leave"))


_SENDING = Content("⇡ sending")


def delivery_in_words(delivery: SyncStatus | None) -> Content:
    """Whether all is sent; "sent" is shown only when the server has everything."""
    if delivery is None:
        return Content("")
    if not delivery.waiting and delivery.problem is None:
        return Content("⇡ sent")
    if delivery.problem is None:
        return _SENDING
    return Content(f"⇡ {delivery.waiting} not sent yet: no connection")


class SavedLine(Horizontal, Unscrolled):
    """A notice at the left, and more keys at the right where they fit."""

    DEFAULT_CSS = """
    SavedLine {
        height: auto; max-height: 3; padding: 0 1;
        #notice { width: 1fr; height: auto; }
        #hints { width: auto; color: $foreground 60%; }
        #delivery { width: auto; color: $foreground 60%; padding: 0 2; }
        &.-failed #notice { color: $text-error; background: $error 20%; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.notice = Notice("note", Content(""))
        self._hints: list[Content] = []
        self._always: list[Content] = []
        self._delivery = Content("")

    def compose(self) -> ComposeResult:
        """Notice, delivery and hints."""
        yield PlainLabel(id="notice")
        yield PlainLabel(id="delivery")
        yield PlainLabel(id="hints")

    def say(self, notice: Notice) -> None:
        """Show a notice until the next one."""
        self.notice = notice
        if self._delivery and notice.kind == "saved":
            self._delivery = _SENDING
        self._draw()

    def deliver(self, delivery: SyncStatus | None) -> None:
        """Show how much of the saved work is on the server; None where there is no server."""
        words = delivery_in_words(delivery)
        if words != self._delivery:
            self._delivery = words
            self._draw()

    def offer(self, keys: dict[str, str]) -> None:
        """Show these keys (by binding id) where there is room."""
        self._hints, self._always = offered(keys, _HINTS), offered(keys, _ALWAYS)
        self._draw()

    def on_resize(self, event: Resize) -> None:
        """Draw what fits the new width."""
        self._draw()

    def _draw(self) -> None:
        delivered = self.query_one("#delivery", PlainLabel)
        delivered.display = bool(self._delivery)
        delivered.put(self._delivery)
        taken = self.notice.content.cell_length + self._delivery.cell_length + 8
        hints = in_one_line(self._hints, self._always, self.size.width - taken)
        self.set_class(self.notice.kind == "failed", "-failed")
        self.query_one("#notice", PlainLabel).put(self.notice.content)
        beside = self.query_one("#hints", PlainLabel)
        beside.display = taken + hints.cell_length <= self.size.width
        beside.put(hints)
