"""What all dialogs with fields share: style, error line, and the keys escape and enter."""

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, Label, Static

from reviewer.core.errors import ReviewerError
from reviewer.tui.rendering.literal import literal

FormAnswer = TypeVar("FormAnswer")


class Form(ModalScreen[FormAnswer | None]):
    """A titled form that returns one typed value, or None if it is cancelled."""

    TITLE_LINE: ClassVar[str]
    DONE: ClassVar[str]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "cancel", id="form.cancel", tooltip="Close this form; nothing happens"),
        Binding("ctrl+s", "submit", "done", id="form.done", tooltip="Submit the form"),
    ]
    DEFAULT_CSS = """
    Form {
        align: center middle; background: $background 40%;
        #form {
            width: 76; max-width: 100%; height: auto; max-height: 100%; padding: 1 2;
            background: $background; border: round $foreground 45%; border-title-color: $foreground;
        }
        Label { color: $foreground 60%; margin-top: 1; }
        Label:first-child { margin-top: 0; }
        Input, Input:focus { height: 1; border: none; padding: 0 1; background: $foreground 8%; }
        Input:focus { background: $foreground 16%; }
        .row { height: auto; }
        .row Label { width: 21; margin: 0; }
        .row Input { width: 1fr; }
        #wrong { height: auto; display: none; color: $text-error; }
        #buttons { height: auto; margin-top: 1; }
        Button { margin-right: 2; }
    }
    """

    def compose(self) -> ComposeResult:
        """Fields, error line, buttons."""
        with VerticalScroll(id="form", can_focus=False) as form:
            form.border_title = literal(self.TITLE_LINE)
            yield from self.fields()
            yield Static(id="wrong")
            with Horizontal(id="buttons"):
                yield Button(self.DONE, id="done", compact=True, variant="primary")
                yield Button("Cancel (esc)", id="cancel", compact=True)

    def fields(self) -> ComposeResult:
        """The fields of this form."""
        raise NotImplementedError

    def answer(self) -> FormAnswer:
        """The value of the fields; raises ReviewerError where they do not fit."""
        raise NotImplementedError

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter moves to the next field; in the last field it submits the form."""
        inputs = list(self.query(Input))
        if event.input is inputs[-1]:
            self.action_submit()
        else:
            self.focus_next()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Done or cancel."""
        if event.button.id == "done":
            self.action_submit()
        else:
            self.action_leave()

    def action_submit(self) -> None:
        """Return the value, or show what is wrong with it."""
        try:
            answer = self.answer()
        except ReviewerError as error:
            self.complain(str(error))
        else:
            self.accept(answer)

    def accept(self, answer: FormAnswer) -> None:
        """Return a valid value. Subclasses may do more."""
        self.dismiss(answer)

    def action_leave(self) -> None:
        """Return None."""
        self.dismiss(None)

    def complain(self, sentence: str) -> None:
        """Show what is wrong, and keep the form open."""
        self.tell(f"✗ {sentence}")

    def tell(self, sentence: str) -> None:
        """Show a sentence above the buttons."""
        line = self.query_one("#wrong", Static)
        line.update(literal(sentence))
        line.display = True

    def text_of(self, field: str) -> str:
        """What a field holds, without blanks at its ends."""
        return self.query_one(f"#{field}", Input).value.strip()


def in_row(label: str, field: Widget) -> Widget:
    """A field beside its label."""
    return Horizontal(Label(literal(label)), field, classes="row")


def labelled(label: str, field: Widget) -> ComposeResult:
    """A field below its label."""
    yield Label(literal(label))
    yield field
