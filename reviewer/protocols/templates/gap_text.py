"""Texts with gaps for a model, ``[[instruction]]``, and with sampled values, ``{{name}}``.

A gap may hold values. It may hold another gap only to refer to it: one that stands by itself in an earlier
text. A filled text keeps for each piece where it came from.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.protocols.templates.pieces import FilledPiece, PieceKind, PlaceOf, TextPlace

_TOKEN: Final = re.compile(r"\[\[|\]\]|\{\{|\}\}")


@dataclass(frozen=True, slots=True)
class TemplatePart:
    """One part of a template's text. ``text`` is the literal text, the value's name or the gap's instruction.

    ``parts`` are those of a gap's instruction.
    """

    kind: PieceKind
    text: str
    parts: tuple["TemplatePart", ...] = ()
    place: TextPlace = field(default=TextPlace(), compare=False)


TemplateText = tuple[TemplatePart, ...]


def parse_gap_text(text: str, place_of: PlaceOf, where: str, referable: Collection[str] = ()) -> TemplateText:
    """The parts of a text; raises InputError. ``referable`` are instructions that a gap may hold as a gap."""
    return _Reader(text, place_of, where, referable).parts()


class _Reader:
    """Goes through the brackets of one text."""

    def __init__(self, text: str, place_of: PlaceOf, where: str, referable: Collection[str]) -> None:
        self._text, self._place_of, self._where, self._referable = text, place_of, where, referable
        self._tokens = [(match[0], match.start()) for match in _TOKEN.finditer(text)]
        self._next = 0
        self._at = 0

    def parts(self) -> TemplateText:
        parts: list[TemplatePart] = []
        while self._next < len(self._tokens):
            token, start = self._tokens[self._next]
            parts += self._literal(start)
            if token == "[[":  # noqa: S105  # a bracket
                parts.append(self._gap(start, inside=False))
            elif token == "{{":  # noqa: S105  # a bracket
                parts.append(self._value(start))
            elif token == "]]":  # noqa: S105  # a bracket
                raise self._fault(
                    start, "closes a gap that is not open", "remove these brackets, or open the gap with [["
                )
            else:
                raise self._fault(
                    start, "closes a value that is not open", "remove these braces, or open the value with {{"
                )
        parts += self._literal(len(self._text))
        return tuple(parts)

    def _gap(self, start: int, *, inside: bool) -> TemplatePart:
        """The gap that opens here, with the reading behind its end."""
        self._advance()
        parts: list[TemplatePart] = []
        while self._next < len(self._tokens):
            token, at = self._tokens[self._next]
            parts += self._literal(at)
            if token == "]]":  # noqa: S105  # a bracket
                self._advance()
                return self._closed_gap(start, at, tuple(parts))
            if token == "{{":  # noqa: S105  # a bracket
                parts.append(self._value(at))
            elif token == "[[" and not inside:  # noqa: S105  # a bracket
                parts.append(self._reference(at))
            else:
                break
        raise self._fault(start, "opens a gap that is never closed", "close it with ]]")

    def _closed_gap(self, start: int, end: int, parts: TemplateText) -> TemplatePart:
        instruction = self._text[start + 2 : end].strip()
        if not instruction:
            raise self._fault(start, "has an empty gap", "write between [[ and ]] what belongs there")
        return TemplatePart("gap", instruction, _without_outer_blanks(parts), self._place_of(start))

    def _reference(self, start: int) -> TemplatePart:
        gap = self._gap(start, inside=True)
        if gap.text not in self._referable:
            raise self._fault(
                start,
                f"has the gap {shown(gap.text)!r} inside another gap, and no gap before it is called that",
                "write it without brackets, or name a gap that stands by itself in the control text",
            )
        return replace(gap, parts=())

    def _value(self, start: int) -> TemplatePart:
        self._advance()
        token, end = self._tokens[self._next] if self._next < len(self._tokens) else ("", 0)
        if token != "}}":  # noqa: S105  # a bracket
            raise self._fault(start, "opens a value that is never closed", "close it with }}")
        self._advance()
        name = self._text[start + 2 : end].strip()
        if not name:
            raise self._fault(start, "has a value without a name", "write its name between {{ and }}")
        return TemplatePart("value", name, (), self._place_of(start))

    def _literal(self, end: int) -> list[TemplatePart]:
        text, start = self._text[self._at : end], self._at
        self._at = end
        return [TemplatePart("literal", text, (), self._place_of(start))] if text else []

    def _advance(self) -> None:
        token, start = self._tokens[self._next]
        self._next += 1
        self._at = start + len(token)

    def _fault(self, at: int, wrong: str, remedy: str) -> InputError:
        return InputError(self._place_of(at).within(self._where), wrong, remedy)


def _without_outer_blanks(parts: TemplateText) -> TemplateText:
    """The parts of an instruction without blanks at its ends, which are not kept."""
    trimmed = list(parts)
    for at, strip in ((0, str.lstrip), (-1, str.rstrip)):
        if trimmed and trimmed[at].kind == "literal":
            trimmed[at] = replace(trimmed[at], text=strip(trimmed[at].text))
    return tuple(part for part in trimmed if part.text)


def top_gaps(parts: Sequence[TemplatePart]) -> Iterator[str]:
    """The instructions of the gaps that stand by themselves."""
    return (part.text for part in parts if part.kind == "gap")


def template_source(parts: Sequence[TemplatePart]) -> str:
    """The text that these parts were read from; blanks at the ends of gaps and names are not kept."""
    brackets = {"literal": ("", ""), "value": ("{{", "}}"), "gap": ("[[", "]]")}
    return "".join(part.text.join(brackets[part.kind]) for part in parts)


def parts_of_kind(parts: Sequence[TemplatePart], kind: PieceKind) -> Iterator[TemplatePart]:
    """All values or gaps of a text, those within gaps too, in their order."""
    for part in parts:
        if part.kind == kind:
            yield part
        yield from parts_of_kind(part.parts, kind)


def instruction_text(gap: TemplatePart, values: Mapping[str, str], fills: Mapping[str, str]) -> str:
    """What a model is told to write into a gap: values and gaps that it refers to are filled in."""
    if not gap.parts:
        return gap.text
    pieces = filled_pieces(gap.parts, values, fills)
    return "".join(piece.text for piece in pieces).strip()


def filled_pieces(
    parts: Sequence[TemplatePart], values: Mapping[str, str], fills: Mapping[str, str]
) -> tuple[FilledPiece, ...]:
    """The text with its values and fills (by instruction). A gap without a fill stays as it is written.

    Raises KeyError for a value that is not given.
    """
    return tuple(_piece(part, values, fills) for part in parts)


def _piece(part: TemplatePart, values: Mapping[str, str], fills: Mapping[str, str]) -> FilledPiece:
    match part.kind:
        case "literal":
            return FilledPiece(part.text, "literal")
        case "value":
            return FilledPiece(values[part.text], "value", part.text)
        case "gap":
            open_gap = f"[[{instruction_text(part, values, fills)}]]"
            return FilledPiece(fills.get(part.text, open_gap), "gap", part.text)
