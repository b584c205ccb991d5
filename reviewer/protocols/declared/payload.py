"""The payload of a declared case: a model made of the fields, and each field as text."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, create_model

from reviewer.core.pane import Dialogue, Text, Turn, Way
from reviewer.core.strict_json import MOST_CHARACTERS
from reviewer.protocols.declared.declaration import Declaration, FieldTable

NOTHING = "(nothing)"
"""What is shown in the place of a text that a case does not have."""
_MOST_ITEMS = 10_000

_PlainText = Annotated[str, StringConstraints(max_length=MOST_CHARACTERS)]


class SaidTurn(BaseModel):
    """One turn of a dialogue: who says what, to whom, and in which way."""

    model_config = ConfigDict(extra="forbid", strict=True)

    speaker: _PlainText = ""
    text: _PlainText
    to: list[_PlainText] = Field(default=[], max_length=100)
    way: Way = "all"


def _whole(number: float) -> float:
    """A whole number without a fraction, so that 3 and 3.0 are one value."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


_Number = Annotated[int | float, AfterValidator(_whole)]
_TYPES: Mapping[str, Any] = {
    "text": _PlainText,
    "number": _Number,
    "list": Annotated[list[_PlainText], Field(max_length=_MOST_ITEMS)],
    "dialogue": Annotated[list[SaidTurn], Field(min_length=1, max_length=_MOST_ITEMS)],
}
_VARIANTS = Field(min_length=2, max_length=9)


def payload_model(declaration: Declaration) -> type[BaseModel]:
    """A model with an attribute for each field, known by the field's name as its alias.

    A field may have any name, also one that a model has already (``json``, ``copy``).
    """
    lists = {
        pane.fields[0]
        for pane in declaration.pane.values()
        if pane.kind == "variants" and len(pane.fields) == 1
    }
    attributes: dict[str, Any] = {
        f"field_{name}": _attribute(name, table, name in lists) for name, table in declaration.fields.items()
    }
    strict = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=())
    return create_model("DeclaredPayload", __config__=strict, **attributes)


def _attribute(name: str, table: FieldTable, as_variants: bool) -> tuple[Any, Any]:
    kind = Annotated[_TYPES[table.type], _VARIANTS] if as_variants else _TYPES[table.type]
    if table.optional:
        return kind | None, Field(default=None, alias=name)
    return kind, Field(alias=name)


def value_text(value: Any) -> str:
    """A value of any type as text: items and turns a line each."""
    match value:
        case None:
            return ""
        case str():
            return value
        case list() | tuple():
            return "\n".join(map(value_text, value))
        case {"text": text}:
            speaker = value_text(value.get("speaker"))
            return f"{speaker}: {value_text(text)}" if speaker else value_text(text)
    return json.dumps(value, ensure_ascii=False)


def dialogue_of(value: Any) -> Dialogue | Text:
    """The turns of a value; as text if they are not turns, as in a case of another version."""
    try:
        turns = [SaidTurn.model_validate(turn) for turn in value]
        return Dialogue(tuple(Turn(turn.speaker, turn.text, tuple(turn.to), turn.way) for turn in turns))
    except (ValueError, TypeError):
        return Text(value_text(value))
