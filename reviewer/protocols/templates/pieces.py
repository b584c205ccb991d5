"""Pieces of templates and of filled texts, and where they stand in a file."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

PieceKind = Literal["literal", "value", "gap"]


@dataclass(frozen=True, slots=True, order=True)
class TextPlace:
    """A place in a file: line and column, both from 1. Line 0 is a place that no file has."""

    line: int = 1
    column: int = 1

    def after(self, text: str) -> "TextPlace":
        """The place behind a text that begins here."""
        if not self.line:
            return self
        lines = text.count("\n")
        if not lines:
            return TextPlace(self.line, self.column + len(text))
        return TextPlace(self.line + lines, len(text) - text.rfind("\n"))

    def within(self, where: str) -> str:
        """The place in words, behind the name of its file or of a part of it."""
        if not self.line:
            return where
        return f"{where}, line {self.line}, column {self.column}"


PlaceOf = Callable[[int], TextPlace]
"""The place of a character of a text in its file."""


@dataclass(frozen=True, slots=True)
class FilledPiece:
    """A piece of a filled text, and where it came from: ``name`` is the value's name or the instruction."""

    text: str
    kind: PieceKind
    name: str = ""


class SourcePlaces:
    """Where texts stand in a file: each is looked for behind the one before it."""

    def __init__(self, source: str) -> None:
        self._source, self._at, self._place = source, 0, TextPlace() if source else TextPlace(0, 0)

    def of(self, text: str) -> TextPlace:
        """The place of the next text that reads like this one; that of the one before it, if none does."""
        start = self._source.find(text, self._at)
        if start < 0:
            return self._place
        return self._moved(start)

    def of_key(self, name: str) -> TextPlace:
        """The place of the next key of this name; that of the text before it, if there is none."""
        key = rf"(?<![\w-])[\"']?{re.escape(name)}[\"']?\s*(?:=|\.|\])"
        match = re.compile(key).search(self._source, self._at)
        return self._moved(match.start()) if match else self._place

    def _moved(self, start: int) -> TextPlace:
        self._place = self._place.after(self._source[self._at : start])
        self._at = start
        return self._place
