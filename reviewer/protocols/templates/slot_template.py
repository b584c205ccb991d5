"""Templates with slots, told at several levels of detail, in a TOML file. No model fills them.

[lists]
city = ["Oslo", "Rome"]

[[templates]]
name = "flight"
group = "Travel"
levels = [["start", "ask"], ["start", "more", "ask"], …]
choices = [{ text = "by plane", key = "first" }, { text = "by car", key = "second" }]
[templates.parts]
start = "I travel to <city>, which is <distance = [3, 9] * 100> km away."
ask = "How do I get there?"

``<name>`` is a word of a list or an earlier value, ``<name = expression>`` a number. A ``<`` before anything
but a letter is text. An instance has one word or number for each name, wherever it stands. A filled text
keeps for each piece where it came from.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import counted, shown
from reviewer.core.source_text import toml_content
from reviewer.protocols.templates.expressions import Compute, ExpressionError, number_text, parse_expression
from reviewer.protocols.templates.pieces import FilledPiece, PlaceOf, SourcePlaces, TextPlace
from reviewer.protocols.templates.template_toml import check_keys, template_tables

_OPENING: Final = re.compile(r"<(?=[A-Za-z_>])")
_SLOT: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:=(.*))?", re.DOTALL)
_DEFINED: Final = re.compile(r"<\s*([A-Za-z_]\w*)\s*=")


@dataclass(frozen=True, slots=True)
class TextSlot:
    """A slot of a text, with the function that computes its number if it defines one."""

    name: str
    expression: str = ""
    compute: Compute | None = field(default=None, compare=False)
    place: TextPlace = field(default=TextPlace(), compare=False)

    @property
    def source(self) -> str:
        """The slot as it is written."""
        return f"<{self.name} = {self.expression}>" if self.expression else f"<{self.name}>"


SlotText = tuple[FilledPiece | TextSlot, ...]
"""Literal pieces and slots."""


def defined_names(texts: Sequence[str]) -> tuple[str, ...]:
    """The names that slots of these texts define, in their order."""
    return tuple(name for text in texts for name in _DEFINED.findall(text))


class SlotReader:
    """Reads the texts of one template in their order. ``later`` are all names that its texts define."""

    def __init__(self, lists: Mapping[str, Sequence[str]], later: Sequence[str], where: str) -> None:
        self._lists, self._later, self._where = lists, later, where
        self._numbers: set[str] = set()

    def parts(self, text: str, place_of: PlaceOf) -> SlotText:
        """The parts of a text; raises InputError with the place of a fault."""
        parts: list[FilledPiece | TextSlot] = []
        at = 0
        while opening := _OPENING.search(text, at):
            start, end = opening.start(), text.find(">", opening.end())
            if end < 0:
                raise self._fault(place_of(start), "a slot is never closed", "add > behind its name")
            if start > at:
                parts.append(FilledPiece(text[at:start], "literal"))
            parts.append(self._slot(text[start + 1 : end], place_of(start)))
            at = end + 1
        if at < len(text):
            parts.append(FilledPiece(text[at:], "literal"))
        return tuple(parts)

    def _slot(self, content: str, place: TextPlace) -> TextSlot:
        if not content.strip():
            raise self._fault(place, "a slot is empty", "name a list between < and >")
        if "<" in content:
            raise self._fault(
                place, "a slot holds another slot or is never closed", "close it before the next"
            )
        slot = _SLOT.fullmatch(content)
        if slot is None:
            raise self._fault(
                place, f"{shown(content)!r} cannot be the name of a slot", "use letters, digits and _"
            )
        name, expression = slot[1], slot[2]
        if expression is None:
            if name not in self._lists:
                self._check(name, place)
            return TextSlot(name, place=place)
        if name in self._lists or name in self._numbers:
            raise self._fault(place, f"<{name}> has a value already", "give the slot another name")
        return TextSlot(name, expression.strip(), self._computed(name, expression, place), place)

    def _computed(self, name: str, expression: str, place: TextPlace) -> Compute:
        def check(used: str) -> None:
            if used == name:
                raise ExpressionError("refers to itself", "use earlier values only")
            self._check(used, place)

        try:
            compute = parse_expression(expression, check)
        except ExpressionError as fault:
            raise self._fault(place, f"<{name}> {fault.wrong}", fault.remedy) from None
        self._numbers.add(name)
        return compute

    def _check(self, name: str, place: TextPlace) -> None:
        if name in self._numbers:
            return
        if name in self._lists:
            raise self._fault(place, f"{shown(name)} is a list of words, not a number", "use a number's name")
        if name in self._later:
            wrong = f"refers to <{name}>, whose value stands later"
            raise self._fault(place, wrong, "put the slot with its expression first")
        raise self._fault(place, f"no list and no slot is named {shown(name)!r}", "add a list of this name")

    def _fault(self, place: TextPlace, wrong: str, remedy: str) -> InputError:
        return InputError(place.within(self._where), wrong, remedy)


def sampled_slots(
    texts: Sequence[SlotText], lists: Mapping[str, Sequence[str]], chance: random.Random, where: str
) -> dict[str, str]:
    """A word or number for each slot of these texts, in their order; raises InputError."""
    values: dict[str, str] = {}
    numbers: dict[str, Fraction] = {}
    for text in texts:
        for part in text:
            if isinstance(part, FilledPiece):
                continue
            if part.compute:
                try:
                    numbers[part.name] = part.compute(numbers, chance)
                except ExpressionError as fault:
                    at = part.place.within(where)
                    raise InputError(at, f"<{part.name}> {fault.wrong}", fault.remedy) from None
                values[part.name] = number_text(numbers[part.name])
            elif part.name not in values:
                values[part.name] = chance.choice(lists[part.name])
    return values


def slot_source(text: SlotText) -> str:
    """The text as it is written."""
    return "".join(part.text if isinstance(part, FilledPiece) else part.source for part in text)


def filled_slots(text: SlotText, values: Mapping[str, str]) -> list[FilledPiece]:
    """The pieces of a text for these values."""
    return [
        part if isinstance(part, FilledPiece) else FilledPiece(values[part.name], "value", part.name)
        for part in text
    ]


_DRAWS: Final = 200
_TRIALS: Final = 100
_KEYS: Final = ("name", "group", "parts", "levels", "choices")
_BLANK: Final = FilledPiece(" ", "literal")
_Pieces = tuple[FilledPiece, ...]


@dataclass(frozen=True, slots=True)
class SlotChoice:
    """A choice with slots, and its key."""

    text: SlotText
    key: str
    place: TextPlace


@dataclass(frozen=True, slots=True)
class FilledSlots:
    """One filling: the pieces of each level and of each choice with its key, and each slot's value."""

    levels: tuple[_Pieces, ...]
    choices: tuple[tuple[_Pieces, str], ...]
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SlotTemplate:
    """A template: parts by name, the parts of each level, and choices. ``where`` names it in messages."""

    name: str
    group: str
    parts: Mapping[str, SlotText]
    levels: tuple[tuple[str, ...], ...]
    choices: tuple[SlotChoice, ...]
    lists: Mapping[str, tuple[str, ...]]
    where: str
    place_of_levels: TextPlace = field(default=TextPlace(), compare=False)

    @property
    def texts(self) -> tuple[SlotText, ...]:
        """The texts of all parts, then those of the choices."""
        return (*self.parts.values(), *(choice.text for choice in self.choices))

    def try_out(self) -> None:
        """Raise InputError for a slot that some draws make impossible: the lowest, the highest or others."""
        for chance in (_End(0), _End(1), *map(random.Random, range(_TRIALS))):
            sampled_slots(self.texts, self.lists, chance, self.where)

    def fillings(self, number: int, seed: int) -> Iterator[FilledSlots]:
        """Different fillings; raises InputError if there are too few. The same seed gives the same ones."""
        chance = random.Random(f"{seed}/{self.group}/{self.name}")  # noqa: S311  # no secret is drawn
        seen: set[tuple[tuple[str, str], ...]] = set()
        for at in range(number):
            for _ in range(_DRAWS):
                values = sampled_slots(self.texts, self.lists, chance, self.where)
                key = tuple(values.items())
                if key not in seen:
                    break
            else:
                wrong = f"has only {counted(len(seen), 'different filling')}, not {number}"
                raise InputError(self.where, wrong, "add words or numbers, or ask for fewer")
            seen.add(key)
            yield self._filled(values, at)

    def _filled(self, values: Mapping[str, str], at: int) -> FilledSlots:
        """Choices begin with another one in each filling, so that no key has a place of its own."""
        parts = {name: filled_slots(text, values) for name, text in self.parts.items()}
        first = at % len(self.choices)
        choices = tuple(
            (tuple(filled_slots(choice.text, values)), choice.key)
            for choice in (*self.choices[first:], *self.choices[:first])
        )
        return FilledSlots(
            tuple(tuple(_joined([parts[name] for name in names])) for names in self.levels), choices, values
        )


