"""The payload of a declared case: a model made of the fields, each field as text, and the panes."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, create_model

from reviewer.core.dialogue import Dialogue, Turn, Way
from reviewer.core.pane import Body, Code, Pair, Pane, Text, Variants
from reviewer.core.strict_json import MOST_CHARACTERS
from reviewer.core.table import Table
from reviewer.protocols.declared.declaration import MOST_ENTRIES, Declaration, FieldTable, PaneTable
from reviewer.protocols.declared.output_panes import output_lists, pane_of_each
from reviewer.protocols.declared.row_values import LETTERS
from reviewer.protocols.payload_text import whole_number
from store.records import Finding, Measurement

Values = Mapping[str, Any]
"""The values of a case by field."""
NOTHING = "(nothing)"
"""What is shown in the place of a text that a case does not have."""
IDENTITY = "_identity"
"""The digest of the columns of ``[source] identity`` in a payload. No field can have this name."""
_MOST_ITEMS = 10_000

_PlainText = Annotated[str, StringConstraints(max_length=MOST_CHARACTERS)]


class SaidTurn(BaseModel):
    """One turn of a dialogue: its speaker, its text, to whom it is said, and in which way."""

    model_config = ConfigDict(extra="forbid", strict=True)

    speaker: _PlainText = ""
    text: _PlainText
    to: list[_PlainText] = Field(default=[], max_length=100)
    way: Way = "all"


_Number = Annotated[int | float, AfterValidator(whole_number)]
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
    questions = declaration.question.values()
    asked = {table.each for table in questions if pane_of_each(table, declaration) is None}
    outputs = output_lists(declaration)
    attributes: dict[str, Any] = {
        f"field_{name}": _attribute(name, table, _size(name in lists, name in asked, outputs.get(name)))
        for name, table in declaration.fields.items()
    }
    if declaration.source.identity:
        attributes["identity"] = (_PlainText | None, Field(default=None, alias=IDENTITY))
    strict = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=())
    return create_model("DeclaredPayload", __config__=strict, **attributes)


def _size(as_variants: bool, asked_by_entry: bool, outputs: int | None) -> Any:
    """The limits of a list of outputs, one shown as variants, or one whose entries are asked about."""
    if outputs:
        return Field(min_length=outputs, max_length=outputs)
    return _VARIANTS if as_variants else Field(max_length=MOST_ENTRIES) if asked_by_entry else None


def _attribute(name: str, table: FieldTable, size: Any) -> tuple[Any, Any]:
    kind = _TYPES[table.type] if size is None else Annotated[_TYPES[table.type], size]
    if table.optional:
        return kind | None, Field(default=None, alias=name)
    return kind, Field(alias=name)


def own_fields(payload: Values) -> dict[str, Any]:
    """The declared fields of a payload, without what only tells equal cases apart."""
    return {name: value for name, value in payload.items() if name != IDENTITY}


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


LabelsMeant = Callable[[str, Any], tuple[str, str]]
"""Gives the label that a published value stands for, and the same label on exchanged sides; "" if none."""

_FEWEST_VARIANTS, _MOST_VARIANTS = 2, 9


def declared_panes(
    declaration: Declaration,
    payload: Values,
    definition: str,
    measurements: Sequence[Measurement],
    findings: Sequence[Finding],
    labels_meant: LabelsMeant,
) -> Iterator[Pane]:
    """The declared panes that have content, then the definition, published values and findings."""
    published = {value.name: value.value for value in measurements if value.source == "published"}
    for key, table in declaration.pane.items():
        values = {
            name: value for name in table.fields if (value := _value(name, payload, published)) is not None
        }
        if values:
            title = table.title or key.replace("_", " ")
            yield Pane(key, title, _body(table, values, declaration, labels_meant))
    if definition:
        yield Pane("definition", f"definition of the {declaration.protocol.group_noun}", Text(definition))
    in_panes = {name for table in declaration.pane.values() for name in table.fields}
    if others := {name: value for name, value in published.items() if name not in in_panes}:
        yield Pane("published", "published values", _table(others, declaration, labels_meant))
    failed = [
        (finding.check if finding.tested else f"{finding.check} (not tested)", finding.why)
        for finding in findings
        if not finding.passed
    ]
    if failed:
        yield Pane("findings", "findings", Table.of(("check", "why"), failed))


def _value(name: str, payload: Values, published: Values) -> Any:
    value = payload.get(name)
    return published.get(name) if value is None else value


def _body(table: PaneTable, values: Values, declaration: Declaration, labels_meant: LabelsMeant) -> Body:
    first, *others = table.fields
    match table.kind:
        case "pair" if others:
            left, right = (_source(table, values.get(name)) for name in (first, others[0]))
            titles = _titles(table, declaration)
            return Pair(titles[0], titles[1], left, right, table.reworded, table.compared)
        case "variants" if (texts := _variants(table, values, declaration)) is not None:
            return texts
        case "dialogue":
            return dialogue_of(values.get(first))
        case "code":
            return Code(value_text(values.get(first)), table.language)
        case "table":
            return _table(values, declaration, labels_meant)
    return Text(_text(values, declaration, lettered=table.lettered))


def _source(table: PaneTable, value: Any) -> Text | Code:
    text = NOTHING if value is None else value_text(value)
    return Code(text, table.language) if table.language else Text(text)


def _titles(table: PaneTable, declaration: Declaration) -> tuple[str, ...]:
    return table.titles or tuple(map(declaration.title_of, table.fields))


def _variants(table: PaneTable, values: Values, declaration: Declaration) -> Variants | None:
    """Two to nine texts; None if the case has another number, as one of another version may."""
    titles, texts = _titles(table, declaration), [values.get(name) for name in table.fields]
    if len(table.fields) == 1:
        texts = values[table.fields[0]]
        if not isinstance(texts, list):
            return None
        titles = (
            table.titles if len(table.titles) == len(texts) else tuple(map(str, range(1, len(texts) + 1)))
        )
    if not _FEWEST_VARIANTS <= len(texts) <= _MOST_VARIANTS:
        return None
    pairs = zip(titles, (_source(table, text) for text in texts), strict=True)
    return Variants(tuple(pairs), table.compared)


def _text(values: Values, declaration: Declaration, *, lettered: bool) -> str:
    if lettered:
        values = {name: _lettered(value) for name, value in values.items()}
    if len(values) == 1:
        return value_text(next(iter(values.values())))
    return "\n\n".join(f"{declaration.title_of(name)}\n{value_text(value)}" for name, value in values.items())


def _lettered(value: Any) -> Any:
    """The entries of a list with their letters."""
    if not isinstance(value, list):
        return value
    return [f"{LETTERS[at]}. {value_text(item)}" for at, item in enumerate(value[: len(LETTERS)])]


def _table(values: Values, declaration: Declaration, labels_meant: LabelsMeant) -> Table:
    """Names and contents; an opinion has the label that it stands for, on the sides as they are shown."""
    rows, mirrored = [], []
    for row, (name, value) in enumerate(values.items()):
        text, (label, across) = value_text(value), labels_meant(name, value)
        rows.append((declaration.title_of(name), f"{text} = {label}" if label not in ("", text) else text))
        if label != across:
            mirrored.append((row, 1, f"{text} = {across}, as you see it"))
    return replace(Table.of(("name", "content"), rows), mirrored=tuple(mirrored))
