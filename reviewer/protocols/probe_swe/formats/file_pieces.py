"""A dataset file in pieces, one for each place, from which the file can be written again.

A piece has the form of the file (group → list of records) with one record, in the file's order and spelling.
Groups without records are in the piece of the next record, or in the last piece.
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
        """Begin a group; its records follow, if it has any."""
        self._group = group
        self._next[group] = []

    def add(self, key: str, record: JsonValue) -> None:
        """Add the next record, whose place has this key."""
        self._next[self._group] = [record]
        self._pieces[key], self._next = self._next, {}

    def added_to(self, reading: Reading) -> Reading:
        """The reading with its piece added to each case."""
        if self._pieces:
            next(reversed(self._pieces.values())).update(self._next)
        return replace(
            reading, cases=tuple(replace(case, raw=self._pieces[case.key]) for case in reading.cases)
        )


def checked_piece(value: Any) -> Piece:
    """A stored piece; raises ValueError if it is not a group with one record, which every import stores."""
    try:
        ((group, (record,)),) = ((group, records) for group, records in value.items() if records)
        hash((record.get("run_id"), record["pair"]))
    except KeyError:
        raise ValueError(f"the record of {group!r} has no pair") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError("it is not a piece of a file") from error
    return {name: list(records) for name, records in value.items()}


def joined(pieces: Iterable[Piece]) -> Piece:
    """The file that the pieces belong to."""
    whole: Piece = {}
    for piece in pieces:
        for group, records in piece.items():
            whole.setdefault(group, []).extend(records)
    return whole
