"""Values of rows as the types of declared fields: text, number, list, dialogue; and options of a case.

Options are the entries of a list. Their letters, numbers or texts in other columns point to one of them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from string import ascii_uppercase
from typing import Any

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.strict_json import kind_of, parse
from reviewer.protocols.declared.declaration import (
    Declaration,
    EvaluationTable,
    FieldType,
    PointsBy,
    PublishedTable,
)
from store.records import JsonValue

LETTERS = tuple(ascii_uppercase)
_NAMES = ("label", "key", "letter", "id", "name")
_OF_TURNS = ("speaker", "role", "from", "author", "to")
"""What turns of a dialogue have, which are no options."""
_OPTION_TEXTS = ("text", "content", "value", "option", "choice", "answer")


def option_text(item: JsonValue) -> JsonValue:
    """The text of an option that is an object, such as {"label": "A", "text": "…"}; any other as it is."""
    if not isinstance(item, Mapping) or any(name in item for name in _OF_TURNS):
        return item
    texts = [item[name] for name in _OPTION_TEXTS if isinstance(item.get(name), str | int | float)]
    return texts[0] if texts else item


def option_names(options: JsonValue, beside: JsonValue) -> list[str]:
    """The names that the options have: in their objects, or in a list ``beside`` that of their texts."""
    if isinstance(beside, list):
        return [str(name) for name in beside]
    items = options if isinstance(options, list) else []
    named = (
        next((str(item[key]) for key in _NAMES if item.get(key) is not None), "")
        for item in items
        if isinstance(item, Mapping)
    )
    return [*named]


def pointed_at(
    value: JsonValue, by: PointsBy, texts: Sequence[str], names: Sequence[str], counts_from: int
) -> int | None:
    """The place of the option that a value points to, from 0; None if it points to none, or to several."""
    said = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    if by == "place":
        place = int(said) - counts_from if said.isascii() and said.isdigit() else -1
        return place if 0 <= place < len(texts) else None
    known = {"letter": LETTERS[: len(texts)], "name": names, "text": texts}[by]
    wanted = said.strip("().: ") if by == "letter" else said
    places = [at for at, name in enumerate(known) if name.strip().casefold() == wanted.casefold()]
    return places[0] if len(places) == 1 and places[0] < len(texts) else None


def letter_of(value: JsonValue, table: PublishedTable, texts: Sequence[str], names: Sequence[str]) -> str:
    """The letter of the option that a published value points to; raises ValueError with wrong and remedy."""
    place = pointed_at(value, table.points_by, texts, names, table.counts_from)
    if place is None:
        how = {
            "place": f"a place from {table.counts_from} to {len(texts) - 1 + table.counts_from}",
            "letter": f"a letter from A to {LETTERS[max(0, len(texts) - 1)]}",
            "text": "the text of one option",
            "name": f"the name of one option ({', '.join(names) or 'they have none'})",
        }[table.points_by]
        raise ValueError(f"is {one_line(str(value), 40)!r}, which is not {how}", "correct it, or points_by")
    return LETTERS[place]


def choice_list(declaration: Declaration, table: EvaluationTable) -> str | None:
    """The field whose entries are the choices; None if each choice has a field of its own."""
    one = declaration.fields.get(table.choices[0]) if len(table.choices) == 1 else None
    return table.choices[0] if one is not None and one.type == "list" else None


def labels_of(declaration: Declaration, table: EvaluationTable) -> tuple[str, ...]:
    """The labels of the table, else the titles of the choices; of a list, the letters of its question."""
    field = choice_list(declaration, table)
    if table.labels or field is None:
        return table.labels or tuple(map(declaration.title_of, table.choices))
    asking = (question.labels for question in declaration.question.values() if question.options == field)
    return next(asking, ())


_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_LONGEST_NUMBER = 25
# 0,85 and 1.234,5 are clear; 1,234 may be either.
_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_SPEAKER = re.compile(r"\s*([^\s:][^:\n]{0,59}):(?:\s+(.*))?$")
_SPEAKERS = ("speaker", "role", "from", "name", "author")
_TEXTS = ("text", "content", "value", "message", "utterance")
_ADDRESSEES = ("to", "addressee", "addressees", "recipient", "recipients")
WAYS = ("one", "some", "all", "system")
_OF_LISTS: tuple[FieldType, ...] = ("list", "dialogue")
_TURN = 'write each turn as {"speaker": "…", "text": "…"}'


def value_of_type(value: JsonValue, kind: FieldType) -> JsonValue:
    """A value of a typed file as a field's type; raises ValueError with the fault and the remedy."""
    match kind:
        case "text":
            return _text(value)
        case "number":
            return _number(value)
        case "list":
            return _list(value)
        case "dialogue":
            return turns_of(value)


def value_of_cell(cell: str, kind: FieldType) -> JsonValue:
    """A cell of a CSV file as a field's type; raises ValueError with the fault and the remedy."""
    if kind == "text":
        return cell
    if kind == "number":
        number = number_in(_with_point(cell.strip()))
        if isinstance(number, str) and _NUMBER.fullmatch(number):
            number = float(number) if re.search(r"[.eE]", number) else int(number)
        return _number(number)
    if kind == "dialogue" and not cell.lstrip().startswith("["):
        return turns_of(cell)
    try:
        value = parse(cell, "")
    except InputError as error:
        raise ValueError(f"{error.wrong}", 'write a JSON list such as ["one", "two"]') from None
    return value_of_type(value, kind)


