"""Texts with slots: ``<name>`` from a word list or an earlier value, ``<name = expression>`` for a number.

A ``<`` before anything but a letter is text. An instance has one word or number for each name, wherever it
stands. A filled text keeps for each piece where it came from.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.protocols.templates.expressions import Compute, ExpressionError, number_text, parse_expression
from reviewer.protocols.templates.pieces import FilledPiece, PlaceOf, TextPlace

_OPENING: Final = re.compile(r"<(?=[A-Za-z_>])")
_SLOT: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:=(.*))?", re.DOTALL)
_DEFINED: Final = re.compile(r"<\s*([A-Za-z_]\w*)\s*=")


@dataclass(frozen=True, slots=True)
class TextSlot:
    """A slot of a text, with what computes its number if it defines one."""

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
