"""Options of a case as the entries of a list: their letters, and values of a row that point to one."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from reviewer.core.sanitize import one_line
from reviewer.protocols.declared.declaration import Declaration, EvaluationTable, PointsBy, PublishedTable
from store.records import JsonValue

LETTERS = tuple(ascii_uppercase)
_NAMES = ("label", "key", "letter", "id", "name")
_OF_TURNS = ("speaker", "role", "from", "author", "to")
"""What turns of a dialogue have, which are no options."""
_TEXTS = ("text", "content", "value", "option", "choice", "answer")


def option_text(item: JsonValue) -> JsonValue:
    """The text of an option that is an object, such as {"label": "A", "text": "…"}; any other as it is."""
    if not isinstance(item, Mapping) or any(name in item for name in _OF_TURNS):
        return item
    texts = [item[name] for name in _TEXTS if isinstance(item.get(name), str | int | float)]
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
