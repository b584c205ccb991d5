"""Dialogs in which people write a text: a reason, an answer, why a repair is saved."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Static, TextArea

from reviewer.core.sanitize import is_blank, one_line, strange_character, too_long
from reviewer.tui.rendering.line import hanging
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.key_hints import keys_by_id, offers
from reviewer.tui.widgets.label import PlainLabel

if TYPE_CHECKING:
    from reviewer.runs.repair.repair_session import RepairSummary

_WIDEST = 110
# Cells of a line without text: border and padding.
_FRAME = 4
DialogValue = TypeVar("DialogValue")


class TextDialog(StyledOnce, ModalScreen[DialogValue | None]):
    """A box at the bottom, so that the case stays visible; returns None where it is cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "save", "save", id="writing.save", priority=True, tooltip="Save the text"),
        Binding(
            "ctrl+j,alt+enter",
            "new_line",
            "new line",
            id="writing.new-line",
            priority=True,
            tooltip="Begin a new line",
        ),
        Binding(
            "escape",
            "cancel",
            "leave as it was",
            id="writing.cancel",
            priority=True,
            tooltip="Close this and change nothing",
        ),
    ]
    DEFAULT_CSS = """
    TextDialog {
        align: center bottom; background: $background 40%;
        #box {
            width: 100%; max-width: 110; height: auto; max-height: 100%; margin-bottom: 1; padding: 0 1;
            background: $background; border: round $foreground 45%; border-title-color: $foreground;
        }
        TextArea, TextArea:focus { height: 7; border: none; padding: 0; background: $background; }
        #above { height: auto; max-height: 8; color: $foreground 75%; }
        #hint { height: auto; max-height: 3; color: $foreground 60%; }
    }
    """
    HINTS: ClassVar[tuple[str, ...]] = ("writing.save", "writing.new-line", "writing.cancel")
    WORDS: ClassVar[Mapping[str, str]] = {}
    """Words for keys that do something else here than their label says, by id."""

    def __init__(self, title: str, text: str = "", wrong: Content | None = None) -> None:
        """``wrong`` says why the text could not be saved before."""
        super().__init__()
        self._title, self._text, self._wrong = title, text, wrong

    def compose(self) -> ComposeResult:
        """The subject, the text, the keys."""
        with Vertical(id="box") as box:
            box.border_title = literal(self._title)
            yield Static(id="above")
            yield TextArea(self._text, highlight_cursor_line=False)
            yield PlainLabel(id="hint")

    def on_mount(self) -> None:
        """Put the cursor at the end of the text."""
        area = self.query_one(TextArea)
        area.move_cursor(area.document.end)
        area.focus()
        self.query_one("#hint", PlainLabel).put(self._wrong or self._keys())

    def on_resize(self, event: Resize) -> None:
        """Lay out the lines above the text for the new width."""
        self.set_above()

    def set_above(self) -> None:
        """Show the lines above the text."""
        room = min(_WIDEST, self.app.size.width) - _FRAME
        self.query_one("#above", Static).update(Content("\n").join(self.above(room)))

    def above(self, width: int) -> Sequence[Content]:
        """The lines above the text, at most this many cells wide."""
        raise NotImplementedError

    def written(self, text: str) -> DialogValue:
        """The value to return for a text."""
        raise NotImplementedError

    def action_save(self) -> None:
        """Return the text, or show why it cannot be stored."""
        text = self.query_one(TextArea).text.strip()
        if strange := strange_character(text):
            self.tell(f"The text holds {strange}; take it out.")
        elif long := too_long(text):
            self.tell(f"The text has {long}; shorten it.")
        else:
            self.dismiss(self.written(text))

    def tell(self, sentence: str) -> None:
        """Show a sentence in place of the keys."""
        self.query_one("#hint", PlainLabel).put(literal(sentence))

    def action_new_line(self) -> None:
        """Begin a new line."""
        self.query_one(TextArea).insert("\n")

    def action_cancel(self) -> None:
        """Return None."""
        self.dismiss(None)

    def _keys(self) -> Content:
        keys = keys_by_id(self)
        active = [active.binding for active in self.active_bindings.values()]
        known = {binding.id: self.WORDS.get(binding.id or "", binding.description) for binding in active}
        return offers(keys, [(name, known[name]) for name in self.HINTS if name in known])