class _End(random.Random):
    """Draws the same end of each range: 0 is the lower one and 1 the upper one."""

    def __init__(self, end: int) -> None:
        super().__init__(0)
        self._end = end

    def randint(self, a: int, b: int) -> int:
        return (a, b)[self._end]


def _joined(parts: list[list[FilledPiece]]) -> Iterator[FilledPiece]:
    for number, pieces in enumerate(parts):
        if number:
            yield _BLANK
        yield from pieces


def has_slots(content: Mapping[str, Any]) -> bool:
    """Whether the content of a TOML file is of this form: it has word lists, or templates with parts."""
    return "lists" in content or bool(_keys_of_first(content) & {"parts", "levels"})


def _keys_of_first(content: Mapping[str, Any]) -> set[str]:
    tables = content.get("templates")
    first = tables[0] if isinstance(tables, list) and tables else None
    return set(first) if isinstance(first, Mapping) else set()


def slot_templates(text: str, where: str, levels: int) -> tuple[SlotTemplate, ...]:
    """The templates of a TOML file, each with ``levels`` levels; raises InputError with the place of a
    fault."""
    content = toml_content(text, where)
    if "variants" in _keys_of_first(content):
        remedy = "generate cases with `reviewer generate --settings`"
        raise InputError(where, "holds templates with gaps, which a model fills", remedy)
    check_keys(content, ("lists", "templates"), where)
    lists = {
        name: _list_of(words, f"{where}, list {shown(name)}")
        for name, words in _table(content.get("lists", {}), where, "lists").items()
    }
    tables = template_tables(content, where)
    if not tables:
        raise InputError(where, "holds no template", "begin each with [[templates]]")
    places = SourcePlaces(text)
    templates = tuple(_template(_table(table, where, "a template"), lists, places, where) for table in tables)
    for template in templates:
        if len(template.levels) != levels:
            has = counted(len(template.levels), "level")
            place = template.place_of_levels.within(template.where)
            raise InputError(place, f"has {has}", f"give {levels} lists of parts")
    names = [(template.group, template.name) for template in templates]
    for group, name in names:
        if names.count((group, name)) > 1:
            raise InputError(where, f"has the template {shown(name)} of {shown(group)} twice", "rename one")
    return templates


