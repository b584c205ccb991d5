"""The reason for a repair, with what it settles and what speaks against saving it."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import TextArea

from reviewer.core.sanitize import is_blank
from reviewer.runs.repair.repair_session import RepairSummary
from reviewer.tui.dialogs.text_dialog import TextDialog
from reviewer.tui.rendering.line import hanging
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.label import PlainLabel


class SaveRepairDialog(TextDialog[str]):
    """Returns the reason, never an empty one; None to go on editing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+o",
            "save_anyway",
            "save anyway",
            id="repair.save-anyway",
            priority=True,
            tooltip="Save the repair although something speaks against it",
        )
    ]
    DEFAULT_CSS = """
    SaveRepairDialog TextArea, SaveRepairDialog TextArea:focus { height: 3; }
    """
    HINTS = ("writing.save", "repair.save-anyway", "writing.cancel")

    def __init__(self, summary: RepairSummary) -> None:
        super().__init__("why this repair?", summary.reason)
        self._summary = summary

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key that saves anyway works only where something speaks against saving."""
        return action != "save_anyway" or bool(self._summary.against)

    def above(self, width: int) -> list[Content]:
        """What speaks against the repair, what it settles, and what becomes of the old content."""
        told = self._summary
        lines = [(f"✗ {sentence}", "bold $text-error") for sentence in told.against]
        lines += [("✓ gone: " + ", ".join(told.gone), "bold")] if told.gone else []
        lines += [("▲ new: " + ", ".join(told.new), "bold $text-error")] if told.new else []
        lines += [(sentence, "$foreground 60%") for sentence in told.notes]
        return [part for words, style in lines for part in hanging(Content(""), literal(words, style), width)]

    def action_save(self) -> None:
        """Return the reason, unless there is none or something speaks against saving."""
        if is_blank(self.query_one(TextArea).text):
            self._refuse("A reason is needed; say in a few words why.")
        elif self._summary.against:
            self._refuse("Something speaks against this repair, as said above; ctrl+o saves it anyway.")
        else:
            super().action_save()

    def action_save_anyway(self) -> None:
        """Return the reason although something speaks against saving."""
        if is_blank(self.query_one(TextArea).text):
            self._refuse("A reason is needed; say in a few words why.")
        else:
            super().action_save()

    def _refuse(self, sentence: str) -> None:
        self.query_one("#hint", PlainLabel).put(literal(f"✗ {sentence}"))

    def written(self, text: str) -> str:
        """The reason."""
        return text
