"""Forms whose fields are made from the options of a command: types, defaults, choices, limits and help."""

from types import NoneType
from typing import Any, ClassVar, get_args

from textual.widget import Widget
from textual.widgets import Input

from reviewer.core.errors import RequestError
from reviewer.options.option import CommandOptions, FilePath, Option, OptionField, entries, parts_of
from reviewer.tui.dialogs.form import Form, FormAnswer, in_row
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.checkbox import Checkbox
from reviewer.tui.widgets.inline_select import InlineSelect
from reviewer.tui.widgets.path_input import PathInput

_LONGEST_NUMBER = 18


class OptionForm(Form[FormAnswer]):
    """The field of the option ``per_group`` is ``#per-group``; its help shows where the pointer rests."""

    OPTIONS: ClassVar[type[CommandOptions]]

    def row(self, label: str, name: str, value: object = None, usual: str = "") -> Widget:
        """The field of an option beside its label."""
        return in_row(label, self.field(name, value, usual))

    def field(self, name: str, value: object = None, usual: str = "") -> Widget:
        """The field of an option, at first with a value; ``usual`` says what holds if it is left empty."""
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