def _with_point(cell: str) -> str:
    """A number with a decimal comma as one with a point; raises ValueError if the comma may mean either."""
    if not _DECIMAL_COMMA.fullmatch(cell):
        return cell
    if _EITHER.fullmatch(cell):
        wrong = f"holds {cell}, whose comma may be a decimal sign or part thousands"
        raise ValueError(wrong, "write it with a decimal point, or without a sign for thousands")
    return cell.replace(".", "").replace(",", ".")


def number_or_text(cell: str) -> JsonValue:
    """The number that a cell holds, also with a decimal comma, or its text.

    Raises ValueError with the fault and the remedy where a comma may be a decimal sign or part thousands.
    """
    written = cell.strip()
    if len(written) < _LONGEST_NUMBER and _DECIMAL_COMMA.fullmatch(written):
        return float(_with_point(written))
    return number_in(cell)


def fitting_type(value: JsonValue) -> tuple[FieldType, str] | None:
    """The type that a value has, with the steps to the part that has it; None if no part has any.

    The steps are those of a column name, such as ``.0.text``, and "" for the value itself.
    """
    inner: Iterable[tuple[object, JsonValue]] = ()
    match value:
        case bool():
            return None
        case str():
            return "text", ""
        case int() | float():
            return "number", ""
        case list():
            for kind in _OF_LISTS:
                with suppress(ValueError):
                    if value and value_of_type(value, kind):
                        return kind, ""
            inner = enumerate(value)
        case dict():
            inner = ((name, item) for name, item in value.items() if name and "." not in name)
    parts = ((step, fitting_type(item)) for step, item in inner)
    return next(((part[0], f".{step}{part[1]}") for step, part in parts if part), None)


def number_in(cell: str) -> JsonValue:
    """The number that a cell holds if the number is written exactly so, else its text."""
    if len(cell) < _LONGEST_NUMBER and _NUMBER.fullmatch(cell):
        for read in (int, float):
            try:
                number = read(cell)
            except ValueError:
                continue
            if str(number) == cell:
                return number
    return cell


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    is_scalar = isinstance(value, bool | int | float)
    remedy = "write it in quotes" if is_scalar else "write it as a text"
    raise ValueError(f"is {kind_of(value)}, not a text", remedy)


def _number(value: JsonValue) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ValueError(f"is {kind_of(value)}, not a number", "write it as a number")


def _list(value: JsonValue) -> list[str]:
    """A list of texts; numbers in it are written as texts, and of options that are objects their texts."""
    if not isinstance(value, list):
        raise ValueError(f"is {kind_of(value)}, not a list", "write it as a list")
    items = [option_text(item) for item in value]
    for number, item in enumerate(items, 1):
        if not isinstance(item, str | int | float) or isinstance(item, bool):
            raise ValueError(f"holds {kind_of(item)} as item {number}", "give texts or numbers")
    return list(map(str, items))


def turns_of(value: JsonValue) -> list[dict[str, JsonValue]]:
    """A dialogue as turns with ``speaker``, ``text``, ``to`` and ``way``.

    A list holds objects or pairs of speaker and text. A text has lines that begin with a speaker and a colon;
    other lines go on with the turn above. Raises ValueError with the fault and the remedy.
    """
    if isinstance(value, str):
        return _spoken_lines(value)
    if not isinstance(value, list):
        raise ValueError(f"is {kind_of(value)}, not a dialogue", f"give a list; {_TURN}")
    return [_turn(turn, number) for number, turn in enumerate(value, 1)]


def _spoken_lines(text: str) -> list[dict[str, JsonValue]]:
    turns: list[dict[str, JsonValue]] = []
    for line in text.splitlines():
        if spoken := _SPEAKER.fullmatch(line):
            turns.append(_made(spoken[1].strip(), spoken[2] or ""))
        elif turns:
            turns[-1]["text"] = f"{turns[-1]['text']}\n{line}"
        elif line.strip():
            wrong = "is a text that does not begin with a speaker and a colon"
            raise ValueError(wrong, "write each turn as SPEAKER: TEXT")
    return [{**turn, "text": str(turn["text"]).strip()} for turn in turns]


def _turn(turn: JsonValue, number: int) -> dict[str, JsonValue]:
    if isinstance(turn, list) and len(turn) == 2 and all(isinstance(part, str) for part in turn):
        return _made(*turn)
    if not isinstance(turn, Mapping):
        raise ValueError(f"holds {kind_of(turn)} as turn {number}", _TURN)
    speaker, text = _first_text(turn, _SPEAKERS), _first_text(turn, _TEXTS)
    if speaker is None or text is None:
        lacking = "a speaker" if speaker is None else "a text"
        raise ValueError(f"lacks {lacking} in turn {number}", _TURN)
    to = next((turn[name] for name in _ADDRESSEES if turn.get(name)), ())
    listed = [to] if isinstance(to, str) else to
    if not (isinstance(listed, list | tuple) and all(isinstance(name, str) for name in listed)):
        raise ValueError(
            f"has {kind_of(to)} as the addressee of turn {number}", "give a text or a list of texts"
        )
    way = turn.get("way")
    if way is not None and way not in WAYS:
        raise ValueError(f"has an unknown way in turn {number}", f"use one of: {', '.join(WAYS)}")
    return _made(speaker, text, list(listed), way)


def _made(speaker: str, text: str, to: list[str] | None = None, way: Any = None) -> dict[str, JsonValue]:
    usual = {0: "all", 1: "one"}.get(len(to or ()), "some")
    return {"speaker": speaker, "text": text, "to": to or [], "way": way or usual}


def _first_text(turn: Mapping[str, JsonValue], names: tuple[str, ...]) -> str | None:
    return next((turn[name] for name in names if isinstance(turn.get(name), str)), None)
