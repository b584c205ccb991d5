"""The answer to a question of free text: what is typed is kept as a draft until it is saved."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual.content import Content
from textual.timer import Timer
from textual.widgets import TextArea

from reviewer.core.sanitize import is_blank
from reviewer.tui.dialogs.text_dialog import TextDialog
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.label import PlainLabel

_KEEP_AFTER_SECONDS = 0.5


class FreeTextDialog(TextDialog[str]):
    """Returns the answer, never an empty one; None to save nothing, with the text kept as a draft."""

    WORDS: ClassVar[Mapping[str, str]] = {"writing.cancel": "close, keep the draft"}

    def __init__(
        self, wording: str, text: str, keep: Callable[[str], None], about: str, wrong: Content | None = None
    ) -> None:
        """``keep`` takes what is typed from time to time; ``about`` says what the text above it is."""
        super().__init__("✎ answer", text, wrong)
        self._wording, self._keep, self._about = wording, keep, about
        self._text, self._finished = text, False
        self._timer: Timer | None = None

    def above(self, width: int) -> list[Content]:
        """The question, and whether the text is a draft."""
        lines = literal(self._wording, "bold").wrap(max(2, width))
        return [*lines, literal(self._about, "$foreground 60%")] if self._about else lines

    def written(self, text: str) -> str:
        """The answer."""
        return text

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Keep a draft once the typing pauses."""
        self._text = event.text_area.text
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_KEEP_AFTER_SECONDS, self._keep_draft)

    def on_unmount(self) -> None:
        """Keep a draft where the app ends while somebody types."""
        self._keep_draft()

    def action_save(self) -> None:
        """Return the answer, or ask for one where it is empty."""
        if is_blank(self.query_one(TextArea).text):
            self.query_one("#hint", PlainLabel).put(literal("✗ Nothing is written; escape closes this."))
            return
        self._keep_draft()
        self._finished = True
        super().action_save()

    def action_cancel(self) -> None:
        """Keep the draft and return None."""
        self._keep_draft()
        self._finished = True
        super().action_cancel()

    def _keep_draft(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        if not self._finished:
            self._keep(self._text)