def _template(
    table: Mapping[str, Any], lists: Mapping[str, tuple[str, ...]], places: SourcePlaces, file: str
) -> SlotTemplate:
    name = _text_in(table, "name", f"{file}, a template")
    where = f"{file}, template {shown(name)}"
    check_keys(table, _KEYS, where)
    group = _text_in(table, "group", where)
    given = _table(table.get("parts", {}), where, "parts")
    parts = {key: _text_in(given, key, where) for key in given}
    choices = [_choice(choice, where) for choice in _list_in(table, "choices", where)]
    starts, of_levels = _starts(table, parts, [text for text, _ in choices], places)
    texts = (*parts.values(), *(text for text, _ in choices))
    reader = SlotReader(lists, defined_names(texts), where)
    read = [reader.parts(text, partial(_place_in, text, starts[text])) for text in texts]
    return SlotTemplate(
        name,
        group,
        dict(zip(parts, read, strict=False)),
        _levels(table, parts, of_levels.within(where)),
        tuple(
            SlotChoice(read_text, key, starts[text])
            for read_text, (text, key) in zip(read[len(parts) :], choices, strict=True)
        ),
        lists,
        where,
        of_levels,
    )


def _place_in(text: str, start: TextPlace, offset: int) -> TextPlace:
    return start.after(text[:offset])


def _starts(
    table: Mapping[str, Any], parts: Mapping[str, str], choices: list[str], places: SourcePlaces
) -> tuple[dict[str, TextPlace], TextPlace]:
    """Where each text stands, and the levels, looked for in the order of the file."""
    in_order = {"parts": list(parts.values()), "choices": choices}
    starts, of_levels = dict[str, TextPlace](), TextPlace(0, 0)
    for key in table:
        if key == "levels":
            of_levels = places.of_key(key)
        starts |= {text: places.of(text) for text in in_order.get(key, ())}
    return starts, of_levels


def _levels(table: Mapping[str, Any], parts: Mapping[str, str], where: str) -> tuple[tuple[str, ...], ...]:
    levels = _list_in(table, "levels", where)
    read = tuple(_list_of(level, f"{where}, level {number}") for number, level in enumerate(levels, 1))
    used = {name for level in read for name in level}
    if unknown := sorted(used - set(parts)):
        raise InputError(
            where, f"has no part {shown(unknown[0])}, which a level names", "add it to the parts"
        )
    if unused := [name for name in parts if name not in used]:
        raise InputError(where, f"has the part {shown(unused[0])} in no level", "add it to one, or remove it")
    return read


def _choice(content: Any, where: str) -> tuple[str, str]:
    table = _table(content, where, "a choice")
    check_keys(table, ("text", "key"), where)
    return _text_in(table, "text", where), _text_in(table, "key", where)


def _table(content: Any, where: str, what: str) -> Mapping[str, Any]:
    if not isinstance(content, Mapping):
        raise InputError(where, f"has {what} that is not a table", "give keys with values")
    return content


def _list_in(table: Mapping[str, Any], key: str, where: str) -> list[Any]:
    content = table.get(key)
    if not isinstance(content, list) or not content:
        raise InputError(where, f"has no list of {key}", f"give {key} in brackets")
    return content


def _list_of(content: Any, where: str) -> tuple[str, ...]:
    """The texts of a list that is not empty."""
    is_list = isinstance(content, list) and content
    if not is_list or not all(isinstance(text, str) and text.strip() for text in content):
        raise InputError(where, "is not a list of texts", "give texts in brackets")
    return tuple(content)


def _text_in(table: Mapping[str, Any], key: str, where: str) -> str:
    content = table.get(key)
    if not isinstance(content, str) or not content.strip():
        raise InputError(where, f"has no text as its {shown(key)}", "give a text")
    return content.strip()
