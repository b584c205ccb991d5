"""What all dialogs with fields share: style, keys from field to field, and how they are left.

Fields are made from the options of a command, with their types, defaults, choices, limits and help.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from types import NoneType
from typing import Any, ClassVar, TypeVar, get_args

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, Label, Static

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.options.option import CommandOptions, FilePath, Option, OptionField, entries, parts_of
from reviewer.tui.in_background import in_background
from reviewer.tui.rendering.literal import literal
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.form_fields import Checkbox, InlineSelect, PathInput
from reviewer.tui.widgets.key_hints import keys_by_id

FormAnswer = TypeVar("FormAnswer")


class ScrolledFields(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Fields that scroll where they do not fit: arrows go from field to field, also there."""


class Form(StyledOnce, ModalScreen[FormAnswer | None]):
    """A titled form that returns one typed value, or None if it is cancelled.

    Leaving asks once more if something was entered.
    """

    TITLE_LINE: ClassVar[str]
    DONE: ClassVar[str]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "cancel", id="form.cancel", tooltip="Close this form; nothing happens"),
        Binding("ctrl+s", "submit", "done", id="form.done", tooltip="Submit the form, from any field"),
        Binding("down", "app.focus_next", "next field", id="form.next", tooltip="Go to the next field"),
        Binding(
            "up", "app.focus_previous", "field before", id="form.before", tooltip="Go to the field before"
        ),
        Binding("enter", "go_on", "next field", id="form.go_on", tooltip="Go to the next field"),
    ]
    DEFAULT_CSS = """
    Form {
        align: center middle; background: $background 40%;
        #form {
            width: 76; max-width: 100%; height: auto; max-height: 100%; padding: 1 2;
            background: $background; border: round $foreground 45%; border-title-color: $foreground;
        }
        #fields { height: auto; max-height: 100%; }
        #foot { dock: bottom; height: auto; }
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

    def __init__(self) -> None:
        super().__init__()
        self._untouched: tuple[object, ...] = ()
        self._asked_to_leave = False

    def compose(self) -> ComposeResult:
        """Fields that scroll; below them the error line and the buttons, which do not."""
        with Vertical(id="form") as form:
            form.border_title = literal(self.TITLE_LINE)
            with ScrolledFields(id="fields"):
                yield from self.fields()
            with Vertical(id="foot"):
                yield Static(id="wrong")
                yield from self.foot()
                with Horizontal(id="buttons"):
                    yield Button(self.DONE, id="done", compact=True, variant="primary")
                    yield Button("Cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        """Name the keys on the buttons, and remember what stands in the fields before anything is entered."""
        keys = keys_by_id(self)
        done, cancel = self.query_one("#done", Button), self.query_one("#cancel", Button)
        done.label = literal(f"{self.DONE} ({keys['form.done']})")
        cancel.label = literal(f"Cancel ({keys['form.cancel']})")
        cancel.can_focus = False
        self._untouched = tuple(self._entered())

    async def put_fields(self, holder: Widget, fields: Sequence[Widget]) -> None:
        """Show other fields in a part of the form; what was entered elsewhere still counts as entered."""
        entered = tuple(self._entered()) != self._untouched
        await holder.remove_children()
        await holder.mount(*fields)
        if not entered:
            self._untouched = tuple(self._entered())

    def fields(self) -> ComposeResult:
        """The fields of this form."""
        raise NotImplementedError

    def foot(self) -> ComposeResult:
        """What stands between the fields and the buttons."""
        yield from ()

    def answer(self) -> FormAnswer:
        """The value of the fields; raises ReviewerError where they do not fit."""
        raise NotImplementedError

    def _fields(self) -> list[Widget]:
        return list(self.query("#fields Input, #fields Checkbox, #fields InlineSelect"))

    def _entered(self) -> Iterator[object]:
        for field in self._fields():
            match field:
                case Input():
                    yield field.value
                case Checkbox():
                    yield field.on
                case InlineSelect():
                    yield field.chosen

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter moves to the next field; in the last field it submits the form."""
        if event.input is self._fields()[-1]:
            self.action_submit()
        else:
            self.focus_next()

    def action_go_on(self) -> None:
        """Go to the next field, from one that is chosen or ticked."""
        self.focus_next()

    def on_descendant_focus(self) -> None:
        """Somebody who goes to a field does not leave."""
        self._asked_to_leave = False

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Done or cancel."""
        if event.button.id == "done":
            self.action_submit()
        else:
            self.action_leave()

    def action_submit(self) -> None:
        """Return the value, or show its error."""
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
        """Return None; where something was entered, only if this is asked for twice."""
        if self._asked_to_leave or tuple(self._entered()) == self._untouched:
            self.dismiss(None)
            return
        self._asked_to_leave = True
        key = keys_by_id(self)["form.cancel"]
        self.tell(f"What you entered here would be lost. Press {key} again to leave.")

    def complain(self, sentence: str) -> None:
        """Show the error, and keep the form open."""
        self.tell(f"✗ {sentence}")

    def tell(self, sentence: str) -> None:
        """Show a sentence above the buttons."""
        line = self.query_one("#wrong", Static)
        line.update(literal(sentence))
        line.display = True

    def text_of(self, field: str) -> str:
        """What a field holds, without blanks at its ends."""
        return self.query_one(f"#{field}", Input).value.strip()


def in_row(label: str, *fields: Widget) -> Widget:
    """Fields beside their label."""
    return Horizontal(Label(literal(label)), *fields, classes="row")


def labelled(label: str, field: Widget) -> ComposeResult:
    """A field below its label."""
    yield Label(literal(label))
    yield field


_LONGEST_NUMBER = 18


class OptionForm(Form[FormAnswer]):
    """The field of the option ``per_group`` is ``#per-group``; its help shows where the pointer rests."""

    OPTIONS: ClassVar[type[CommandOptions]]

    def row(self, label: str, name: str, value: object = None, usual: str = "") -> Widget:
        """The field of an option beside its label."""
        return in_row(label, self.field(name, value, usual))

    def field(self, name: str, value: object = None, usual: str = "") -> Widget:
        """The field of an option, at first with a value; ``usual`` is the default of an empty field."""
        declared = _declared(self.OPTIONS, name)
        field = _field(declared, value, usual)
        field.tooltip = literal(_option(declared).words)
        return field

    def tick(self, label: str, name: str, *, on: bool = False) -> Widget:
        """The field of an option that is on or off."""
        field = Checkbox(label, on=on, id=_id(name))
        field.tooltip = literal(_option(_declared(self.OPTIONS, name)).words)
        return field

    def given(self, name: str) -> Any:
        """The value of the field of an option; raises RequestError where it does not fit."""
        match self.query_one(f"#{_id(name)}"):
            case InlineSelect() as field:
                return field.chosen or None
            case Checkbox() as field:
                return field.on
            case PathInput() as field:
                return field.path
            case field:
                assert isinstance(field, Input)
                return _value(_declared(self.OPTIONS, name), field.value.strip())