class PlainTextDialog(TextDialog[str]):
    """Returns the text as it was written ("" for none); ``above`` makes the lines above it for a width."""

    def __init__(
        self,
        title: str,
        above: Callable[[int], Sequence[Content]],
        text: str = "",
        wrong: Content | None = None,
    ) -> None:
        super().__init__(title, text, wrong)
        self._lines_above = above

    def above(self, width: int) -> Sequence[Content]:
        """What the text is for."""
        return self._lines_above(width)

    def written(self, text: str) -> str:
        """The text."""
        return text


class ReasonDialog(PlainTextDialog):
    """Returns a reason, never an empty one; None where nothing changes."""

    def action_save(self) -> None:
        """Return the reason, or ask for one where it is empty."""
        if is_blank(self.query_one(TextArea).text):
            self.tell("✗ A reason is needed; say in a few words why.")
        else:
            super().action_save()


def reason_dialog(title: str, effect: str, text: str = "", about: str = "") -> ReasonDialog:
    """Asks for a reason. ``about`` names its subject, and ``effect`` below that says how it is used."""

    def above(width: int) -> list[Content]:
        return [*([literal_line(about, width)] if about else []), effect_line(effect)]

    return ReasonDialog(one_line(title, 60), above, text)


def effect_line(effect: str) -> Content:
    """What becomes of a text, as the last line above it."""
    return Content.styled(effect, "$foreground 60%")


_KEEP_AFTER_SECONDS = 0.5


class FreeTextDialog(PlainTextDialog):
    """Returns the answer, never an empty one; None to save nothing, with the text kept as a draft."""

    WORDS: ClassVar[Mapping[str, str]] = {"writing.cancel": "close, keep the draft"}

    def __init__(
        self, wording: str, text: str, keep: Callable[[str], None], about: str, wrong: Content | None = None
    ) -> None:
        """``keep`` gets the typed text from time to time; ``about`` describes the text above it."""

        def above(width: int) -> list[Content]:
            lines = literal(wording, "bold").wrap(max(2, width))
            return [*lines, literal(about, "$foreground 60%")] if about else lines

        super().__init__("✎ answer", above, text, wrong)
        self._keep = keep
        self._text, self._finished = text, False
        self._timer: Timer | None = None

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
            self.tell("✗ Nothing is written; escape closes this.")
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


class SaveRepairDialog(ReasonDialog):
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

    def __init__(self, summary: "RepairSummary") -> None:
        super().__init__("why this repair?", self._told, summary.reason)
        self._summary = summary

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key that saves anyway works only where something speaks against saving."""
        return action != "save_anyway" or bool(self._summary.against)

    def _told(self, width: int) -> list[Content]:
        """Objections to the repair, findings that it settles or adds, and notes."""
        told = self._summary
        lines = [(f"✗ {sentence}", "bold $text-error") for sentence in told.against]
        lines += [("✓ gone: " + ", ".join(told.gone), "bold")] if told.gone else []
        lines += [("▲ new: " + ", ".join(told.new), "bold $text-error")] if told.new else []
        lines += [(sentence, "$foreground 60%") for sentence in told.notes]
        return [part for words, style in lines for part in hanging(Content(""), literal(words, style), width)]

    def action_save(self) -> None:
        """Return the reason, unless there is none or something speaks against saving."""
        if self._summary.against and not is_blank(self.query_one(TextArea).text):
            self.tell("✗ Something speaks against this repair, as said above; ctrl+o saves it anyway.")
        else:
            super().action_save()

    def action_save_anyway(self) -> None:
        """Return the reason although something speaks against saving."""
        super().action_save()
