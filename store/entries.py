"""The entries of an import: places with cases, published values and records, in memory or a spool."""

import json
import os
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from reviewer.core.whole_files import no_temporary_room
from store.records import Case, JsonText, JsonValue, Measurement, Membership, canonical_json

_MOST_HELD = 4 << 20
"""Bytes that a spool holds in memory."""
_AS_WRITTEN = json.JSONEncoder(ensure_ascii=False)
_PUBLISHED = dict(Measurement(case="0" * 64, name="", source="published", value=None))


class Spool:
    """Pieces of bytes in a temporary file without a name, which vanishes with the process.

    It holds what a large import has checked, until that is written to the store. The newest pieces are held
    in memory, so that few of them need no file at all.
    """

    def __init__(self) -> None:
        self._held, self._written = bytearray(), 0
        self._file: int | None = None

    def add(self, piece: bytes) -> int:
        """Keep a piece; returns where it starts. Raises StoreError if there is no room for it."""
        start = self._written + len(self._held)
        self._held += piece
        if len(self._held) > _MOST_HELD:
            self._write()
        return start

    def piece(self, start: int, size: int) -> bytes:
        """The bytes of a piece."""
        if start >= self._written:
            return bytes(self._held[start - self._written :][:size])
        assert self._file is not None
        return os.pread(self._file, size, start)

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = _unnamed_file()
                weakref.finalize(self, os.close, self._file)
            left = memoryview(self._held)
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            raise no_temporary_room("the rows of the file", error) from error
        self._written += len(self._held)
        self._held = bytearray()


def _unnamed_file() -> int:
    file, path = tempfile.mkstemp(prefix="reviewer-")
    Path(path).unlink()
    return file


class EntryContent(NamedTuple):
    """The case of an entry, the values that were published with it, and its record in the imported file."""

    case: Case
    published: tuple[Measurement, ...]
    raw: str | None


class Entry:
    """One imported place: the place, its content and published values.

    ``raw`` is the place's record in the imported file, as JSON text in the file's own order and spelling. The
    content of a packed entry is held in a spool, so that a large file fits into memory.
    """

    __slots__ = ("_content", "group", "place")

    def __init__(
        self, case: Case, place: Membership, published: Sequence[Measurement] = (), raw: str | None = None
    ) -> None:
        self.place, self.group = place, case.group
        self._content: EntryContent | _Packed = EntryContent(case, tuple(published), raw)

    @classmethod
    def packed(
        cls, case: Case, place: Membership, published: Mapping[str, JsonValue], raw: str | None, spool: Spool
    ) -> "Entry":
        """An entry whose content is held in a spool. ``published`` are the values by name."""
        entry = cls(case, place)
        lines = [canonical_json(case.payload), _AS_WRITTEN.encode(dict(published))]
        held = "\n".join(lines if raw is None else [*lines, raw]).encode()
        entry._content = _Packed(case.protocol, case.payload_version, spool, spool.add(held), len(held))
        return entry

    @property
    def content(self) -> EntryContent:
        """What stands there. It is unpacked at each call."""
        if isinstance(self._content, EntryContent):
            return self._content
        columns, published = self.columns
        case = Case.model_construct(**{**columns, "payload": json.loads(columns["payload"])})
        values = tuple(Measurement.model_construct(**value) for value in published)
        return EntryContent(case, values, self.raw)

    @property
    def case(self) -> Case:
        """The case."""
        return self.content.case

    @property
    def published(self) -> tuple[Measurement, ...]:
        """The values that were published with the case."""
        return self.content.published

    @property
    def raw(self) -> str | None:
        """The record in the imported file."""
        content = self._content
        return content.raw if isinstance(content, EntryContent) else next(iter(content.lines[2:]), None)

    @property
    def columns(self) -> tuple[dict[str, JsonValue], list[dict[str, JsonValue]]]:
        """The columns of the case, and those of each published value, as the store takes them."""
        content, place = self._content, self.place
        if isinstance(content, EntryContent):
            return dict(content.case), [dict(value) for value in content.published]
        payload, published, *_ = content.lines
        case = {
            "digest": place.case,
            "protocol": content.protocol,
            "group": self.group,
            "payload_version": content.payload_version,
            "payload": JsonText(payload),
        }
        values: dict[str, JsonValue] = json.loads(published)
        there = {**_PUBLISHED, "case": place.case, "dataset": place.dataset, "key": place.key}
        return case, [{**there, "name": name, "value": value} for name, value in values.items()]

    def at(self, place: Membership) -> "Entry":
        """The same content at another place, or with other properties of the place."""
        entry = object.__new__(Entry)
        entry.place, entry.group, entry._content = place, self.group, self._content
        return entry


class _Packed(NamedTuple):
    """A case, its values and its record as three lines of a spool, each as JSON; the third may be missing."""

    protocol: str
    payload_version: int
    spool: Spool
    start: int
    size: int

    @property
    def lines(self) -> list[str]:
        return self.spool.piece(self.start, self.size).decode().split("\n", 2)


def published_at(place: Membership, values: Mapping[str, JsonValue]) -> tuple[Measurement, ...]:
    """Values that were published with the case of a place."""
    return tuple(
        Measurement(
            case=place.case,
            name=name,
            source="published",
            dataset=place.dataset,
            key=place.key,
            value=value,
        )
        for name, value in values.items()
    )