class DrawingForm(OptionForm[FormAnswer]):
    """Returns the request for a study once it is drawn; where that fails, shows why and stays open."""

    @abstractmethod
    def draw(self, request: FormAnswer) -> None:
        """Save the study, away from the app's own thread; raises ReviewerError."""

    def accept(self, answer: FormAnswer) -> None:
        """Draw in the background, since a large dataset takes a moment; the form closes if that succeeds."""
        self.tell("Drawing the sample …")

        def drawn(_: None) -> None:
            self.dismiss(answer)

        def failed(error: ReviewerError) -> None:
            self.complain(str(error))

        in_background(self, "draw", partial(self.draw, answer), drawn, failed)


def _id(name: str) -> str:
    return name.replace("_", "-")


def _declared(options: type[CommandOptions], name: str) -> OptionField:
    return next(entry for part in parts_of(options) for entry in entries(part) if entry.name == name)


def _option(declared: OptionField) -> Option:
    assert declared.option is not None, "a class within has no field of its own"
    return declared.option


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if NoneType in get_args(kind) else (kind,)


def _field(declared: OptionField, value: object, usual: str) -> Widget:
    name, kind, option = _id(declared.name), _alternatives(declared.type), _option(declared)
    if option.meanings:
        empty = {"": usual} if NoneType in kind else {}
        chosen = value if isinstance(value, str) else option.default
        return InlineSelect(empty | dict(option.meanings), id=name, chosen=chosen)
    text = _text(value)
    if FilePath in kind:
        return PathInput(text, id=name, placeholder=usual)
    return Input(text, id=name, placeholder=usual)


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case tuple():
            return ", ".join(value)
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _value(declared: OptionField, text: str) -> Any:
    kind, option = _alternatives(declared.type)[0], _option(declared)
    if option.multiple or get_args(kind):
        return tuple(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))
    if not text:
        return option.default
    return text if kind is str else _number(text, kind, option)


def _number(text: str, kind: type, option: Option) -> int | float:
    """A number within the limits of the option; a share may be a percentage. Raises RequestError."""
    low, high = option.within or (None, None)
    is_share = kind is float and high is not None and high <= 1
    digits = text.removesuffix("%").strip() if is_share else text
    plain = digits.removeprefix("-") if kind is int else digits.replace(".", "", 1)
    if plain.isdecimal() and len(plain) <= _LONGEST_NUMBER:
        number: int | float = kind(digits) / 100 if digits != text else kind(digits)
        if (low is None or low <= number) and (high is None or number <= high):
            return number
    noun = "a whole number" if kind is int else "a number"
    limits = "" if low is None else f" of at least {low:g}" if high is None else f" from {low:g} to {high:g}"
    share = ", or a percentage" if is_share else ""
    raise RequestError(f"{text[:20]!r} is not {noun}{limits}{share}.")
