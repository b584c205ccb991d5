"""A dataset file in pieces, one for each place: what the file is put together from when it is written again.

A piece is the file's own shape (group → list of records) around one record, in the file's order and spelling.
Groups without any record stand in the piece of the record after them, or of the last one.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from reviewer.protocols.formats import Reading
from store.records import JsonValue

Piece = dict[str, list[JsonValue]]


class FilePieces:
    """Collects the pieces of a file while it is read."""

    def __init__(self) -> None:
        self._pieces: dict[str, Piece] = {}
        self._group = ""
        self._next: Piece = {}

    def begin(self, group: str) -> None:
        """The records of this group follow, if it has any."""
        self._group = group
        self._next[group] = []

    def add(self, key: str, record: JsonValue) -> None:
        """The next record, which was taken in at a place of this key."""
        self._next[self._group] = [record]
        self._pieces[key], self._next = self._next, {}

    def added_to(self, reading: Reading) -> Reading:
        """The cases, each with its piece."""
        if self._pieces:
            next(reversed(self._pieces.values())).update(self._next)
        return replace(
            reading, cases=tuple(replace(each, raw=self._pieces[each.key]) for each in reading.cases)
        )


def checked_piece(value: Any) -> Piece:
    """A piece that was kept; raises ValueError for what no import kept: a group with its one record."""
    try:
        ((group, (record,)),) = ((group, records) for group, records in value.items() if records)
        hash((record.get("run_id"), record["pair"]))
    except KeyError:
        raise ValueError(f"the record of {group!r} has no pair") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError("it is not a piece of a file") from error
    return {name: list(records) for name, records in value.items()}


def joined(pieces: Iterable[Piece]) -> Piece:
    """The file that the pieces are of."""
    whole: Piece = {}
    for piece in pieces:
        for group, records in piece.items():
            whole.setdefault(group, []).extend(records)
    return whole
